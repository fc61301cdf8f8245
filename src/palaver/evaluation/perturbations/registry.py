"""Perturbations by name; those of other packages come in under `palaver.perturbations`.

One of your own is a function `(text, random) -> text`, and nothing else needed:

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
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.core.evaluation.dataset_names import KINDS
from palaver.core.evaluation.datasets import Kind
from palaver.core.loading import load_own
from palaver.core.registry import Registry
from palaver.evaluation.perturbations.perturbation import LEVELS, Level, Perturbation

_HERE = "palaver.evaluation.perturbations"

# In the order in which variants of one example stand in the output.
BUILT_IN = {
    "ethnic_names": f"{_HERE}.names:ETHNIC_NAMES",
    "gendered_words": f"{_HERE}.gender:GENDERED_WORDS",
    "legacy_ethnic_names": f"{_HERE}.legacy_names:LEGACY_ETHNIC_NAMES",
    "legacy_gendered_words": f"{_HERE}.legacy_names:LEGACY_GENDERED_WORDS",
    "typos": f"{_HERE}.typing_errors:TYPOS",
    "keyboard": f"{_HERE}.typing_errors:KEYBOARD",
    "spelling": f"{_HERE}.spelling:SPELLING",
    "casing": f"{_HERE}.casing:CASING",
    "contractions": f"{_HERE}.contractions:CONTRACTIONS",
    "punctuation": f"{_HERE}.spacing:PUNCTUATION_MARKS",
    "whitespace": f"{_HERE}.spacing:WHITESPACE",
    "split_words": f"{_HERE}.spacing:SPLIT_WORDS",
    "similar_characters": f"{_HERE}.look_alikes:SIMILAR_CHARACTERS",
    "zero_width": f"{_HERE}.look_alikes:ZERO_WIDTH",
    "fun_fonts": f"{_HERE}.look_alikes:FUN_FONTS",
    "ocr": f"{_HERE}.look_alikes:OCR",
    "dropped_context": f"{_HERE}.dialogues:DROPPED_CONTEXT",
    "topic_jump": f"{_HERE}.dialogues:TOPIC_JUMP",
    "typo_user": f"{_HERE}.dialogues:TYPO_USER",
    "persona_switch": f"{_HERE}.dialogues:PERSONA_SWITCH",
    "turn_repetition": f"{_HERE}.dialogues:TURN_REPETITION",
}

PERTURBATIONS: Registry[Any] = Registry(
    "perturbation", "palaver.perturbations", BUILT_IN, see=" See: palaver perturb --list."
)

# A name becomes part of uids.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def find_perturbation(name: str, *, folder: Path | None = None) -> Perturbation:
    """The perturbation called `name`, or the function that "module:function" names."""
    if ":" in name:
        return own_perturbation(name, folder=folder or Path.cwd())
    try:
        return as_perturbation(PERTURBATIONS.get(name), name)
    except (ImportError, AttributeError) as error:
        # Only what another package offers can fail so.
        raise InputError(
            f"Perturbation '{name}' is installed but does not load: {error}."
        ) from error


def known_perturbations(kind: Kind | None = None) -> list[Perturbation]:
    """Every perturbation with a name, ours first; of one kind where one is given."""
    names = [*BUILT_IN, *(name for name in PERTURBATIONS.names() if name not in BUILT_IN)]
    found = [find_perturbation(name) for name in names]
    return [each for each in found if kind in (None, each.kind)]


def chosen_perturbations(
    kind: Kind, only: Sequence[str] = (), *, folder: Path | None = None
) -> list[tuple[str, Perturbation]]:
    """The perturbations of a kind with what they are found by: those that are named, or all usual."""
    if not only:
        return [(each.name, each) for each in known_perturbations(kind) if not each.on_request]
    found = [(name, find_perturbation(name, folder=folder)) for name in dict.fromkeys(only)]
    for name, each in found:
        if each.kind != kind and ":" not in name:
            raise InputError(f"'{name}' is of kind {each.kind}, not {kind}.")
    names = [each.name for _, each in found]
    doubled = [name for name in names if names.count(name) > 1]
    if doubled:
        raise InputError(f"Two perturbations are called '{doubled[0]}'; rename one of them.")
    return found


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
