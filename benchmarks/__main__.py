"""`python -m benchmarks` runs them all."""

from benchmarks.run import main

main()
