"""The results of a challenge that was closed."""
