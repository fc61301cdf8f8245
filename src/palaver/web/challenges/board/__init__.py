"""The standings of a challenge, track by track, for whoever may see them."""
