"""What is kept of a study's measures: equal to what is measured anew, and never said to be newer."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from sqlalchemy import func, select

from palaver.core.serial import plain
from palaver.storage import Store
from palaver.storage.judging.exclusions import exclude
from palaver.storage.judging.summaries import KeptSummary
from palaver.storage.people.erasure import erase_assignment
from palaver.storage.people.rater_work import find_rater
from palaver.storage.schema import summaries
from palaver.storage.studies.studies import register_study
from palaver.studies.review import measures as module
from palaver.studies.review.measures import KeptMeasure, StudyMeasures, keep_measures
from support.reviewing import QUESTIONS, STUDY, Judging
from support.seeding import NOW


@pytest.fixture
def judging(store: Store, monkeypatch: pytest.MonkeyPatch) -> Judging:
    """A study of which everything is kept."""
    monkeypatch.setattr(module, "FEW", 0)
    study_id = store.write_now(
        lambda c: register_study(
            c, name="judged", title="Judged", digest="d", definition=STUDY, now=NOW
        )
    )
    return Judging(store, study_id)


def measures(judging: Judging, digest: str = "d") -> StudyMeasures:
    return StudyMeasures(
        study_id=judging.study_id,
        study="judged",
        digest=digest,
        questions=QUESTIONS,
        asked=("quality", "polite", "faults", "traits", "preference"),
        own=(),
        raters="all",
    )


def keep(judging: Judging, *, time: float = NOW) -> None:
    """Measure everything and keep it, as the process beside a server does."""
    asked = measures(judging)
    store = judging.store
    mark = store.read_now(asked.mark)
    found = store.read_now(asked.measure_all)
    kept = {name: KeptSummary(mark, content, time) for name, content in found.items()}
    store.write_now(lambda c: keep_measures(c, judging.study_id, kept))


def read(judging: Judging, digest: str = "d") -> dict[str, KeptMeasure[Any]]:
    asked = measures(judging, digest)

    def work(connection: Any) -> dict[str, KeptMeasure[Any]]:
        return {
            "raters": asked.read_raters(connection),
            "questions": asked.read_questions(connection),
            "polite": asked.read_map(connection, "polite"),
            "preference": asked.read_map(connection, "preference"),
        }

    return judging.store.read_now(work)


def anew(judging: Judging) -> dict[str, Any]:
    asked = measures(judging)

    def work(connection: Any) -> dict[str, Any]:
        return {
            "raters": asked.measure_raters(connection),
            "questions": asked.measure_questions(connection),
            "polite": asked.measure_map(connection, "polite"),
            "preference": asked.measure_map(connection, "preference"),
        }

    return judging.store.read_now(work)


def told(found: dict[str, Any]) -> Any:
    """What a reader is told; how a facet codes an answer is nobody's to see."""
    return {name: plain(value) for name, value in found.items()}


def leave_out(judging: Judging, rater: str, *, excluded: bool = True) -> None:
    known = judging.store.read_now(lambda c: find_rater(c, rater))
    if known is not None:
        judging.store.write_now(
            lambda c: exclude(
                c, study_id=judging.study_id, rater_id=known.id, excluded=excluded, now=NOW
            )
        )


def answer(judging: Judging, dice: Random, dialogues: list[str], rater: str) -> None:
    """Somebody says something; what they said of it before is replaced."""
    key = dice.choice(dialogues)
    match dice.randrange(5):
        case 0:
            judging.say("quality", key, rater, dice.randint(1, 5), seconds=dice.uniform(1, 9))
        case 1:
            judging.say("polite", key, rater, dice.choice(["yes", "no"]), seq=3)
        case 2:
            judging.say(
                "faults", key, rater, dice.sample(["dull", "wrong"], dice.randint(0, 2)), seq=3
            )
        case 3:
            aspects = {"kind": dice.randint(1, 5), "clever": dice.randint(1, 5)}
            judging.say("traits", key, rater, aspects)
        case _:
            one, other = dice.sample(dialogues, 2)
            judging.prefer(dice.choice([one, other, None]), one, other, rater)


@pytest.mark.parametrize(
    "seed", [0, 1, pytest.param(2, marks=pytest.mark.long), pytest.param(3, marks=pytest.mark.long)]
)
def test_what_is_kept_is_what_is_measured_whatever_happens(judging: Judging, seed: int) -> None:
    dice = Random(seed)
    dialogues = [judging.dialogue(system=name) for name in ("terse", "chatty") * 2]
    raters = ["sim:ann", "sim:bob", "sim:cem"]
    for rater in raters:
        judging.say("quality", dialogues[0], rater, 3)
        judging.say("polite", dialogues[0], rater, "yes", seq=3)
        judging.prefer(dialogues[0], dialogues[0], dialogues[1], rater)
    visitors = [judging.sheet(f"person {n}", dialogues[n]) for n in range(2)]
    for held in visitors:
        held.say("quality", dialogues[1], dice.randint(1, 5))
    for _ in range(6):
        for _ in range(dice.randint(1, 6)):
            answer(judging, dice, dialogues, dice.choice(raters))
        if dice.random() < 0.4:
            leave_out(judging, dice.choice(raters), excluded=dice.random() < 0.6)
        if visitors and dice.random() < 0.3:
            gone = visitors.pop().assignment_id
            judging.store.write_now(lambda c, gone=gone: erase_assignment(c, gone, now=NOW))

        before = read(judging)
        assert not any(found.is_current for found in before.values())
        keep(judging)
        after = read(judging)

        assert all(found.is_current for found in after.values())
        assert told({name: found.value for name, found in after.items()}) == told(anew(judging))
        times = [(each.seconds_per_label, each.flags) for each in after["raters"].value.raters]
        fresh = anew(judging)["raters"].raters
        assert times == [(each.seconds_per_label, each.flags) for each in fresh]
        assert after["polite"].value.units == anew(judging)["polite"].units


