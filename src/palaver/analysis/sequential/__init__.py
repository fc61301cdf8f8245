"""Inference that may be read at any moment: confidence sequences, e-values, and when to stop."""
