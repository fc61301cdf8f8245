"""Metrics of what was written: overlap with references, variety, length."""
