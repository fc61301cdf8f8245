"""`python -m coverage_study` runs every design point."""

from coverage_study.run import main

if __name__ == "__main__":
    main()
