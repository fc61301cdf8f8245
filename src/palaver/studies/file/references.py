"""Names that a study file mentions and does not define.

This reads the plain data, so that a misspelt name is reported together with whatever else is wrong.
"""

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.registry import near
from palaver.formats.json_places import Steps
from palaver.formats.key_problems import KeyProblem, pydantic_problems
from palaver.studies import library
from palaver.studies.stages import AGAIN, PAY
from palaver.studies.stages.conditions import parse_conditions
from palaver.studies.stages.games import survey_questions
from palaver.studies.stages.parts import to_do_of
from palaver.systems.build import options_type, validate_options

Mention = tuple[Steps, str]


def reference_problems(data: dict[str, Any]) -> Iterator[KeyProblem]:
    """A problem for every mention of a system or question that is not in the file."""
    systems = _defined(data, "systems")
    brought = (*survey_questions(data.get("stages")), *library.question_names())
    questions = list(dict.fromkeys((*_defined(data, "questions"), *brought)))
    for i, stage in enumerate(_entries(data.get("stages"))):
        here: Steps = ("stages", i)
        for steps, name in _systems_mentioned(stage):
            if name not in systems:
                yield KeyProblem((*here, *steps), _undefined("system", name, systems))
        for steps, name in questions_mentioned(stage):
            if name not in questions:
                yield KeyProblem((*here, *steps), _undefined("question", name, questions))


def _systems_mentioned(stage: Any) -> Iterator[Mention]:
    match stage:
        case {"chat": {"conditions": conditions}}:
            yield from _systems_in(conditions)
    match stage:
        case {"chat": {"partner_leaves": str(name)}} if name not in (PAY, AGAIN):
            yield ("chat", "partner_leaves"), name
    match stage:
        case {"chat": {"nobody_comes": str(name)}} if name not in (PAY, AGAIN):
            yield ("chat", "nobody_comes"), name


def _systems_in(conditions: Any) -> Iterator[Mention]:
    try:
        conditions = parse_conditions(conditions)
    except ValueError:  # reported as a problem of the conditions themselves
        return
    for i, condition in enumerate(_entries(conditions)):
        match condition:
            case {"systems": str(name)}:
                yield ("chat", "conditions", i, "systems"), name
            case {"systems": [*names]}:
                for j, name in enumerate(names):
                    if isinstance(name, str):
                        yield ("chat", "conditions", i, "systems", j), name


def questions_mentioned(stage: Any) -> Iterator[Mention]:
    """Every question that a stage names, with the steps that lead there."""
    match stage:
        case {"rate": {"ask": [*names]}}:
            yield from _listed(("rate", "ask"), names)
    match stage:
        case {"rate": {"attention": {"ask": [*names]}}}:
            yield from _listed(("rate", "attention", "ask"), names)
    match stage:
        case {"chat": {"online": {"ask": str(name)}}}:
            yield ("chat", "online", "ask"), name
    match stage:
        case {"screen": {"ask": str(name)}}:
            yield ("screen", "ask"), name
        case {"screen": {"training": str(name)}} if library.training_file(name):
            yield ("screen", "training"), library.trained_question(name)


def _listed(steps: Steps, names: list[Any]) -> Iterator[Mention]:
    for i, name in enumerate(names):
        if isinstance(name, str):
            yield (*steps, i), name


def _undefined(noun: str, name: str, defined: list[str]) -> str:
    if noun == "question":
        known = " See 'palaver questions' for the built-in ones."
    else:
        known = f" Known: {', '.join(defined)}." if defined else " None is defined."
    return f"No {noun} '{name}' under '{noun}s'.{near(name, defined) or known}"


def _defined(data: dict[str, Any], key: str) -> list[str]:
    part = data.get(key)
    return list(part) if isinstance(part, dict) else []


def _entries(part: Any) -> list[Any]:
    return part if isinstance(part, list) else []


def option_problems(systems: Any) -> Iterator[KeyProblem]:
    """What each kind of system says about the options it is given.

    One with something still to be provided is looked at once it is there. An entry that is no
    mapping or has no kind is left to the study's own structure.
    """
    for name, given in systems.items() if isinstance(systems, dict) else []:
        if isinstance(given, dict) and isinstance(given.get("kind"), str) and not to_do_of(given):
            for problem in _key_problems(given["kind"], given):
                yield problem.under("systems", name)


def _key_problems(kind: str, given: dict[str, Any]) -> Iterator[KeyProblem]:
    try:
        validate_options(kind, given)
    except UnknownNameError as error:
        yield KeyProblem(("kind",), str(error))
    except ValidationError as error:
        yield from pydantic_problems(error, options_type(kind))
    except InputError as error:
        yield KeyProblem((), str(error))
