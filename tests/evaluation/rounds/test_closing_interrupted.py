"""Closing a round that dies between any two of its steps, and what others do meanwhile."""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import func, select

from palaver.core.audit import COMMAND, AuditFilter
from palaver.core.errors import InputError
from palaver.core.evaluation.rounds import ClosedRound, Round
from palaver.evaluation.datasets import find_dataset, list_datasets
from palaver.evaluation.rounds import closing
from palaver.evaluation.rounds.closing import ClosingOptions, close_round, plan_closing
from palaver.evaluation.rounds.example_decisions import give_verdict
from palaver.evaluation.rounds.examples import read_examples
from palaver.evaluation.runs import plans
from palaver.storage.audit.entries import all_entries
from palaver.storage.evaluation.jobs import jobs_of_runs
from palaver.storage.evaluation.rounds import find_round, round_mark
from palaver.storage.judging.exclusions import exclude
from palaver.storage.people.erasure import erase_assignment
from palaver.storage.schema import labels, raters, slots
from support.runs import NOW, Bench
from support.validating import Validation
from support.written import by_writers, put_round, written
from support.written_rounds import RoundDesk, Sent

SPLITS = ("train", "dev", "test")


class Killed(Exception):
    """The process is gone."""


def close(bench: Bench, round_: Round, **options: Any) -> ClosedRound:
    wanted = ClosingOptions(**options)
    return close_round(bench.home, bench.row, round_, options=wanted, by=COMMAND, now=NOW)


def planned(bench: Bench, round_: Round) -> dict[str, set[str]]:
    """The uids of each split, as closing the round now would make them."""
    examples = bench.home.store.read_now(lambda c: read_examples(c, round_))
    plan = plan_closing(round_, examples, bench.task, ClosingOptions())
    return {split: {str(item["uid"]) for item in items} for split, items in plan.items.items()}


def stored(bench: Bench) -> dict[str, set[str]]:
    """The uids of every data set of the task."""
    found = bench.home.store.read_now(lambda c: list_datasets(c, bench.row.id))
    return {each.name: uids_of(bench, each.path) for each in found}


def uids_of(bench: Bench, path: str) -> set[str]:
    return {json.loads(line)["uid"] for line in bench.home.objects.lines(path)}


def dies_before(name: str, module: Any = closing) -> Callable[[pytest.MonkeyPatch], None]:
    def patch(patched: pytest.MonkeyPatch) -> None:
        def killed(*given: Any, **options: Any) -> None:
            raise Killed

        patched.setattr(module, name, killed)

    return patch


def dies_after(
    name: str, split: str = "", module: Any = closing
) -> Callable[[pytest.MonkeyPatch], None]:
    """After a step was done for one split, or at all."""

    def patch(patched: pytest.MonkeyPatch) -> None:
        real = getattr(module, name)

        def killed(*given: Any, **options: Any) -> Any:
            found = real(*given, **options)
            if str(getattr(found, "name", split)).endswith(split):
                raise Killed
            return found

        patched.setattr(module, name, killed)

    return patch


