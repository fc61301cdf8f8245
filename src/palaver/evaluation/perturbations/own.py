"""A perturbation of one's own: a function `(text, random) -> text`, and nothing else needed.

    def shout(text, random):
        '''Puts an exclamation mark behind everything.'''
        return text + "!" * random.randint(1, 3)

It is called with every stretch of text that is not protected, and with a generator that belongs to
the variant. What is known of it may be set as attributes: `shout.about`, `shout.user_only = True`,
and `shout.level`: "character" or "word" for a function `(corpus, draws) -> Edits` that changes a
whole corpus at once, "dialogue" for a function `(talk, random) -> talk`.
"""

import inspect
import re
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import Kind
from palaver.core.loading import load_own
from palaver.evaluation.perturbations.perturbation import KINDS, LEVELS, Level, Perturbation

# A name becomes part of uids.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def own_perturbation(target: str, *, folder: Path) -> Perturbation:
    """The perturbation that "module:function" names; `folder` comes before what is installed."""
    found = load_own(target, folder=folder, what="Your own perturbation is")
    return as_perturbation(found, target.partition(":")[2])


def as_perturbation(found: Any, name: str) -> Perturbation:
    """What an entry point or a target led to, as a perturbation."""
    if isinstance(found, Perturbation):
        return found
    if not callable(found):
        raise InputError(
            f"'{name}' is {type(found).__name__}; expected a function or a Perturbation."
        )
    _check_parameters(found, name)
    if not NAME.fullmatch(name):
        raise InputError(f"A perturbation's name takes letters, digits and '_'; got '{name}'.")
    level = _level(getattr(found, "level", "text"), name)
    return Perturbation(
        name=name,
        kind=_kind(
            getattr(found, "kind", "dialogue" if level == "dialogue" else "robustness"), name
        ),
        level=level,
        about=str(getattr(found, "about", _first_line(found))),
        example=getattr(found, "example", ""),
        function=found,
        user_only=bool(getattr(found, "user_only", False)),
    )


def _check_parameters(function: Any, name: str) -> None:
    parameters = inspect.signature(function).parameters.values()
    sides = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(sides) != 2:
        raise InputError(
            f"Perturbation '{name}' must take a text and a random generator; "
            f"it takes {len(sides)} parameters."
        )


def _level(given: Any, name: str) -> Level:
    for known in LEVELS:
        if given == known:
            return known
    raise InputError(
        f"Perturbation '{name}': level must be one of {', '.join(LEVELS)}; got {given!r}."
    )


def _kind(given: Any, name: str) -> Kind:
    for known in KINDS:
        if given == known:
            return known
    raise InputError(
        f"Perturbation '{name}': kind must be one of {', '.join(KINDS)}; got {given!r}."
    )


def _first_line(function: Any) -> str:
    return (inspect.getdoc(function) or "Your own perturbation.").splitlines()[0]
