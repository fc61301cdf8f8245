"""Perturbations: variants of examples that should not change an answer, or should be survived."""

from palaver.core.evaluation.dataset_names import KINDS
from palaver.evaluation.perturbations.layout import Layout, layout_of
from palaver.evaluation.perturbations.perturbation import Perturbation
from palaver.evaluation.perturbations.registry import (
    PERTURBATIONS,
    chosen_perturbations,
    find_perturbation,
    known_perturbations,
)
from palaver.evaluation.perturbations.variants import Variants, make_variants

__all__ = [
    "KINDS",
    "PERTURBATIONS",
    "Layout",
    "Perturbation",
    "Variants",
    "chosen_perturbations",
    "find_perturbation",
    "known_perturbations",
    "layout_of",
    "make_variants",
]
