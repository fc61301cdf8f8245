"""Finished dialogues and files, taken in to be judged."""
