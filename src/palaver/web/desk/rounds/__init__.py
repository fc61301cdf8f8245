"""Rounds of writing at the desk: their list, the page of one, its examples, and closing it."""