def test_judges_beside_people_are_kept_as_they_are_measured(judging: Judging) -> None:
    keys = [judging.dialogue() for _ in range(4)]
    for who, answers in {"gpt": "1101", "Ann": "1001", "Bo": "1100"}.items():
        kind = "model" if who == "gpt" else "person"
        for key, answer in zip(keys, answers, strict=True):
            judging.say("polite", key, who, "yes" if answer == "1" else "no", seq=3, kind=kind)

    keep(judging)
    kept = read(judging)["polite"].value

    (judged,) = kept.judges
    assert judged.found.scores["f1_pos"].value == pytest.approx(4 / 5)
    assert judged.found.scores["f1_pos"].interval is not None
    assert kept.judges == anew(judging)["polite"].judges


def test_what_is_kept_says_of_when_it_is(judging: Judging) -> None:
    key = judging.dialogue()
    judging.say("quality", key, "sim:ann", 3)
    assert read(judging)["raters"] == KeptMeasure(None)
    keep(judging, time=NOW)
    judging.say("quality", key, "sim:bob", 4)
    judging.say("quality", key, "sim:ann", 4)

    found = read(judging)["questions"]

    assert (found.time, found.since, found.is_current) == (NOW, 2, False)
    assert found.value.questions[0].labels == 1


def test_who_is_left_out_is_told_at_once(judging: Judging) -> None:
    key = judging.dialogue()
    judging.say("quality", key, "sim:ann", 3)
    keep(judging)
    leave_out(judging, "sim:ann")

    found = read(judging)

    assert (found["raters"].time, found["raters"].since) == (NOW, 0)
    assert [each.excluded for each in found["raters"].value.raters] == [True]
    assert found["questions"].value.excluded == 1


def test_another_wording_of_the_file_is_measured_anew(judging: Judging) -> None:
    judging.say("quality", judging.dialogue(), "sim:ann", 3)
    keep(judging)

    assert read(judging)["questions"].is_current
    assert read(judging, digest="other")["questions"] == KeptMeasure(None)


def test_nothing_made_of_their_answers_stays_after_somebody_withdrew(judging: Judging) -> None:
    held = judging.sheet("person", judging.dialogue())
    held.say("quality", judging.dialogue(), 3)
    keep(judging)
    judging.store.write_now(lambda c: erase_assignment(c, held.assignment_id, now=NOW))

    left = judging.store.read_now(lambda c: c.scalar(select(func.count()).select_from(summaries)))

    assert left == 0


def test_what_another_version_wrote_is_measured_anew(judging: Judging) -> None:
    judging.say("quality", judging.dialogue(), "sim:ann", 3)
    keep(judging)
    asked = measures(judging)
    mark = judging.store.read_now(asked.mark)
    odd = KeptSummary(mark, module._written({"raters": "of old"}), NOW)
    judging.store.write_now(lambda c: keep_measures(c, judging.study_id, {"raters:all": odd}))

    assert read(judging)["raters"] == KeptMeasure(None)


def test_a_study_with_few_labels_is_measured_whenever_somebody_looks(
    judging: Judging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW", 2)
    key = judging.dialogue()
    judging.say("quality", key, "sim:ann", 3)
    judging.say("quality", key, "sim:bob", 3)
    assert read(judging)["raters"].is_current
    judging.say("quality", key, "sim:cem", 3)
    assert read(judging)["raters"] == KeptMeasure(None)


def test_where_all_raters_are_of_one_kind_its_measures_are_those_of_all(judging: Judging) -> None:
    key = judging.dialogue(system="terse")
    judging.say("quality", key, "sim:ann", 2)
    judging.say("quality", key, "sim:bob", 4)
    everybody = measures(judging)
    simulated = replace(everybody, raters="simulated")
    found, alone = (judging.store.read_now(each.measure_all) for each in (everybody, simulated))
    assert {name: text for name, text in found.items() if ":simulated" in name} == alone
    judging.say("quality", key, "gpt", 3, kind="model")
    assert not any(":simulated" in name for name in judging.store.read_now(everybody.measure_all))
