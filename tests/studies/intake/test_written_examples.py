"""What people wrote against models becomes sheets for others: blind, never their own, once each."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import select

from palaver.core.audit import Actor
from palaver.core.evaluation.rounds import RoundTerms
from palaver.evaluation.rounds.example_decisions import give_verdict, retract_example
from palaver.evaluation.rounds.examples import read_examples
from palaver.games.model_in_the_loop.judged_example import example_of
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import load_dialogue
from palaver.storage.evaluation.rounds import set_round
from palaver.storage.judging.exclusions import exclude
from palaver.storage.people.erasure import erase_assignment
from palaver.storage.schema import raters as rater_rows
from palaver.storage.schema import sheets as sheet_rows
from palaver.storage.schema import slots as slot_rows
from support.validating import Validation
from support.written_rounds import CONTEXT, RoundDesk, Sent

FOOLED = Sent("The signal was to blame.", "entailed", "neutral")


@pytest.fixture
def desk(store: Store) -> RoundDesk:
    return RoundDesk(store)


def shown(validation: Validation, key: str) -> Any:
    return validation.store.read_now(lambda c: load_dialogue(c, key))


def test_each_kept_example_that_fooled_gets_a_sheet_once(desk: RoundDesk) -> None:
    ann, ben = desk.visit("ann"), desk.visit("ben")
    desk.session(ann, Sent("The train was late.", "entailed", "entailed"), FOOLED)
    desk.session(ann, Sent("It was on time.", "contradictory", "contradictory"))
    desk.session(ben, FOOLED._replace(text="Nobody slept."), keep=False)
    desk.session(ben, FOOLED._replace(text="Hamburg lies on the way."))
    desk.session(ben, FOOLED._replace(text="It still runs."), end=False)
    validation = Validation(desk)

    assert validation.take_in(limit=1) == 2
    assert validation.take_in() == 0

    assert set(map(tuple, validation.places().values())) == {("free",) * 3}
    assert validation.barred() == {ann.alias, ben.alias}


def test_the_stage_may_ask_for_another_number_and_for_all_answered_tries(desk: RoundDesk) -> None:
    ann = desk.visit("ann")
    desk.session(ann, Sent("The train was late.", "entailed", "entailed"), FOOLED)
    desk.session(ann, Sent("Nobody ever answers.", answer=None))
    validation = Validation(desk, examples="all", raters=2)

    assert validation.take_in() == 2
    assert validation.take_in() == 0
    assert list(map(len, validation.places().values())) == [2, 2]


def test_what_is_shown_says_neither_gold_nor_answer_nor_who_nor_where_from(desk: RoundDesk) -> None:
    ann = desk.visit("ann")
    session = desk.session(ann, FOOLED)
    validation = Validation(desk)
    validation.take_in()

    [sheet] = validation.sheets()
    stored = shown(validation, sheet.name)
    visible = msgspec.json.encode([stored.dialogue.scenario, stored.dialogue.events]).decode()
    for secret in ("entailed", "neutral", "weak-model", ann.alias, session, "skims", "it says so"):
        assert secret not in visible
    assert session not in sheet.name
    example = example_of(stored.dialogue)
    assert [(p.text, p.own) for p in example.passages] == [(CONTEXT, False), (FOOLED.text, True)]
    assert example.claims == ()


def test_where_verdicts_are_asked_the_writers_answer_is_shown(desk: RoundDesk) -> None:
    desk.session(desk.visit("ann"), FOOLED)
    validation = Validation(desk, "example_verdict", "example_reason")
    validation.take_in()

    [sheet] = validation.sheets()
    example = example_of(shown(validation, sheet.name).dialogue)
    assert [(claim.title, claim.text) for claim in example.claims] == [("label", "entailed")]


def test_nobody_judges_their_own_whichever_study_they_come_from(desk: RoundDesk) -> None:
    desk.session(desk.visit("ann"), FOOLED)
    validation = Validation(desk)
    validation.take_in()

    assert validation.judge("ann", "entailed") is None
    assert validation.judge("ben", "entailed") is not None


def test_answers_become_votes_and_votes_a_standing(desk: RoundDesk) -> None:
    desk.session(desk.visit("ann"), FOOLED)
    validation = Validation(desk)
    validation.take_in()

    validation.judge("ben", "entailed")
    assert [e.standing for e in desk.examples()] == ["waiting"]
    validation.judge("cem", "neutral")
    validation.judge("dia", "entailed")

    [example] = desk.examples()
    assert Counter((v.verdict, v.label) for v in example.votes) == {
        ("correct", "entailed"): 2,
        ("incorrect", "neutral"): 1,
    }
    assert example.standing == "correct"
    assert example.is_verified


def test_verdicts_come_with_an_answer_of_ones_own_and_a_reason(desk: RoundDesk) -> None:
    desk.session(desk.visit("ann"), FOOLED)
    validation = Validation(desk, "example_verdict", "example_answer", "example_reason")
    validation.take_in()

    validation.judge("ben", "incorrect", "neutral", None)
    validation.judge("cem", "flagged", None, "It is rude.")

    [example] = desk.examples()
    assert [(v.verdict, v.label, v.reason) for v in example.votes] == [
        ("incorrect", "neutral", ""),
        ("flagged", "", "It is rude."),
    ]
    assert example.standing == "waiting"


def test_who_was_left_out_by_the_study_has_no_vote(desk: RoundDesk) -> None:
    desk.session(desk.visit("ann"), FOOLED)
    validation = Validation(desk)
    validation.take_in()
    validation.judge("ben", "flagged")

    def leave_out(c: Any) -> None:
        rater_id = c.execute(select(rater_rows.c.id)).scalar_one()
        exclude(c, study_id=validation.study_id, rater_id=rater_id, excluded=True, now=desk.now)

    desk.store.write_now(leave_out)
    assert [example.votes for example in desk.examples()] == [()]


def test_an_example_that_is_taken_back_drops_out(desk: RoundDesk) -> None:
    ann = desk.visit("ann")
    desk.session(ann, FOOLED)
    validation = Validation(desk)
    validation.take_in()
    validation.judge("ben", "entailed")
    [example] = desk.examples()

    desk.store.write_now(lambda c: retract_example(c, example.uid, writer=ann.alias, now=desk.now))

    assert list(validation.places().values()) == [["abandoned", "abandoned", "done"]]
    assert validation.judge("cem", "entailed") is None
    assert [len(each.votes) for each in desk.examples()] == [1]
    # A study that begins later is not given it.
    assert Validation(desk, name="later").take_in() == 0


def test_who_withdraws_takes_what_is_shown_along(desk: RoundDesk) -> None:
    ann = desk.visit("ann")
    desk.session(ann, FOOLED)
    validation = Validation(desk, "example_verdict")
    validation.take_in()
    [sheet] = validation.sheets()

    desk.store.write_now(lambda c: erase_assignment(c, ann.id, now=desk.now))

    example = example_of(shown(validation, sheet.name).dialogue)
    assert FOOLED.text not in str(example)
    assert "entailed" not in str(example)
    assert list(validation.places().values()) == [[]]


def test_a_closed_round_gives_nothing_more(desk: RoundDesk) -> None:
    desk.session(desk.visit("ann"), FOOLED)
    desk.store.write_now(lambda c: set_round(c, desk.round.id, state="closed", now=desk.now))
    assert Validation(desk).take_in() == 0


def test_two_hundred_raters_at_once_leave_exactly_what_was_asked_for(store: Store) -> None:
    desk = RoundDesk(store, terms=RoundTerms(validators=5, matching=3))
    writers = [desk.visit(f"w{n}") for n in range(4)]
    for n in range(24):
        desk.session(writers[n % 4], FOOLED._replace(text=f"It was train number {n} that failed."))
    validation = Validation(desk)
    validation.take_in()
    # The writers judge, too.
    people = [f"w{n}" for n in range(4)] + [f"r{n}" for n in range(196)]
    raters = [validation.rater(person) for person in people]

    validation.work_all(raters, threads=40)

    assert set(map(tuple, validation.places().values())) == {("done",) * 5}
    own = {each.participant_id: n for n, each in enumerate(raters[:4])}
    rows = store.read_now(
        lambda c: c.execute(
            select(sheet_rows.c.name, slot_rows.c.participant_id).join(
                slot_rows, slot_rows.c.sheet_id == sheet_rows.c.id
            )
        ).all()
    )
    assert max(Counter((row.name, row.participant_id) for row in rows).values()) == 1
    by_key = {sheet.name: sheet for sheet in validation.sheets()}
    for row in rows:
        if row.participant_id in own:
            writer = store.read_now(
                lambda c, key=row.name: load_dialogue(c, load_dialogue(c, key).group)
            ).dialogue.occupant(0)
            assert writer.occupant != raters[own[row.participant_id]].alias, by_key[row.name]
    assert len(store.read_now(lambda c: read_examples(c, desk.round))) == 24


def checks(validation: Validation) -> list[tuple[Any, ...]]:
    """The right answers of the hidden checks, in their order."""
    found = []
    for sheet in validation.sheets("gold"):
        assert sheet.truth is not None
        [right] = sheet.truth.answers
        found.append((right.question, right.any_of))
    return found


RECORDS = (
    {"uid": "g1", "context": CONTEXT, "hypothesis": "A signal failed.", "label": "entailed"},
    {"uid": "g2", "context": CONTEXT, "hypothesis": "Bla bla.", "label": "neutral"},
)


def write_records(folder: Path, *verdicts: str) -> None:
    lines = [
        {**record, "verdict": verdict}
        for record, verdict in zip(RECORDS, verdicts or ("correct", "flagged"), strict=True)
    ]
    (folder / "gold.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def test_records_of_the_task_are_hidden_checks_that_look_like_any_example(
    desk: RoundDesk, tmp_path: Path
) -> None:
    desk.session(desk.visit("ann"), FOOLED)
    write_records(tmp_path)
    validation = Validation(desk, folder=tmp_path, gold={"records": "gold.jsonl"})
    validation.take_in()
    validation.take_in()

    assert checks(validation) == [("truth", ("entailed",)), ("truth", ("flagged",))]
    real, gold = (
        shown(validation, validation.sheets(purpose)[0].name).dialogue
        for purpose in ("real", "gold")
    )
    one, other = example_of(real), example_of(gold)
    assert [(p.title, p.form, p.own) for p in one.passages] == [
        (p.title, p.form, p.own) for p in other.passages
    ]
    assert other.passages[1].text == "A signal failed."
    assert other.claims == ()


def test_where_verdicts_are_asked_a_record_says_which_is_right(
    desk: RoundDesk, tmp_path: Path
) -> None:
    write_records(tmp_path, "correct", "incorrect")
    gold = {"records": "gold.jsonl"}
    validation = Validation(desk, "example_verdict", folder=tmp_path, gold=gold)
    validation.take_in()
    assert [any_of for _, any_of in checks(validation)] == [("correct",), ("incorrect",)]

    # What is shown is the same: the right answer follows the file.
    write_records(tmp_path, "correct", "flagged")
    validation.take_in()
    assert [any_of for _, any_of in checks(validation)] == [("correct",), ("flagged",)]


def test_what_the_owner_has_judged_may_check_others(desk: RoundDesk) -> None:
    ann = desk.visit("ann")
    for n in range(3):
        desk.session(ann, FOOLED._replace(text=f"It was signal number {n} that failed."))
    validation = Validation(desk, gold={"verdicts": True})
    validation.take_in()
    assert checks(validation) == []

    olga = Actor(name="olga", via="desk")
    for example, verdict in zip(desk.examples(), ("correct", "incorrect"), strict=False):
        desk.store.write_now(
            lambda c, uid=example.uid, v=verdict: give_verdict(
                c, desk.round, uid, v, by=olga, now=desk.now
            )
        )
    validation.take_in()

    assert [any_of for _, any_of in checks(validation)] == [
        ("entailed",),
        ("neutral", "contradictory"),
    ]
    # One is a check or an ordinary sheet for a rater, never both; and nobody's own.
    real = {sheet.group for sheet in validation.sheets()}
    assert {sheet.group for sheet in validation.sheets("gold")} <= real
