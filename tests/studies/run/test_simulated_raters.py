"""Simulated raters of a rate stage: every sheet gets its raters, by the doors of people."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import Connection

from palaver.annotation.assignment import Handed, finish, hand_out
from palaver.core.errors import InputError
from palaver.core.questions.comparative import FIRST, side_of
from palaver.storage import Store
from palaver.storage.judging.evidence import read_evidence
from palaver.storage.judging.slot_counts import progress
from palaver.storage.people.participants import enter
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_study
from palaver.studies.intake.intake import take_in
from palaver.studies.intake.materials import load_material
from palaver.studies.run.plans import rate_plan
from palaver.studies.run.registered import register
from palaver.studies.run.simulated_raters import SimulatedRaters
from palaver.studies.run.tastes import Taste
from palaver.studies.run.work import rater_of
from palaver.studies.stages import RateStage
from support.advice import write_round

SIMULATED = {"visitors": 6, "strengths": {"people": 4, "heron": 4000, "snipe": 0.001}, "seed": 7}


def opened(store: Store, folder: Path) -> tuple[Study, int]:
    """The round of a folder, taken into the store."""
    study = load_study(folder)
    study_id = store.write_now(lambda c: register(c, study, now=1.0))
    asyncio.run(take_in(store, study_id, load_material(study), now=1.0))
    return study, study_id


def preferred(store: Store, study_id: int) -> Counter[tuple[str, ...]]:
    """How often which of two was preferred, the winner first."""
    said = store.read_now(lambda c: read_evidence(c, study_id, question="advice_better"))
    assert {each.rater_kind for each in said} <= {"simulated"}
    return Counter(
        each.systems if side_of(each.rating.value) == FIRST else each.systems[::-1]
        for each in said
        if each.systems is not None
    )


def test_every_sheet_gets_its_raters_and_none_of_them_a_situation_twice(
    store: Store, tmp_path: Path
) -> None:
    study, study_id = opened(store, write_round(tmp_path, 5, study={"simulated": SIMULATED}))
    judged = SimulatedRaters(store, study, study_id, 0).run()
    # Five situations with three pairs, by three raters each; nobody gets more than five sheets, so
    # the six that were planned are not enough.
    assert judged == 45
    rated = store.read_now(lambda c: progress(c, study_id, 0))
    assert (rated.needed, rated.done, rated.held, rated.free) == (45, 45, 0, 0)
    found = preferred(store, study_id)
    assert (found["heron", "people"], found["people", "snipe"]) == (15, 15)
    assert SimulatedRaters(store, study, study_id, 0).run() == 0


def test_raters_who_are_stopped_go_on_as_if_nothing_had_been(store: Store, tmp_path: Path) -> None:
    terms = {"visitors": 5, "strengths": {"people": 2, "heron": 1.5, "snipe": 1}}
    folder = write_round(tmp_path / "a", 4, study={"simulated": terms, "name": "stopped"})
    whole = write_round(tmp_path / "b", 4, study={"simulated": terms, "name": "whole"})

    class Stopped(Exception):
        pass

    def stop(judged: int) -> None:
        raise Stopped

    study, study_id = opened(store, folder)
    for _ in range(3):
        with pytest.raises(Stopped):
            SimulatedRaters(store, study, study_id, 0).run(stop)
    SimulatedRaters(store, study, study_id, 0).run()
    other, other_id = opened(store, whole)
    SimulatedRaters(store, other, other_id, 0).run()
    assert preferred(store, study_id) == preferred(store, other_id)
    assert preferred(store, study_id).total() == 36


def test_simulated_raters_keep_away_from_what_people_judge(store: Store, tmp_path: Path) -> None:
    study, study_id = opened(store, write_round(tmp_path, 2))
    stage = study.stages[0]
    assert isinstance(stage, RateStage)
    plan = rate_plan(study, study_id, 0, stage)

    def judge(connection: Connection) -> None:
        visit = enter(
            connection,
            study_id=study_id,
            crowd="link",
            person="Ada",
            assignment="1",
            first_step="stage:0",
            now=1.0,
        )
        rater = rater_of(visit)
        handed = hand_out(connection, plan, rater, now=1.0)
        assert isinstance(handed, Handed)
        finish(connection, plan, rater, handed.slot_id, now=2.0)

    store.write_now(judge)
    with pytest.raises(InputError, match="People have judged 1 sheet"):
        SimulatedRaters(store, study, study_id, 0).run()


def test_checks_are_passed_by_whoever_reads(store: Store, tmp_path: Path) -> None:
    gold = {"references": 2, "after": 1, "on_fail": "bar"}
    study, study_id = opened(store, write_round(tmp_path, 5, gold=gold))
    SimulatedRaters(store, study, study_id, 0).run()
    assert store.read_now(lambda c: progress(c, study_id, 0)).done == 27


@pytest.mark.parametrize("systems", [("people", "heron"), ("heron", "people")])
def test_a_verdict_does_not_depend_on_what_stands_first(systems: tuple[str, str]) -> None:
    winners = [
        systems["ab".index(Taste(1, rater).verdict("s00", systems).side)] for rater in range(40)
    ]
    turned = [
        systems[::-1]["ab".index(Taste(1, rater).verdict("s00", systems[::-1]).side)]
        for rater in range(40)
    ]
    assert winners == turned
    assert len(set(winners)) == 2
