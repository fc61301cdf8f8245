"""Data sets: read, converted, checked, hashed, kept, and found again."""
