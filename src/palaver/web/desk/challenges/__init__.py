"""Challenges at the desk, for whoever holds them."""
