"""The packages that fine-tuning needs, looked for before anything is read."""

import importlib.util

from palaver.core.errors import InputError, MissingExtraError
from palaver.models.recipe import Recipe

_NEEDED = ("torch", "safetensors", "transformers", "tokenizers", "peft")


def check_packages() -> None:
    """MissingExtraError where a package is not installed; else what they print is kept to errors."""
    if any(importlib.util.find_spec(package) is None for package in _NEEDED):
        raise MissingExtraError("Fine-tuning a language model", "language")
    from transformers.utils import logging

    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]


def check_alone(recipe: Recipe) -> None:
    """InputError for a recipe that asks for several members."""
    if recipe.members > 1:
        raise InputError(
            f"A model of kind '{recipe.model}' answers alone: its 'members' is 1; got "
            f"{recipe.members}. Train several with other seeds, each into a folder of its own, and "
            "compare them."
        )
