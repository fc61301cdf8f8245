"""Scores of a run, from its data set and its predictions."""
