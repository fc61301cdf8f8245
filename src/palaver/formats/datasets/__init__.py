"""Data sets of others, by task and format, and the records that they hold."""
