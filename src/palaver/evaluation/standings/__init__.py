"""Standings: many runs measured on the same items, compared with each other, and ranked."""
