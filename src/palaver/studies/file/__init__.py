"""The study file: what it says, checked."""
