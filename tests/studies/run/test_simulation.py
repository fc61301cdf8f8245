"""The simulated crowd: real conversations, votes of known strength, one door for answers."""

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import func, select

from palaver.evaluation.boards import VoteBoard
from palaver.storage import Store
from palaver.storage.judging.evidence import count_preferences
from palaver.storage.schema import dialogues, events, raters
from palaver.storage.studies.quotas import progress
from palaver.studies.file.reader import load_study
from palaver.studies.file.starter import SHIPPED, write_demonstration
from palaver.studies.review.boards import read_study_board, true_win_rates
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.simulation import SimulatedCrowd, read_repertoire

STUDY = """
title: A small crowd
name: small
systems:
  good: {kind: scripted, lines: ["How nice to hear.", "Tell me more."]}
  poor: {kind: scripted, lines: ["No.", "Maybe."]}
questions:
  preference: {kind: comparative, text: "Which was better?"}
stages:
  - chat:
      arrangement: paired
      turns: {exactly: 4}
      conditions: [{systems: [good, poor], needed: 12}]
      pace: {reading: 0, characters_per_second: 100000}
  - rate: {ask: [preference]}
board: {public: true, votes: 8}
simulated: {visitors: 8, strengths: {good: 1000, poor: 0.001}, ties: 0, per_second: 200}
"""


def run_crowd(store: Store, folder: Path, text: str = STUDY) -> VoteBoard:
    """Let the crowd of a study visit, and read the board."""
    folder.mkdir(exist_ok=True)
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    definition = load_study(folder)
    repertoire = read_repertoire(SHIPPED / "visitors.yaml")

    async def run() -> VoteBoard:
        deployment = Deployment(store, [definition])
        await deployment.start()
        try:
            study = deployment.studies["small"]
            await SimulatedCrowd(deployment, study, repertoire).run()
        finally:
            await deployment.stop()
        return await store.read(lambda c: read_study_board(c, definition, now=0.0))

    return asyncio.run(run())


def test_the_crowd_votes_as_its_strengths_say(store: Store, tmp_path: Path) -> None:
    board = run_crowd(store, tmp_path / "study")

    assert (board.state, board.votes) == ("final", 8)
    assert [(row.system, row.wins, row.losses) for row in board.systems] == [
        ("good", 8, 0),
        ("poor", 0, 8),
    ]
    assert board.systems[0].truth == pytest.approx(1.0, abs=1e-5)


def test_its_conversations_are_real_and_its_places_are_counted(
    store: Store, tmp_path: Path
) -> None:
    run_crowd(store, tmp_path / "study")

    with_end = select(func.count()).where(
        events.c.action == "end", events.c.data == '{"reason":"complete"}'
    )
    assert store.read_now(lambda c: c.execute(with_end).scalar_one()) == 16
    messages = select(func.count()).where(events.c.action == "message")
    assert store.read_now(lambda c: c.execute(messages).scalar_one()) == 16 * 4
    kinds = store.read_now(lambda c: set(c.execute(select(raters.c.kind)).scalars()))
    assert kinds == {"simulated"}
    (row,) = store.read_now(lambda c: progress(c, 1, 0, {"good|poor": 12}))
    assert (row.done, row.held) == (8, 0)


def test_a_second_run_adds_nobody(store: Store, tmp_path: Path) -> None:
    run_crowd(store, tmp_path / "study")
    before = store.read_now(lambda c: c.execute(select(func.count(dialogues.c.id))).scalar_one())

    board = run_crowd(store, tmp_path / "study")

    assert board.votes == 8
    after = store.read_now(lambda c: c.execute(select(func.count(dialogues.c.id))).scalar_one())
    assert after == before


def test_both_orders_of_the_systems_occur(store: Store, tmp_path: Path) -> None:
    # Each order is drawn from a key that nobody can guess: eight visitors can all draw the same.
    many = STUDY.replace("visitors: 8", "visitors: 32").replace("needed: 12", "needed: 40")
    run_crowd(store, tmp_path / "study", many)

    counted = store.read_now(lambda c: count_preferences(c, "small", "preference"))

    assert {p.first for p in counted} == {"good", "poor"}


MORE = (
    STUDY.replace("poor: {kind", "other: {kind: scripted, lines: [Well.]}\n  poor: {kind")
    .replace("needed: 12}]", "needed: 12}, {systems: [other, good], needed: 5}]")
    .replace("votes: 8", "votes: 13")
)


def test_a_system_of_unknown_strength_is_left_to_people(store: Store, tmp_path: Path) -> None:
    run_crowd(store, tmp_path / "study", MORE)
    study = load_study(tmp_path / "study")

    board = store.read_now(lambda c: read_study_board(c, study, now=0.0))
    assert (board.state, board.votes, board.needed) == ("provisional", 8, 13)
    assert board.unjudged == ("other",)
    assert {row.system: row.n for row in board.systems} == {"good": 8, "poor": 8, "other": 0}

    # The crowd has done all it was to do, and what it knows is true of its own votes.
    own = store.read_now(lambda c: read_study_board(c, study, "simulated", now=0.0))
    assert (own.state, own.votes, own.needed) == ("final", 8, 8)
    assert {row.system: row.truth is not None for row in own.systems} == {
        "good": True,
        "poor": True,
        "other": False,
    }


def test_beside_votes_of_people_only_what_they_cannot_move_is_true(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(MORE, encoding="utf-8")
    study = load_study(tmp_path)

    # 'good' also meets a system whose strength nobody knows.
    poor = pytest.approx(0.001 / 1000.001)
    assert true_win_rates(study) == {"poor": poor}
    assert true_win_rates(study, "simulated") == {"good": pytest.approx(1.0), "poor": poor}


def test_a_crowd_that_knows_no_pair_stays_away(store: Store, tmp_path: Path) -> None:
    unknown = STUDY.replace("strengths: {good: 1000, poor: 0.001}", "strengths: {good: 1}")

    board = run_crowd(store, tmp_path / "study", unknown)

    assert board.votes == 0
    assert store.read_now(lambda c: c.execute(select(func.count(dialogues.c.id))).scalar_one()) == 0


def test_a_crowd_goes_home_when_all_places_are_taken(store: Store, tmp_path: Path) -> None:
    few = STUDY.replace("needed: 12", "needed: 5")

    board = run_crowd(store, tmp_path / "study", few)

    assert board.votes == 5


def test_the_demonstration_is_in_order_and_takes_further_systems(tmp_path: Path) -> None:
    shipped = load_study(write_demonstration(tmp_path / "shipped", {}))
    assert (shipped.name, len(shipped.stages[0].conditions)) == ("demo", 3)  # type: ignore[union-attr]

    own = {"kind": "scripted", "lines": ["Hi."]}
    extended = load_study(write_demonstration(tmp_path / "extended", {"yours": own}))

    assert "yours" in extended.systems
    conditions = extended.chat.conditions if extended.chat else ()
    assert sorted(c.name for c in conditions if "yours" in c.systems) == [
        "yours|patterns",
        "yours|retrieval",
        "yours|terse",
    ]
    assert (shipped.board.votes, extended.board.votes) == (180, 480)


def test_the_demonstration_ships_enough_to_talk_about() -> None:
    exchanges = (SHIPPED / "exchanges.jsonl").read_text(encoding="utf-8").splitlines()
    patterns = (SHIPPED / "patterns.yaml").read_text(encoding="utf-8").count("- match:")

    assert len(exchanges) >= 400
    assert patterns >= 60
