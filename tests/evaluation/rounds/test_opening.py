"""Rounds opened, stopped, opened again; contexts from files and data sets; who sits in the loop."""

import json
from pathlib import Path
from typing import Any

import pytest

from palaver.core.audit import COMMAND
from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.rounds import Round, RoundContext, RoundTerms
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.home import EvaluationHome, evaluation_home
from palaver.evaluation.models.registration import add_model
from palaver.evaluation.rounds.context_files import contexts_of_file
from palaver.evaluation.rounds.contexts import contexts_of_dataset, contexts_of_round
from palaver.evaluation.rounds.opening import (
    label_changes,
    open_round,
    resume_round,
    stop_round,
)
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.evaluation.tasks.builtin import builtin_task
from palaver.storage import Store
from palaver.storage.evaluation.rounds import find_round, set_round
from palaver.storage.studies.studies import register_study

NOW = 1_700_000_000.0
HS: dict[str, Any] = {"task": "hs", "terms": RoundTerms(sessions=5), "contexts": ()}
CONTEXTS = (RoundContext(id="a", values={"context": "One boat."}, tag="boats"),)


@pytest.fixture
def home(tmp_path: Path, store: Store) -> EvaluationHome:
    """A home with the task nli and two models that can be asked."""
    found = evaluation_home(tmp_path, store)
    for name in ("bag", "tree"):
        put(found, name, "http://localhost:9/")
    return found


def put(home: EvaluationHome, name: str, url: str) -> None:
    row = home.store.write_now(lambda c: ensure_task(c, "nli", now=NOW))
    task = stored_task(row)
    add_model(home, row, task, name=name, kind="http", options={"url": url}, now=NOW)


@pytest.fixture
def study_id(store: Store) -> int:
    def register(connection: Any) -> int:
        return register_study(
            connection, name="loop", title="Loop", digest="d", definition="{}", now=NOW
        )

    return store.write_now(register)


def opened(home: EvaluationHome, study_id: int, **given: Any) -> Round:
    options: dict[str, Any] = {
        "task": "nli",
        "stage": 0,
        "terms": RoundTerms(goals={"neutral": None}),
        "models": ["bag"],
        "contexts": CONTEXTS,
        **given,
    }
    return open_round(home, study_id=study_id, now=NOW, by=COMMAND, **options)


def test_a_round_fixes_what_it_began_with(home: EvaluationHome, study_id: int) -> None:
    first = opened(home, study_id, models=["tree", "bag@1"])
    put(home, "tree", "http://localhost:10/")
    found = home.store.read_now(lambda c: find_round(c, first.task_id))
    assert [model.system for model in found.models] == ["tree@1", "bag@1"]
    assert contexts_of_round(home, found) == CONTEXTS
    assert found.terms.labels == ("entailed", "neutral", "contradictory")
    assert {found.model_of(f"d{n}").name for n in range(20)} == {"tree", "bag"}


def test_one_round_of_a_task_runs_at_a_time(home: EvaluationHome, study_id: int) -> None:
    first = opened(home, study_id)
    with pytest.raises(InputError, match=r"Round 1 of 'nli' is open. Close it first"):
        opened(home, study_id)
    home.store.write_now(lambda c: set_round(c, first.id, state="closed", now=NOW))
    assert opened(home, study_id).number == 2


