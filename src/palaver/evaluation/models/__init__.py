"""Models: added, probed, built, and their uploaded predictions."""
