"""Recruiting as it goes: created, published, paused, enlarged and stopped, by a person or by itself."""
