"""Agents that choose what to do, not how to say it: acts of either game, and their arguments."""
