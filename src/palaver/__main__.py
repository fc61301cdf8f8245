"""`python -m palaver` is `palaver`."""

from palaver.cli.main import main

main()
