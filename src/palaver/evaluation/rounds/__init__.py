"""Rounds in which people write against the models of a task."""
