"""Models that are built in: there once somebody names them, unless there is one of that name."""

from pathlib import Path

import pytest

from palaver.core.errors import InputError, UnknownNameError
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.builtin import BUILT_IN, builtin_models, ensure_builtin_models
from palaver.evaluation.models.registration import add_model
from palaver.evaluation.rounds.loop_models import resolve_models
from palaver.evaluation.tasks import builtin_names, ensure_task, stored_task
from palaver.storage.evaluation.models import find_model, list_models

NOW = 1_700_000_000.0


def test_each_answers_a_built_in_task() -> None:
    assert builtin_models("nli") == ("overlap", "smollm2")
    assert {each.task for each in BUILT_IN.values()} <= set(builtin_names())


def test_one_is_added_when_it_is_named_and_once(home: EvaluationHome) -> None:
    row = home.store.write_now(lambda c: ensure_task(c, "nli", now=NOW))
    for _ in range(2):
        ensure_builtin_models(home, row, stored_task(row), ["overlap", "mine"], now=NOW)
    models = home.store.read_now(lambda c: list_models(c, row.id))
    assert [(each.name, each.version) for each in models] == [("overlap", 1)]


def test_a_model_of_ones_own_keeps_its_name(home: EvaluationHome) -> None:
    row = home.store.write_now(lambda c: ensure_task(c, "nli", now=NOW))
    options = {"url": "http://127.0.0.1:9/"}
    add_model(home, row, stored_task(row), name="overlap", kind="http", options=options, now=NOW)
    ensure_builtin_models(home, row, stored_task(row), ["overlap"], now=NOW)
    assert home.store.read_now(lambda c: find_model(c, row.id, "overlap")).kind == "http"


def test_a_name_that_is_not_there_says_what_to_do(home: EvaluationHome, tmp_path: Path) -> None:
    row = home.store.write_now(lambda c: ensure_task(c, "nli", now=NOW))
    with pytest.raises(
        UnknownNameError, match=r"palaver model add nli bert .*: overlap or smollm2"
    ):
        home.store.read_now(lambda c: resolve_models(c, row, ["bert"]))
    with pytest.raises(InputError, match=r"no model that could be asked.*built in: overlap"):
        home.store.read_now(lambda c: resolve_models(c, row, ["leader"]))
