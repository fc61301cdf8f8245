"""Dialogues and their events."""
