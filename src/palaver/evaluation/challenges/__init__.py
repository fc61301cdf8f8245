"""Challenges: tracks, schedule, teams, submissions, standings, and how one is closed."""