# Every step of closing, in order. What is written comes first; then one transaction does the rest.
STEPS = {
    "before the first file": dies_before("prepare_dataset"),
    **{f"after the file of {split}": dies_after("prepare_dataset", split) for split in SPLITS},
    "before anything is registered": dies_before("store_prepared"),
    **{f"after {split} is registered": dies_after("store_prepared", split) for split in SPLITS},
    "after a run, before its job": dies_before("enqueue", plans),
    "after a job": dies_after("enqueue", module=plans),
    "before the round is closed": dies_before("set_round"),
    "after the round is closed": dies_after("set_round"),
    "before it is on record": dies_before("record"),
    "after it is on record": dies_after("record"),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_round_whose_closing_died_closes_to_the_same_data_sets(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    for name in ("bert", "roberta"):
        bench.model(name, "http://127.0.0.1:9/")
    round_ = put_round(bench.home, by_writers(6, 5, 4, 3, 2, 2, 1))
    wanted = planned(bench, round_)
    with monkeypatch.context() as patched:
        STEPS[step](patched)
        with pytest.raises(Killed):
            close(bench, round_)
    assert stored(bench) == {}
    assert bench.states() == {}
    known = bench.home.store.read_now(lambda c: find_round(c, round_.task_id))
    assert (known.state, known.result, known.closed) == ("stopped", None, None)
    closed = close(bench, round_)
    assert closed.is_new
    assert stored(bench) == {f"nli-r1-{split}": uids for split, uids in wanted.items()}
    assert_closed_once(bench, round_)


def assert_closed_once(bench: Bench, round_: Round) -> None:
    """Each data set has one version and one file, each run one job, and closing is on record once."""
    found = bench.home.store.read_now(lambda c: list_datasets(c, bench.row.id))
    assert {each.version for each in found} == {1}
    files = (bench.home.folder / "objects" / "datasets").rglob("*.jsonl")
    assert len(list(files)) == len(found)
    runs = bench.runs()
    assert set(runs) == {
        (model, f"nli-r1-{split}") for model in ("bert", "roberta") for split in ("dev", "test")
    }
    jobs = bench.home.store.read_now(lambda c: jobs_of_runs(c, [each.id for each in runs.values()]))
    assert Counter(each.run_id for each in jobs) == {each.id: 1 for each in runs.values()}
    entries = bench.home.store.read_now(lambda c: list(all_entries(c, AuditFilter())))
    assert Counter(each.act for each in entries)["loop.close"] == 1


def test_who_dies_after_the_round_is_closed_finds_it_closed_and_its_runs_waiting(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bert", "roberta"):
        bench.model(name, "http://127.0.0.1:9/")
    round_ = put_round(bench.home, by_writers(3, 2, 2))
    with monkeypatch.context() as patched:
        dies_before("leading_model")(patched)
        with pytest.raises(Killed):
            close(bench, round_)
    again = close(bench, round_)
    assert not again.is_new
    assert {(each.model, each.dataset) for each in again.due} == set(bench.runs())
    assert_closed_once(bench, round_)
    bench.work()
    assert close(bench, round_).due == ()


def test_of_two_who_close_at_once_one_is_told_that_it_is_closed(
    local_bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    round_ = put_round(local_bench.home, by_writers(3, 3, 3))
    real = closing.plan_closing
    others: list[ClosedRound] = []

    def meanwhile(*given: Any, **options: Any) -> Any:
        found = real(*given, **options)
        if not others:
            monkeypatch.setattr(closing, "plan_closing", real)
            others.append(close(local_bench, round_, shares={"test": 1.0}))
        return found

    monkeypatch.setattr(closing, "plan_closing", meanwhile)
    late = close(local_bench, round_)
    assert (late.is_new, late.result) == (False, others[0].result)
    assert set(stored(local_bench)) == {"nli-r1-test"}


def test_a_data_set_that_was_added_meanwhile_stays_as_it_is(
    local_bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    round_ = put_round(local_bench.home, by_writers(3, 3, 3))
    real = closing._prepare

    def meanwhile(*given: Any) -> Any:
        found = real(*given)
        local_bench.dataset("nli-r1-dev", 4, access="hidden")
        return found

    monkeypatch.setattr(closing, "_prepare", meanwhile)
    with pytest.raises(InputError, match=r"a data set 'nli-r1-dev' already.*--prefix"):
        close(local_bench, round_)
    theirs = local_bench.home.store.read_now(
        lambda c: find_dataset(c, local_bench.row.id, "nli-r1-dev")
    )
    assert (theirs.items, theirs.version, theirs.access) == (4, 1, "hidden")
    assert set(stored(local_bench)) == {"nli-r1-dev"}


class Judged:
    """A round with two examples by two people, each judged to be right by two of three."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.desk = RoundDesk(bench.home.store)
        self.visits = {name: self.desk.visit(name) for name in ("ann", "ben")}
        for n, visit in enumerate(self.visits.values()):
            text = f"Sentence {n} says something new."
            self.desk.session(visit, Sent(text), context=f"c{n}")
        self.validation = Validation(self.desk, name="judging")
        self.validation.take_in()
        for judge in ("cem", "dia"):
            for _ in range(2):
                self.validation.judge(judge, "entailed")

    def rater(self, person: str) -> int:
        """The number under which somebody's judgements are kept."""
        alias = self.validation.rater(person).alias
        wanted = select(raters.c.id).where(raters.c.key == alias)
        return int(self.desk.store.read_now(lambda c: c.execute(wanted).scalar_one()))

    def close(self) -> ClosedRound:
        return close(self.bench, self.desk.round, shares={"test": 1.0}, anyway=True)


def excludes(judged: Judged) -> None:
    study_id, rater_id = judged.validation.study_id, judged.rater("cem")
    judged.desk.store.write_now(
        lambda c: exclude(c, study_id=study_id, rater_id=rater_id, excluded=True, now=NOW)
    )


def validator_withdraws(judged: Judged) -> None:
    visit = judged.validation.rater("cem").assignment_id
    judged.desk.store.write_now(lambda c: erase_assignment(c, visit, now=NOW))


def writer_withdraws(judged: Judged) -> None:
    visit = judged.visits["ann"].id
    judged.desk.store.write_now(lambda c: erase_assignment(c, visit, now=NOW))


def judges(judged: Judged) -> None:
    judged.validation.judge("eli", "neutral")


def writes(judged: Judged) -> None:
    judged.desk.session(judged.visits["ben"], Sent("One more is here."), context="c7")


def decides(judged: Judged) -> None:
    uid = judged.desk.examples()[0].uid
    judged.desk.store.write_now(
        lambda c: give_verdict(c, judged.desk.round, uid, "incorrect", by=COMMAND, now=NOW)
    )


MEANWHILE = {
    "a validator is excluded": excludes,
    "a validator withdraws": validator_withdraws,
    "a writer withdraws": writer_withdraws,
    "somebody judges": judges,
    "somebody writes": writes,
    "the owner decides": decides,
}


@pytest.mark.parametrize("what", MEANWHILE)
def test_what_happens_between_reading_and_storing_is_closed_on(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    judged = Judged(bench)
    real, times = closing._prepare, list[str]()

    def meanwhile(*given: Any) -> Any:
        found = real(*given)
        if not times:
            MEANWHILE[what](judged)
        times.append(what)
        return found

    monkeypatch.setattr(closing, "_prepare", meanwhile)
    closed = judged.close()
    examples = judged.desk.examples()
    taken = {each.uid for each in examples if each.is_verified}
    assert set().union(*stored(bench).values()) == taken
    assert closed.result is not None
    assert sum(closed.result.examples.values()) == len(taken)
    assert sum(closed.result.left_out.values()) == len(examples) - len(taken) + (
        what == "a writer withdraws"
    )


def test_what_others_judge_elsewhere_keeps_no_round_from_closing(bench: Bench) -> None:
    judged = Judged(bench)
    before = bench.home.store.read_now(lambda c: round_mark(c, judged.desk.round))
    other = RoundDesk(bench.home.store, task="hs", name="other")
    tried = {"values": {"statement": "A statement of its own.", "label": "hateful"}}
    said = {"values": {"label": "not-hateful"}, "wrong": True, "seconds": 0.2}
    steps = [(0, "try", tried), (1, "answer", said), (0, "keep", {})]
    other.played(other.visit("zed"), steps, context={})
    elsewhere = Validation(other, "example_verdict", name="elsewhere", **{"from": "other"})
    assert elsewhere.take_in() == 1
    assert elsewhere.judge("cem", "correct") is not None
    assert bench.home.store.read_now(lambda c: round_mark(c, judged.desk.round)) == before


def test_a_place_that_was_given_back_counts_as_a_change(bench: Bench) -> None:
    judged = Judged(bench)
    before = bench.home.store.read_now(lambda c: round_mark(c, judged.desk.round))
    bench.home.store.write_now(
        lambda c: c.execute(
            slots.update()
            .where(slots.c.id == select(func.min(labels.c.slot_id)).scalar_subquery())
            .values(state="abandoned")
        )
    )
    assert bench.home.store.read_now(lambda c: round_mark(c, judged.desk.round)) != before


def test_closing_an_imported_round_again_after_more_examples_stays_closed(
    local_bench: Bench,
) -> None:
    round_ = put_round(local_bench.home, [written(0), written(1, writer="w2")])
    first = close(local_bench, round_)
    again = close(local_bench, round_, prefix="other")
    assert (again.is_new, again.result) == (False, first.result)
