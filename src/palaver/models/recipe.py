"""A recipe: the kind of model, its sections, how it is trained, and the seed; YAML or JSON.

Everything that may change a result stands in it. What is left out has the default that the kind of
model declares, and the checkpoint writes every value out.
"""

import itertools
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.models.learner import ModelKind
from palaver.models.registry import MODELS
from palaver.models.settings import (
    COUNT,
    DECAY,
    NATURAL,
    POSITIVE,
    SHARE,
    Bounds,
    option,
    read_settings,
    written,
)

LIBRARY = Path(__file__).parent / "library"
# What stands in a recipe beside the sections of its kind of model.
_COMMON = ("model", "about", "seed", "members", "start", "training", "sweep")
# A member adds its number to the seed; its folder is called member-999 at most.
_SEEDS, _MEMBERS = Bounds(least=0, most=10**15), Bounds(least=1, most=999)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSettings:
    """How weights are changed."""

    epochs: int = option(10, "passes over the training data at most", COUNT)
    optimizer: Literal["adam", "adamw", "adagrad", "sgd"] = option("adamw", "who takes the steps")
    rate: float = option(1e-3, "learning rate, at its height", POSITIVE)
    schedule: Literal["constant", "one-cycle", "cosine", "anneal"] = option(
        "constant", "what becomes of the rate; anneal divides it in each of the last epochs"
    )
    warmup: float = option(0.1, "share of all steps in which the rate rises", SHARE)
    anneal_by: float = option(5.0, "what 'anneal' divides by", POSITIVE)
    anneal_epochs: int = option(
        2, "how many epochs 'anneal' lasts; it goes on from the best weights so far", COUNT
    )
    momentum: float = option(0.0, "of sgd (Nesterov's)", DECAY)
    weight_decay: float = option(0.0, "of adamw, adagrad and sgd", NATURAL)
    betas: tuple[float, float] = option((0.9, 0.999), "of adam and adamw", DECAY)
    batch: int = option(32, "examples in an update of each process", COUNT)
    clip: float = option(0.0, "largest norm of a gradient; 0: as it is", NATURAL)
    average: float = option(0.0, "decay of the moving average that is kept; 0: the last", DECAY)
    patience: int = option(0, "epochs without a better one after which to stop; 0: never", NATURAL)
    precision: Literal["auto", "float32", "bfloat16"] = option(
        "float32", "of the forward pass; auto: bfloat16 where a GPU has it"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What is trained, and how."""

    model: str
    settings: Any
    training: TrainingSettings
    about: str = ""
    seed: int = 1
    # How many are trained, each with another tenth held out; together they answer as one.
    members: int = 1
    # The checkpoint that training starts from, as the recipe writes it.
    start: str = ""

    @property
    def kind(self) -> type[ModelKind]:
        return MODELS.get(self.model)

    def member(self, number: int) -> "Recipe":
        """The recipe of one member of an ensemble."""
        return replace(self, seed=self.seed + number, members=1)

    def as_json(self) -> dict[str, Any]:
        """All that may change a result, defaults written out."""
        found: dict[str, Any] = {"model": self.model, "seed": self.seed}
        if self.about:
            found["about"] = self.about
        if self.members > 1:
            found["members"] = self.members
        if self.start:
            found["start"] = self.start
        return {**found, **written(self.settings), "training": written(self.training)}


@dataclass(frozen=True, slots=True)
class RecipeFile:
    """A recipe as it was written, before it is checked: options can still be set."""

    given: dict[str, Any]
    folder: Path

    def with_options(self, options: Sequence[str]) -> "RecipeFile":
        """The same with `section.option=value` set; values are read as JSON, else as text."""
        given = json.loads(json.dumps(self.given))
        for text in options:
            path, sign, value = text.partition("=")
            if not sign or not path.strip():
                raise InputError(f"Expected OPTION=VALUE, as in training.rate=0.001; got '{text}'.")
            set_to = _value(value.strip())
            if path.strip() == "start" and set_to:
                # Typed here, but read beside the recipe.
                set_to = os.path.relpath(str(set_to), self.folder)
            _put(given, path.strip().split("."), set_to)
        return RecipeFile(given, self.folder)

    def recipe(self) -> Recipe:
        """The checked recipe; one with a sweep is refused."""
        if "sweep" in self.given:
            raise InputError(
                "The recipe has a 'sweep', which is several trainings: give --sweep, or take it out."
            )
        return read_recipe(self.given)

    def swept(self) -> list[tuple[str, Recipe]]:
        """A recipe for each combination of the values under `sweep`, with a name that says which."""
        axes = self.given.get("sweep")
        if not isinstance(axes, Mapping) or not axes:
            raise InputError("The recipe has no 'sweep': options with lists of values to try.")
        for path, values in axes.items():
            if not isinstance(values, list) or not values:
                raise InputError(f"'sweep.{path}' is a list of values to try; got {values!r:.60}.")
            if len({_plainly(value) for value in values}) < len(values):
                raise InputError(f"'sweep.{path}' names a value twice: {values!r:.60}.")
        plain = RecipeFile({k: v for k, v in self.given.items() if k != "sweep"}, self.folder)
        found = []
        for chosen in itertools.product(*axes.values()):
            pairs = list(zip(axes, chosen, strict=True))
            options = [f"{path}={json.dumps(value)}" for path, value in pairs]
            name = ",".join(f"{path.rpartition('.')[2]}={_plainly(value)}" for path, value in pairs)
            found.append((name, plain.with_options(options).recipe()))
        return found


def open_recipe(named: str) -> RecipeFile:
    """The recipe that a path or a name of the library says."""
    path = Path(named)
    # A folder of that name may be the checkpoint.
    if not path.suffix and not path.is_file():
        path = LIBRARY / f"{named}.yaml"
        if not path.is_file():
            known = library_names()
            hint = near(named, known) or f" Known: {', '.join(known)}."
            raise InputError(f"No recipe '{named}'.{hint} Or give a file: recipe.yaml.")
        # What such a recipe starts from lies where the command is called.
        return RecipeFile(_parsed(path), Path())
    if not path.is_file():
        raise InputError(f"There is no recipe at {path}.")
    return RecipeFile(_parsed(path), path.parent)


def library_names() -> list[str]:
    """The recipes that ship with Palaver."""
    return sorted(path.stem for path in LIBRARY.glob("*.yaml"))


def read_recipe(given: Mapping[str, Any]) -> Recipe:
    """The recipe that plain data says; InputError names what is wrong."""
    model = given.get("model")
    if not isinstance(model, str):
        raise InputError(f"A recipe names its kind of 'model': {', '.join(MODELS.names())}.")
    kind = MODELS.get(model)
    own = {name: value for name, value in given.items() if name not in _COMMON}
    seed, members = given.get("seed", 1), given.get("members", 1)
    for name, value, bounds in (("seed", seed, _SEEDS), ("members", members, _MEMBERS)):
        if not isinstance(value, int) or isinstance(value, bool) or value not in bounds:
            raise InputError(f"'{name}' is a whole number {bounds}; got {value!r:.60}.")
    return Recipe(
        model=model,
        settings=read_settings(kind.settings_type, own),
        training=read_settings(TrainingSettings, given.get("training"), where="training"),
        about=str(given.get("about") or ""),
        seed=seed,
        members=members,
        start=str(given.get("start") or ""),
    )


def differences(one: Recipe, other: Mapping[str, Any]) -> list[str]:
    """What differs between a recipe and one that was written down: "training.rate: 0.1, not 0.2"."""
    mine, theirs = _flat(one.as_json()), _flat(other)
    return [
        f"{path}: {theirs.get(path)}, not {mine.get(path)}"
        for path in sorted({*mine, *theirs})
        if mine.get(path) != theirs.get(path)
    ]


def _parsed(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        found = json.loads(text) if path.suffix == ".json" else _yaml(text, path)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error}).") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}:{error.colno}: {error.msg}.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error
    if found is None:
        raise InputError(f"{path} is empty; a recipe names at least its kind of 'model'.")
    if not isinstance(found, dict):
        raise InputError(f"{path}: a recipe holds options by name; got {found!r:.60}.")
    try:
        json.dumps(found)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"{path}: a recipe holds texts, numbers, lists and sections ({error}). Write a date in "
            "quotes."
        ) from error
    return found


def _yaml(text: str, path: Path) -> Any:
    """YAML by whichever of the two libraries is there; a bare environment may have neither."""
    try:
        from ruamel.yaml import YAML
        from ruamel.yaml.error import YAMLError
    except ImportError:
        return _plain_yaml(text, path)
    try:
        return YAML(typ="safe", pure=True).load(text)
    except YAMLError as error:
        raise InputError(_told_yaml(error, path)) from error


def _plain_yaml(text: str, path: Path) -> Any:
    try:
        import yaml
    except ImportError:
        raise InputError(
            f"Nothing here reads YAML. Install ruamel.yaml, or write {path.name} as JSON."
        ) from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(_told_yaml(error, path)) from error


def _told_yaml(error: Exception, path: Path) -> str:
    """What is wrong with YAML and where, as both libraries say it."""
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    if mark is None or problem is None:
        return f"{path}: {' '.join(str(error).split())}"
    return f"{path}:{mark.line + 1}:{mark.column + 1}: {problem}."


def _put(given: dict[str, Any], path: list[str], value: Any) -> None:
    *above, last = path
    for step in above:
        given = given.setdefault(step, {})
        if not isinstance(given, dict):
            raise InputError(f"'{'.'.join(path)}': '{step}' is no section.")
    given[last] = value


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _plainly(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return "".join(letter if letter.isalnum() or letter in ".-+" else "-" for letter in text)


def _flat(given: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in given.items():
        path = f"{above}.{name}" if above else name
        if isinstance(value, Mapping):
            found |= _flat(value, path)
        elif path != "about":
            found[path] = list(value) if isinstance(value, tuple) else value
    return found
