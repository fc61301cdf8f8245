"""Data replaced after something was handed in: scored again, both kept, told, never in silence."""

import json
from typing import Any

import pytest

from palaver.core.audit import AuditFilter
from palaver.core.evaluation.datasets import AddedDataset
from palaver.evaluation.challenges.board_rows import live_rows
from palaver.evaluation.challenges.gold import plan_and_tell
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.models.uploads import add_predictions
from palaver.storage.audit.entries import all_entries
from palaver.storage.evaluation import challenges as stored
from palaver.storage.evaluation.runs import list_runs
from palaver.storage.outbox.letters import list_mails
from support.challenges import FINAL, TEST, Cup, answers
from support.endpoints import LABELS
from support.runs import NOW, Bench, records

LATER = FINAL + 3600.0


def replaced(cup: Cup, items: list[dict[str, Any]], *, now: float = LATER) -> AddedDataset:
    """Other data in the place of the test data."""
    bench = cup.bench
    file = bench.folder / "again.jsonl"

    file.write_text("".join(json.dumps(each) + "\n" for each in items), encoding="utf-8")
    added = add_dataset(
        cup.home, bench.row, bench.task, name="test", source=str(file), now=now, plan=plan_and_tell
    )
    bench.work()
    return added


def regraded(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same questions with another gold label for the first one."""
    other = LABELS[(LABELS.index(items[0]["label"]) + 1) % len(LABELS)]
    return [{**items[0], "label": other}, *items[1:]]


def accuracy(cup: Cup) -> list[float | None]:
    board = live_rows(cup.home, cup.row, "english", "final", now=LATER, viewer="organisers")
    return [row.scores["accuracy"].value for row in board.rows]


@pytest.mark.parametrize("turn", [1, -1], ids=["same order", "other order"])
def test_new_gold_scores_every_entry_again_and_keeps_both(local_cup: Cup, turn: int) -> None:
    cup = local_cup
    team = cup.team(contact="otters@example.org")
    first = cup.submit(team)
    assert accuracy(cup) == [1.0]

    replaced(cup, regraded(TEST)[::turn])

    assert accuracy(cup) == [5 / 6]
    board = live_rows(cup.home, cup.row, "english", "final", now=LATER, viewer="organisers")
    assert board.notes == (
        "Gold data replaced on 2026-11-15 13:00 UTC (2026-11-15 01:00 AoE), scores recomputed.",
    )
    runs = cup.home.store.read_now(lambda c: list_runs(c, task_id=cup.bench.row.id))
    assert [(run.dataset_version, run.state) for run in runs] == [(1, "done"), (2, "done")]
    (entry,) = cup.entries(now=LATER)
    assert (entry.key, entry.state, entry.scores["accuracy"]) == (first.key, "scored", 5 / 6)


def test_teams_are_told_once_and_it_is_on_record(local_cup: Cup) -> None:
    cup = local_cup
    cup.submit(cup.team(contact="otters@example.org"))
    before = len(cup.home.store.read_now(list_mails))

    replaced(cup, regraded(TEST))
    replaced(cup, regraded(TEST), now=LATER + 1)

    letters = cup.home.store.read_now(list_mails)
    letters = letters[: len(letters) - before]  # newest first
    assert [letter.recipient for letter in letters] == ["otters@example.org"]
    assert "The gold data of English were replaced" in letters[0].text
    wanted = AuditFilter(act="dataset.replace")
    acts = cup.home.store.read_now(lambda c: list(all_entries(c, wanted)))
    assert [(each.subject, each.detail["only_gold"]) for each in acts] == [("nli/test", True)]


def test_entries_are_not_scored_on_other_questions_and_say_so(local_cup: Cup) -> None:
    cup = local_cup
    cup.submit(cup.team(contact="otters@example.org"))

    replaced(cup, records(6, start=400))

    (entry,) = cup.entries(now=LATER)
    assert (entry.state, entry.scores) == ("failed", {})
    assert entry.reason.startswith("The data were replaced on 2026-11-15 13:00 UTC")
    board = live_rows(cup.home, cup.row, "english", "final", now=LATER, viewer="organisers")
    assert [(row.scores, row.reason) for row in board.rows] == [({}, entry.reason)]
    letter = cup.home.store.read_now(list_mails)[0]
    assert "does not answer them" in letter.text


def test_a_closed_challenge_keeps_its_results(local_cup: Cup) -> None:
    cup = local_cup
    cup.submit(cup.team(contact="otters@example.org"))
    cup.home.store.write_now(lambda c: stored.set_challenge(c, cup.row.id, frozen=FINAL + 60))
    before = len(cup.home.store.read_now(list_mails))

    replaced(cup, regraded(TEST))

    assert accuracy(cup) == [1.0]
    assert len(cup.home.store.read_now(list_mails)) == before


def test_uploaded_models_of_a_task_are_scored_on_new_gold_without_a_challenge(bench: Bench) -> None:
    items = records(6)
    bench.dataset("dev", items)
    add_predictions(
        bench.home, bench.row, bench.task, name="mine", files={"dev": answers(items)}, now=NOW
    )
    assert bench.scores("mine", "dev")["accuracy"].value == 1.0

    bench.dataset("dev", regraded(items))
    bench.work()

    assert bench.scores("mine", "dev")["accuracy"].value == 5 / 6
