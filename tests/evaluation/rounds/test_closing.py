"""Closing a round: what was verified becomes data sets on which every model is evaluated."""

from collections import Counter
from typing import Any

import pytest

from palaver.core.audit import COMMAND, AuditFilter
from palaver.core.errors import InputError
from palaver.core.evaluation.rounds import (
    ClosedRound,
    ExampleVote,
    Round,
    RoundTerms,
    WrittenExample,
)
from palaver.evaluation.datasets import find_dataset, list_datasets, read_examples
from palaver.evaluation.dynaboards.board_reader import read_board
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.rounds import closing
from palaver.evaluation.rounds.closing import ClosingOptions, close_round
from palaver.evaluation.rounds.opening import resume_round
from palaver.storage.audit.entries import all_entries
from palaver.storage.evaluation.rounds import find_round
from support.runs import NOW, Bench
from support.written import LABELS, by_writers, put_round, written


def votes(*verdicts: Any) -> tuple[ExampleVote, ...]:
    return tuple(ExampleVote(rater=f"v{n}", verdict=each) for n, each in enumerate(verdicts))


def close(bench: Bench, round_: Round, **options: Any) -> ClosedRound:
    wanted = ClosingOptions(**options)
    return close_round(bench.home, bench.row, round_, options=wanted, by=COMMAND, now=NOW)


def items(bench: Bench, name: str) -> list[Any]:
    dataset = bench.home.store.read_now(lambda c: find_dataset(c, bench.row.id, name))
    return read_examples(bench.home, bench.task, dataset)


def acts(home: EvaluationHome) -> list[str]:
    return [each.act for each in home.store.read_now(lambda c: list(all_entries(c, AuditFilter())))]


def test_verified_examples_become_data_sets_and_every_model_is_evaluated_on_them(
    bench: Bench,
) -> None:
    bench.model("bert", "http://127.0.0.1:9/")
    bench.model("roberta", "http://127.0.0.1:9/")
    examples = by_writers(6, 2, 2)
    round_ = put_round(bench.home, examples)
    closed = close(bench, round_)
    assert closed.state == "closed"
    assert closed.is_new
    assert closed.result is not None
    assert closed.result.datasets == {
        "train": "nli-r1-train",
        "dev": "nli-r1-dev",
        "test": "nli-r1-test",
    }
    assert closed.result.examples == {"train": 6, "dev": 2, "test": 2}
    assert closed.result.writers == {"train": 1, "dev": 1, "test": 1}
    # What models are trained on says nothing of them.
    assert set(bench.states()) == {
        (model, f"nli-r1-{split}") for model in ("bert", "roberta") for split in ("dev", "test")
    }
    assert len(closed.runs) == 4
    found = bench.home.store.read_now(lambda c: list_datasets(c, bench.row.id))
    assert {each.name: (each.access, each.round) for each in found} == {
        "nli-r1-train": ("standard", 1),
        "nli-r1-dev": ("scoring", 1),
        "nli-r1-test": ("scoring", 1),
    }
    assert acts(bench.home)[-1] == "loop.close"


def test_an_item_keeps_who_wrote_it_by_a_pseudonym_and_nothing_that_names_them(
    local_bench: Bench,
) -> None:
    close(local_bench, put_round(local_bench.home, by_writers(2)))
    first = items(local_bench, "nli-r1-test")[0]
    assert first.values["label"] == "entailed"
    assert first.tags == ("news",)
    assert first.metadata["round"] == 1
    assert first.metadata["context"] == "c0"
    assert first.metadata["model"] == "bert@1"
    assert first.metadata["fooled"] is True
    assert len({each.metadata["writer"] for each in items(local_bench, "nli-r1-test")}) == 1
    assert "writer" not in local_bench.task.question(first)


def left_out_ones() -> list[WrittenExample]:
    """One example for each reason to be left out, and one that is taken."""
    return [
        written(0),
        written(1, retracted=True),
        written(2, wrong=None, kept=False),
        written(3, wrong=False, kept=False),
        written(4, kept=False),
        written(5, standing="waiting"),
        written(6, votes=votes("correct", "incorrect", "flagged")),
        written(7, votes=votes("incorrect", "incorrect")),
        written(8, votes=votes("flagged", "flagged")),
        written(9, label="maybe"),
        written(10, notes=("copied",)),
        written(11, notes=("language",)),
        # The same words as the first, but for case and spaces.
        written(
            12,
            values={
                "context": "This is c1.",
                "hypothesis": "sentence 0  is NEW.",
                "label": "entailed",
            },
        ),
    ]


def test_what_is_left_out_is_counted_by_its_reason(local_bench: Bench) -> None:
    closed = close(local_bench, put_round(local_bench.home, left_out_ones()), anyway=True)
    assert closed.result is not None
    assert closed.result.examples == {"test": 1}
    assert closed.result.left_out == {
        "retracted": 1,
        "undecided": 1,
        "right": 1,
        "not kept": 1,
        "waiting": 1,
        "split": 1,
        "incorrect": 1,
        "flagged": 1,
        "label": 1,
        "copied": 1,
        "language": 1,
        "duplicate": 1,
    }


def test_what_was_noticed_can_be_taken_all_the_same(local_bench: Bench) -> None:
    examples = [written(0), written(1, notes=("language",)), written(2, notes=("copied",))]
    closed = close(local_bench, put_round(local_bench.home, examples), noted=("language",))
    assert closed.result is not None
    assert closed.result.examples == {"test": 2}
    assert closed.result.left_out == {"copied": 1}


