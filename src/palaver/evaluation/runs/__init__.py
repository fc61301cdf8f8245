"""Runs: which pairs are due, the jobs that answer and score them, and how far they are."""
