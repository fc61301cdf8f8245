"""Palaver measures conversation: collect dialogues, judge them, say which system is better."""

__version__ = "0.1.0"
