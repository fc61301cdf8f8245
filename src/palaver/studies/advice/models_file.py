"""`models.yaml`: the models of a round, how each is asked, and what the board says of it.

Under `models` stands a name for each, and under the name its `kind`, the options of that kind (see
`palaver model kinds`), and what readers are told: `title`, `team`, `parameters`, `date`, `link`.
Chat models have a prompt for advice already; `prompt` and `system` replace it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from palaver.core.errors import InputError, StudyError
from palaver.core.situations import CONTROL, PEOPLE, AdvisingModel, parameter_count
from palaver.evaluation.models.decisions import check_link, check_name
from palaver.evaluation.models.files import WITH_FILES
from palaver.formats.key_problems import KeyProblem, place_problems, pydantic_problems, unknown_key
from palaver.formats.marked_yaml import read_marked
from palaver.systems.build import predictor_options, predictor_options_type
from palaver.systems.registry import PREDICTORS
from palaver.systems.template import check_template

FILE = "models.yaml"
LONGEST = 120
# What a question of the task holds: what a prompt may name.
QUESTION = ("uid", "title", "situation", "subreddit")
RESERVED = (PEOPLE, CONTROL)

# What chat models are asked, unless their entry says otherwise.
ADVICE_SYSTEM = (
    "People describe a situation that troubles them and ask what to do. You write the one reply "
    "that would help this person most: say what you would do in their place and why, keep to the "
    "details they give, and invent none. Write in plain words, as one person to another, without "
    "headings or lists. If somebody may be in danger, say first where they get help."
)
ADVICE_PROMPT = "Asked in r/{{subreddit}}:\n\n{{title}}\n\n{{situation}}\n\nYour advice:"
CHAT_DEFAULTS: Mapping[str, Any] = {
    "system": ADVICE_SYSTEM,
    "prompt": ADVICE_PROMPT,
    "output": "advice",
}
DEFAULTS: Mapping[str, Mapping[str, Any]] = {"openai": CHAT_DEFAULTS, "local_lm": CHAT_DEFAULTS}

_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry:
    """A model of a round: how it is asked, and who it is.

    `folder` holds the files that it runs from, where it runs from any.
    """

    name: str
    kind: str
    options: Mapping[str, Any]
    card: AdvisingModel
    folder: Path | None = None


def parameters_of(given: float | str) -> float:
    """A number of parameters, also as people write it; ValueError if it is none.

    >>> parameters_of("11B"), parameters_of("340 M"), parameters_of(1.5e9)
    (11000000000.0, 340000000.0, 1500000000.0)
    """
    count = None if isinstance(given, bool) else parameter_count(str(given))
    if count is None:
        raise ValueError(
            f"'parameters' takes a number such as 11e9, or 340M, 11B, 1.5T; got '{given!s:.40}'."
        )
    return count


def _checked_date(given: str) -> str:
    whole = given + "-01-01"[len(given) - 4 :] if _DATE.fullmatch(given) else given
    try:
        date.fromisoformat(whole)
    except ValueError:
        raise ValueError(f"'date' takes a day such as 2020-02-14; got '{given[:40]}'.") from None
    return given


def _checked_link(given: str) -> str:
    try:
        check_link(given)
    except InputError as error:
        raise ValueError(str(error)) from None
    return given


def _as_text(given: Any) -> Any:
    """A year is a number in YAML, and a text here."""
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


Line = Annotated[str, Field(max_length=LONGEST)]


class _Entry(BaseModel):
    """The keys of an entry that are no options of its kind."""

    model_config = ConfigDict(extra="allow", frozen=True)

    kind: str = Field(min_length=1)
    title: Line = ""
    team: Line = ""
    parameters: Annotated[float, BeforeValidator(parameters_of)] | None = None
    date: Annotated[str, BeforeValidator(_as_text), AfterValidator(_checked_date)] | None = None
    link: Annotated[str, AfterValidator(_checked_link)] = ""
    folder: Path | None = None


class _File(BaseModel):
    """The file; an entry is read by itself, for its keys depend on its kind."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    models: dict[str, dict[str, Any]] = Field(min_length=1)


