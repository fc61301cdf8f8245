"""`kind: checkpoint`: what was trained here, as a system in a dialogue and as a model on a task."""