def test_a_round_is_stopped_and_opened_again(home: EvaluationHome, study_id: int) -> None:
    first = opened(home, study_id)
    write = home.store.write_now
    stopped = write(lambda c: stop_round(c, first, by=COMMAND, now=NOW))
    assert stopped.state == "stopped"
    assert write(lambda c: stop_round(c, first, by=COMMAND, now=NOW)).state == "stopped"
    assert write(lambda c: resume_round(c, first, by=COMMAND, now=NOW)).is_open
    write(lambda c: set_round(c, first.id, state="closed", now=NOW))
    with pytest.raises(InputError, match="Round 1 of 'nli' is closed"):
        write(lambda c: resume_round(c, first, by=COMMAND, now=NOW))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"models": ["bog"]}, "bog.*Near: 'bag'"),
        ({"models": ["bag@7"]}, "no version '7'; it has 1"),
        ({"models": ["leader"]}, "No model leads.*Name the models of the round: bag, tree"),
        ({"terms": RoundTerms(goals={"funny": None})}, "'funny' is no label of 'nli'"),
        ({"contexts": ()}, "asks about a context"),
        ({"task": "hs", "models": ["leader"]}, "'neutral' is no label of 'hs'"),
        ({"task": "hs", "terms": RoundTerms()}, "has no context. Say how many 'sessions'"),
        ({**HS, "models": ["leader"]}, "has no model that could be asked. Add one"),
    ],
)
def test_what_cannot_be_opened_is_named(
    home: EvaluationHome, study_id: int, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        opened(home, study_id, **given)


def test_the_only_model_leads(home: EvaluationHome, study_id: int) -> None:
    row = home.store.write_now(lambda c: ensure_task(c, "sentiment", now=NOW))
    add_model(
        home,
        row,
        stored_task(row),
        name="only",
        kind="http",
        options={"url": "http://localhost:9/"},
        now=NOW,
    )
    found = opened(home, study_id, **{**HS, "task": "sentiment", "models": ["leader"]})
    assert [model.name for model in found.models] == ["only"]


def test_changed_labels_are_named(home: EvaluationHome, study_id: int) -> None:
    first = opened(home, study_id)
    said = home.store.read_now(lambda c: label_changes(c, first, builtin_task("hs")))
    assert "not-hateful and hateful is new" in said
    assert home.store.read_now(lambda c: label_changes(c, first, builtin_task("nli"))) == ""


def test_contexts_come_from_a_file(tmp_path: Path) -> None:
    lines = [
        {"id": 7, "context": {"context": "One boat."}, "tag": "boats", "quota": 2},
        {"context_json": '{"context": "Two."}', "tag": None, "metadata": {"page": 3}},
    ]
    file = tmp_path / "contexts.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert contexts_of_file(file, builtin_task("nli")) == (
        RoundContext(id="7", values={"context": "One boat."}, tag="boats", quota=2),
        RoundContext(id="c2", values={"context": "Two."}, metadata={"page": 3}),
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"context": {"contxt": "x"}}', r"contexts.jsonl:2: 'contxt' is no context of the task"),
        ('{"context": {}}', r"contexts.jsonl:2: it has no 'context'"),
        ('{"context": {"context": 3}}', r"contexts.jsonl:2: 'context': expected a text"),
        ('{"context": {"context": "x"}, "quota": -1}', r"'quota' is 0 or more; got -1"),
        ('{"id": "a", "context": {"context": "x"}}', r"the id 'a' is that of line 1"),
        ("{", r"contexts.jsonl:2: .*truncated"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "contexts.jsonl"
    file.write_text('{"id": "a", "context": {"context": "x"}}\n' + line, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        contexts_of_file(file, builtin_task("nli"))


def test_a_file_that_is_empty_or_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("\n")
    with pytest.raises(InputError, match="has no contexts"):
        contexts_of_file(tmp_path / "none.jsonl", builtin_task("nli"))
    with pytest.raises(InputError, match="cannot be read"):
        contexts_of_file(tmp_path / "away.jsonl", builtin_task("nli"))


def test_contexts_come_from_a_data_set_each_once_and_without_gold(
    home: EvaluationHome, tmp_path: Path
) -> None:
    items = [
        {"uid": f"i{n}", "context": f"Text {n // 2}.", "hypothesis": f"H{n}.", "label": "neutral"}
        for n in range(8)
    ]
    file = tmp_path / "items.jsonl"
    file.write_text("\n".join(json.dumps({**i, "tags": []}) for i in items), encoding="utf-8")
    row = home.store.write_now(lambda c: ensure_task(c, "nli", now=NOW))
    task = stored_task(row)
    add_dataset(home, row, task, name="items", source=str(file), now=NOW)
    found = contexts_of_dataset(home, row.id, task, "items", sample=None, seed="s")
    assert [each.values for each in found] == [{"context": f"Text {n}."} for n in range(4)]
    some = contexts_of_dataset(home, row.id, task, "items", sample=2, seed="s")
    assert len(some) == 2
    with pytest.raises(UnknownNameError, match="No data set 'itms'"):
        contexts_of_dataset(home, row.id, task, "itms", sample=None, seed="s")
