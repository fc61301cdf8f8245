"""A small model of inference by words in common; see `reader`."""
