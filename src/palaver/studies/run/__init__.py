"""A study while people take part in it."""
