"""The client of notebooks and scripts: how it is called, and what it returns on an older home."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import palaver.client
from palaver.client import Client
from support.made_home import TOKENS
from support.served_home import ServedHome
from support.shapes import shape_of
from support.snapshots import assert_as_stored

TABLE = [{"model": "a", "perf": 60, "mem": 4}, {"model": "b", "perf": 70, "mem": 8}]
RECORD = {"uid": "x", "context": "Mary sings.", "hypothesis": "She sings.", "label": "entailed"}


def _every_run(client: Client) -> Iterator[str]:
    """A run of each model of the task."""
    yield from {run.model: run.key for run in client.runs("nli")}.values()


# By method, what is read with it. A generator reads several times.
READING: dict[str, Callable[[Client], Any]] = {
    "challenges": lambda client: client.challenges(),
    "tasks": lambda client: client.tasks(),
    "task": lambda client: [client.task(name) for name in ("nli", "qa", "mine")],
    "datasets": lambda client: client.datasets("nli"),
    "variants": lambda client: client.variants("nli", [RECORD], "fairness"),
    "models": lambda client: client.models("nli"),
    "model": lambda client: [client.model("nli", name) for name in ("rules", "blue-1", "old")],
    "runs": lambda client: [*client.runs(), *client.runs("nli", state="failed", model="broken")],
    "run": lambda client: [client.run(key) for key in _every_run(client)],
    "wait": lambda client: client.wait(client.runs("nli", state="done"), timeout=60),
    "predictions": lambda client: [
        each for key in _every_run(client) for each in client.predictions(key)
    ],
    "scores": lambda client: [each for key in _every_run(client) for each in client.scores(key)],
    "score_table": lambda client: client.score_table("nli", metric="accuracy"),
    "board": lambda client: client.board("nli", metrics={"accuracy": 3}, datasets={"test": 1}),
    "saved": lambda client: client.saved("nli"),
    "dynascore": lambda client: client.dynascore(TABLE, directions={"mem": -1}),
}
# The same with the token of a team.
READING_AS_A_TEAM: dict[str, Callable[[Client], Any]] = {
    "team": lambda client: client.team(),
    "questions": lambda client: client.questions("test"),
    "submissions": lambda client: client.submissions(),
    "submission": lambda client: client.submission("blue-1"),
}
# The home is older than challenges; these are tried in tests/flows/test_challenge_walk.py.
IN_CHALLENGES = {
    *("challenge", "register_team", "challenge_team", "change_challenge_team", "leave_challenge"),
    *("accept_challenge_terms", "track_questions", "download_questions", "download_file"),
    *("check_file", "submit_file", "entries", "withdraw_entry", "choose_final", "standings"),
    *("announcements", "announce", "challenge_teams", "decide_team", "renew_team_token"),
    *("set_challenge", "probe_endpoint", "submit_endpoint_entry", "retry_entry"),
}
# The home has no rounds of writing, either: see tests/client/test_rounds.py.
IN_ROUNDS = {
    *("rounds", "round", "open_round", "stop_round", "resume_round", "close_round", "examples"),
    *("settle_example", "export_round", "import_round", "bonuses"),
}
# What the home serves is nothing: see tests/client/test_studies.py.
OF_STUDIES = {
    *("study_state", "study_states", "move_study", "study_versions", "study_version", "study_diff"),
    *("change_study", "edit_study"),
}
# What changes something is tried in tests/client.
CHANGING = {
    *("add_task", "use_builtin", "set_policy", "add_team", "add_dataset", "perturb", "add_model"),
    *("upload_predictions", "change_model", "evaluate", "cancel", "retry", "rescore", "fork"),
    *("snapshot", "accept_terms", "submit_endpoint", "submit_predictions", "publish", "withdraw"),
}


def public_names(thing: object) -> list[str]:
    """The names of what others may use of something."""
    return [name for name in dir(thing) if not name.startswith("_")]


def as_json(value: Any) -> Any:
    """A result by its public attributes; what can be called has brackets behind its name."""
    if isinstance(value, list | tuple):
        return [as_json(each) for each in value]
    if isinstance(value, dict):
        return {key: as_json(each) for key, each in value.items()}
    if value is None or isinstance(value, str | int | float):
        return value
    found = {name: getattr(value, name) for name in public_names(value)}
    return {
        f"{k}()" if callable(v) else k: as_json(not callable(v) and v) for k, v in found.items()
    }


def signature(method: Callable[..., Any]) -> str:
    """How a method is called, without types."""
    found = inspect.signature(method)
    bare = [each.replace(annotation=each.empty) for each in found.parameters.values()]
    # A function says where it lies in memory.
    bare = [
        each.replace(default=...) if inspect.isfunction(each.default) else each for each in bare
    ]
    return str(found.replace(parameters=bare, return_annotation=found.empty))


def test_it_is_called_as_it_was() -> None:
    methods = {name: getattr(Client, name) for name in public_names(Client)}
    found = {name: signature(method) for name, method in methods.items() if callable(method)}
    made = {"Client": signature(Client)}
    assert_as_stored("client-calls", {**made, **found, "names": sorted(palaver.client.__all__)})
    tried = {*READING, *READING_AS_A_TEAM, *CHANGING, *IN_CHALLENGES, *IN_ROUNDS, *OF_STUDIES}
    assert found.keys() == tried


@pytest.mark.parametrize("name", [*READING, *READING_AS_A_TEAM])
def test_a_result_has_the_attributes_that_it_had(served_home: ServedHome, name: str) -> None:
    token = TOKENS["olga"] if name in READING else TOKENS["teams"]["Blue"]
    client = Client(served_home.base, token)
    found = (READING | READING_AS_A_TEAM)[name](client)
    assert_as_stored(f"client/{name}", shape_of(as_json(found)))
