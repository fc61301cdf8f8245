"""Data sets of others, one file per format, and the records that they hold."""