def test_examples_that_wait_are_closed_on_only_anyway(local_bench: Bench) -> None:
    examples = [written(0), written(1, standing="waiting"), written(2, standing="waiting")]
    round_ = put_round(local_bench.home, examples)
    with pytest.raises(InputError, match=r"2 examples of round 1 of 'nli' wait for .*--anyway"):
        close(local_bench, round_)
    assert (
        local_bench.home.store.read_now(lambda c: find_round(c, round_.task_id)).state == "stopped"
    )
    assert close(local_bench, round_, anyway=True).result is not None


def test_a_round_with_nothing_verified_closes_without_data(local_bench: Bench) -> None:
    examples = [written(n, votes=votes("incorrect", "incorrect")) for n in range(3)]
    closed = close(local_bench, put_round(local_bench.home, examples))
    assert closed.result is not None
    assert closed.result.datasets == {}
    assert closed.result.left_out == {"incorrect": 3}
    assert closed.result.notes == ("Nothing was verified, so there is no data set.",)
    assert local_bench.home.store.read_now(lambda c: list_datasets(c, local_bench.row.id)) == []


def test_closing_twice_is_said_and_changes_nothing(local_bench: Bench) -> None:
    round_ = put_round(local_bench.home, by_writers(3, 3, 3))
    first = close(local_bench, round_)
    again = close(local_bench, round_, shares={"test": 1.0})
    assert (again.is_new, again.result, again.closed) == (False, first.result, first.closed)
    assert Counter(acts(local_bench.home))["loop.close"] == 1
    with pytest.raises(InputError, match="Round 1 of 'nli' is closed"):
        local_bench.home.store.write_now(lambda c: resume_round(c, round_, by=COMMAND, now=NOW))


def test_what_breaks_on_the_way_leaves_the_round_as_it_was(
    local_bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    round_ = put_round(local_bench.home, by_writers(3, 3, 3))

    def breaks(*given: Any, **options: Any) -> None:
        raise OSError("the disk is full")

    # After the first data set was registered, before the round is closed.
    with monkeypatch.context() as patched:
        patched.setattr(closing, "set_round", breaks)
        with pytest.raises(OSError, match="disk is full"):
            close(local_bench, round_)
    assert local_bench.home.store.read_now(lambda c: list_datasets(c, local_bench.row.id)) == []
    assert local_bench.states() == {}
    assert close(local_bench, round_).is_new


def test_what_is_judged_meanwhile_is_closed_on(
    local_bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    round_ = put_round(local_bench.home, by_writers(3, 3, 3))
    marks = iter([(1, 1), (2, 1), (2, 1), (2, 1)])
    monkeypatch.setattr(closing, "round_mark", lambda connection, held: next(marks))
    assert close(local_bench, round_).is_new
    assert next(marks, None) is None


def test_names_shares_and_access_are_as_asked(local_bench: Bench) -> None:
    round_ = put_round(local_bench.home, by_writers(2, 2, 2, 2))
    closed = close(
        local_bench,
        round_,
        prefix="autumn",
        shares={"train": 0.5, "test": 0.5},
        access={"test": "hidden"},
    )
    assert closed.result is not None
    assert closed.result.examples == {"train": 4, "test": 4}
    found = local_bench.home.store.read_now(
        lambda c: find_dataset(c, local_bench.row.id, "autumn-test")
    )
    assert found.access == "hidden"


def test_a_name_that_is_taken_is_refused_before_anything_is_stored(local_bench: Bench) -> None:
    local_bench.dataset("nli-r1-test", 3)
    with pytest.raises(InputError, match=r"a data set 'nli-r1-test' already.*--prefix"):
        close(local_bench, put_round(local_bench.home, by_writers(3)))
    assert items(local_bench, "nli-r1-test")[0].uid == "u0"


def test_right_answers_that_people_confirmed_train_where_that_leaks_no_writer(
    local_bench: Bench,
) -> None:
    fooling = by_writers(6, 2, 2)
    right = [
        written(100 + n, writer=f"w{n}", wrong=False, kept=False, votes=votes("correct", "correct"))
        for n in range(3)
    ]
    closed = close(local_bench, put_round(local_bench.home, [*fooling, *right]), right=True)
    assert closed.result is not None
    assert closed.result.examples == {"train": 7, "dev": 2, "test": 2}
    assert closed.result.left_out == {"other split": 2}


def test_labels_that_changed_since_the_round_are_named(local_bench: Bench) -> None:
    terms = RoundTerms(labels=(*LABELS[:2], "other"))
    closed = close(local_bench, put_round(local_bench.home, by_writers(2), terms=terms))
    assert closed.result is not None
    assert any("contradictory is new; other is gone" in note for note in closed.result.notes)


def test_the_board_of_a_round_is_made_of_its_data_sets(local_bench: Bench) -> None:
    local_bench.dataset("dev", 3)
    close(local_bench, put_round(local_bench.home, by_writers(6, 2, 2)))
    board = local_bench.home.store.read_now(
        lambda c: read_board(c, local_bench.row, local_bench.task, round=1)
    )
    assert {each.name for each in board.datasets} == {"nli-r1-dev", "nli-r1-test"}
