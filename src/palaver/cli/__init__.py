"""The command line: one command group per file, each imported when it is called."""
