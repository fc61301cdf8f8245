"""A site of CoCoA as a study: its `app_params.json`, its scenarios and its instructions.

The file does not say which game was played; the scenarios do, or whoever imports it. Every key is
accounted for in the report that is written beside the study.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.core.words import listed
from palaver.formats.chateval.prose import markdown_of
from palaver.formats.cocoa.app_params import (
    HUMAN,
    AppParams,
    ModelParams,
    StatusParams,
    read_app_params,
)
from palaver.formats.cocoa.scenarios import read_scenarios
from palaver.formats.cocoa.schema import load_schema
from palaver.games.game import GAMES, Game
from palaver.studies.home import STUDY_FILE
from palaver.studies.intake.chateval.draft import ImportReport
from palaver.studies.intake.study_folder import (
    REPORT_FILE,
    check_target,
    put_in_place,
    study_text,
)
from palaver.studies.stages import AGAIN

SCENARIO_FILE, SCHEMA_FILE = "scenarios.json", "schema.json"
RULE_BASED = "rulebased"
# How long somebody may be in a state of CoCoA, and the limit of ours that says the same.
STATES = {"waiting": "waiting", "chat": "dialogue"}
# Names of ours that a system cannot have.
TAKEN = re.compile(r"[^A-Za-z0-9_.-]+")
# How far above the file its instructions are looked for.
ABOVE = 3


@dataclass(slots=True)
class _Draft:
    """The site, the game it played, and what is said of its keys."""

    file: Path
    params: AppParams
    game: Game
    report: ImportReport
    files: dict[str, str | bytes] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    systems: dict[str, Any] = field(default_factory=dict)


def import_site(
    file: Path,
    target: Path,
    *,
    scenarios: Path | None = None,
    schema: Path | None = None,
    game: str | None = None,
    overwrite: bool = False,
) -> ImportReport:
    """Write the study for an `app_params.json` into `target`; what became of every key.

    `scenarios` is the file that CoCoA was started with, and tells the game; without it `game` names
    it, and its own scenarios are played. Nothing is written where something is wrong.
    """
    check_target(target, overwrite=overwrite)
    params, unread = read_app_params(file)
    report = ImportReport(source=file.name)
    draft = _Draft(file, params, _game(scenarios, schema, game), report)
    _take_along(draft, scenarios, schema)
    stages = [{"chat": _chat(draft)}]
    if params.end_survey:
        stages += _survey(draft)
    draft.files |= {STUDY_FILE: _study(draft, stages)}
    _report_rest(draft, unread)
    draft.files |= {REPORT_FILE: report.text()}
    put_in_place(draft.files, target)
    return report


def _game(scenarios: Path | None, schema: Path | None, named: str | None) -> Game:
    if scenarios is None:
        if named is None:
            raise InputError(
                "An app_params.json does not say which game was played. Give the scenarios that "
                "CoCoA was started with (--scenarios FILE), or the game (--game NAME)."
            )
        return GAMES.get(named)
    known = None if schema is None else load_schema(schema)
    with scenarios.open("rb") as stream:
        games = {each.game for each in read_scenarios(stream, name=str(scenarios), schema=known)}
    if len(games) != 1:
        found = listed(sorted(games)) or "none"
        raise InputError(f"{scenarios}: expected scenarios of one game; there are {found}.")
    [recognised] = games
    if named not in (None, recognised):
        raise InputError(f"{scenarios} has scenarios of '{recognised}'; --game says '{named}'.")
    return GAMES.get(recognised)


def _take_along(draft: _Draft, scenarios: Path | None, schema: Path | None) -> None:
    for path, name, option in (
        (scenarios, SCENARIO_FILE, "scenario_file"),
        (schema, SCHEMA_FILE, "schema_file"),
    ):
        if path is not None:
            draft.files[name] = path.read_bytes()
            draft.options[option] = name
            draft.report.map(path.name, f"`{name}`, unchanged")


def _chat(draft: _Draft) -> dict[str, Any]:
    params, report = draft.params, draft.report
    conditions = [_condition(draft, name, model) for name, model in params.partners.items()]
    report.map("models", "`systems` and `conditions`")
    report.map("num_chats_per_scenario", "`per_scenario` of each condition")
    among_people = any(condition.get("people") for condition in conditions)
    chat: dict[str, Any] = {
        "arrangement": "people" if among_people else "system",
        "game": {"name": draft.game.name, **draft.options},
        "conditions": conditions,
        "limits": _limits(draft),
    }
    if among_people:
        chat["partner_leaves"] = AGAIN
        report.map("redirected", "`partner_leaves: again`")
    if params.debug:
        chat["pace"] = None
        report.map("debug", "`pace: null`: systems answer at once")
    return chat


def _condition(draft: _Draft, name: str, model: ModelParams) -> dict[str, Any]:
    each = draft.params.chats_per_scenario(name)
    if each == 0:
        raise InputError(
            f"{draft.file}: '{name}' is active and gets no dialogues (num_chats_per_scenario 0). "
            "Make it inactive, or give it some."
        )
    quota = {"per_scenario": each}
    if name == HUMAN or model.type == HUMAN:
        return {"people": True, **quota}
    system = TAKEN.sub("-", name).strip("-._") or "system"
    draft.systems[system] = _system(draft, name, model)
    return {"systems": [system], **quota}


def _system(draft: _Draft, name: str, model: ModelParams) -> dict[str, Any]:
    if model.type == RULE_BASED and draft.game.bots:
        draft.report.map(f"models.{name}", "the rule bot that comes with the game")
        return {"kind": "python", "class": next(iter(draft.game.bots.values()))}
    what = f"a model of the type '{model.type}' of CoCoA"
    draft.report.unconfigured.append(f"`{name}`, {what}: put a system of your own in its place.")
    return {"kind": "unconfigured", "note": f"{what}; put a system of your own here"}


def _limits(draft: _Draft) -> dict[str, float | None]:
    params, report = draft.params, draft.report
    limits: dict[str, float | None] = {}
    for state, ours in STATES.items():
        if state in params.status_params:
            limits[ours] = _seconds(params.status_params[state])
            report.map(f"status_params.{state}", f"`limits.{ours}`")
    if params.idle_timeout_num_seconds is not None:
        limits["idle"] = limits["message"] = params.idle_timeout_num_seconds
        report.map("idle_timeout_num_seconds", "`limits.idle` and `limits.message`")
    if params.connection_timeout_num_seconds is not None:
        limits["disconnect"] = params.connection_timeout_num_seconds
        report.map("connection_timeout_num_seconds", "`limits.disconnect`")
    return limits


def _seconds(state: StatusParams) -> float | None:
    return state.num_seconds if state.num_seconds > 0 else None


def _survey(draft: _Draft) -> list[dict[str, Any]]:
    if not draft.game.survey:
        draft.report.lose("end_survey", f"the game '{draft.game.name}' brings no survey")
        return []
    draft.report.map("end_survey", "a `rate` stage with the survey of the game")
    return [{"rate": {}}]


def _study(draft: _Draft, stages: list[dict[str, Any]]) -> str:
    params, report = draft.params, draft.report
    name = re.sub(r"[^a-z0-9]+", "-", params.task_title.lower()).strip("-")[:64] or "study"
    report.map("task_title", f"`title` and `name: {name}`")
    head = [f"Imported from {draft.file.name} of CoCoA.", f"What became of it is in {REPORT_FILE}."]
    return study_text(
        head,
        [
            ("title", params.task_title, []),
            ("name", name, []),
            ("instructions", _instructions(draft), ["From the HTML file of the instructions."]),
            ("systems", draft.systems, ["From models; what is unconfigured must be replaced."]),
            ("stages", stages, ["Quotas are per scenario and partner, as in the file."]),
        ],
    )


def _instructions(draft: _Draft) -> str | None:
    """What people were told, as Markdown; CoCoA found it from wherever it was started."""
    written, templates = Path(draft.params.instructions), Path(draft.params.templates_dir)
    folders = [draft.file.resolve().parent, *list(draft.file.resolve().parents)[1 : ABOVE + 1]]
    for folder in folders:
        for place in (folder / written, folder / templates / written, folder / written.name):
            if place.is_file():
                draft.report.map("instructions", "`instructions`, as Markdown")
                return markdown_of(place.read_text(encoding="utf-8", errors="replace"))
    draft.report.unconfigured.append(
        f"`instructions`: there is no {draft.params.instructions} beside the file or above it."
    )
    return None


def _report_rest(draft: _Draft, unread: frozenset[str]) -> None:
    """Account for the keys that became nothing."""
    params, report = draft.params, draft.report
    for state in params.status_params.keys() - STATES.keys():
        report.lose(f"status_params.{state}", "nobody is sent away from this page by a clock")
    lost = {
        "skip_chat_enabled": (params.skip_chat_enabled, "conversations cannot be skipped"),
        "quit_after": (params.quit_after, "when a game may be left is up to the game"),
        "images_base": (params.images_base, "pictures are files of the game"),
        "icon": (params.icon, "the game brings its own"),
        "scenarios_json_file": (params.scenarios_json_file, "CoCoA did not read it either"),
        "templates_dir": (params.templates_dir, "the pages are those of the game"),
    }
    for key, (given, why) in lost.items():
        if given:
            report.lose(key, why)
    for key in sorted(unread):
        report.lose(key, "it is not a key that CoCoA reads")
