"""Perturbations: variants of examples that should not change an answer, or should be survived."""
