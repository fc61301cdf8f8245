"""Prolific: its studies, submissions, bonuses and hooks, by way of its API."""