def read_models_file(path: Path) -> dict[str, ModelEntry]:
    """The models of a file (or of the folder that holds it), by name and in their order.

    StudyError says where something is wrong with it.
    """
    file = path / FILE if path.is_dir() else path
    marked = read_marked(file)
    try:
        listed = _File.model_validate(marked.data)
    except ValidationError as error:
        raise StudyError(place_problems(marked, pydantic_problems(error, _File))) from error
    found: dict[str, ModelEntry] = {}
    problems: list[KeyProblem] = []
    for name, given in listed.models.items():
        read = read_entry(name, given, folder=file.parent)
        if isinstance(read, ModelEntry):
            found[name] = read
        else:
            problems += [problem.under("models", name) for problem in read]
    if problems:
        raise StudyError(place_problems(marked, problems))
    return found


def read_entry(
    name: str, given: Mapping[str, Any], *, folder: Path
) -> ModelEntry | list[KeyProblem]:
    """One model, or what is wrong with it; its paths are relative to `folder`."""
    problems = list(_name_problems(name))
    try:
        entry = _Entry.model_validate(given)
    except ValidationError as error:
        return problems + list(pydantic_problems(error, _Entry))
    if entry.kind not in PREDICTORS.names():
        try:
            PREDICTORS.get(entry.kind)
        except InputError as error:
            return [*problems, KeyProblem(("kind",), str(error))]
    problems += _folder_problems(entry, folder)
    options = {**DEFAULTS.get(entry.kind, {}), **(entry.model_extra or {})}
    problems += _option_problems(entry.kind, options)
    if problems:
        return problems
    card = AdvisingModel(
        name=name,
        title=entry.title or name,
        team=entry.team,
        parameters=entry.parameters,
        date=entry.date or "",
        link=entry.link,
    )
    return ModelEntry(
        name=name,
        kind=entry.kind,
        options=_with_whole_paths(entry.kind, options, folder),
        card=card,
        folder=None if entry.folder is None else folder / entry.folder,
    )


def _name_problems(name: str) -> Iterator[KeyProblem]:
    if name in RESERVED:
        message = (
            f"'{name}' stands for the advice of people, in answers and on the board. Call the "
            "model something else."
        )
        yield KeyProblem((), message, at_key=True)
    try:
        check_name(name)
    except InputError as error:
        yield KeyProblem((), str(error), at_key=True)


def _folder_problems(entry: _Entry, folder: Path) -> Iterator[KeyProblem]:
    if entry.folder is None and entry.kind in WITH_FILES:
        message = (
            f"A model of kind '{entry.kind}' needs 'folder': the folder with its code and nothing "
            "else, for it is kept with the answers."
        )
        yield KeyProblem((), message, at_key=True)
    elif entry.folder is not None and not (folder / entry.folder).is_dir():
        yield KeyProblem(("folder",), f"There is no folder {folder / entry.folder}.")


def _option_problems(kind: str, options: Mapping[str, Any]) -> Iterator[KeyProblem]:
    known = [*_Entry.model_fields, *predictor_options(kind)]
    strange = [name for name in options if name not in known]
    yield from (unknown_key(name, known) for name in strange)
    given = {name: value for name, value in options.items() if name not in strange}
    options_type = predictor_options_type(kind)
    try:
        options_type.model_validate(given)
    except ValidationError as error:
        yield from pydantic_problems(error, options_type)
    for name in ("prompt", "system"):
        if isinstance(options.get(name), str):
            yield from _template_problems(name, options[name])


def _template_problems(name: str, template: str) -> Iterator[KeyProblem]:
    try:
        check_template(template, QUESTION, option=name)
    except InputError as error:
        yield KeyProblem((name,), str(error))


def _with_whole_paths(kind: str, options: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The options with their paths made absolute: the model is asked from another folder."""
    read = predictor_options_type(kind).model_validate(dict(options))
    whole = dict(options)
    for name, field in type(read).model_fields.items():
        value = getattr(read, name)
        if isinstance(value, Path) and (field.alias or name) in options:
            whole[field.alias or name] = str((folder / value.expanduser()).resolve())
    return whole
