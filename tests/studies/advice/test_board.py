"""The board of a round: from the labels of its study to a sentence that claims no more than it can."""

from pathlib import Path

import msgspec
import pytest

from palaver.core.errors import MissingError
from palaver.core.serial import encode, plain
from palaver.core.situations import CONTROL, AdviceJudgement, AdvisingModel
from palaver.storage import Store
from palaver.storage.judging.evidence import read_evidence
from palaver.storage.judging.exclusions import exclude
from palaver.studies.advice.board import RoundFacts, board_of, read_round_board
from palaver.studies.advice.judgements import read_judgements
from palaver.studies.advice.kept_board import (
    judges_advice,
    keep_board,
    read_board,
    read_kept_board,
)
from palaver.studies.advice.round import advice_round
from palaver.studies.file.reader import load_study
from support.advice import write_round
from support.judged_rounds import NOW, judged_round, open_round


def said(
    model: str, count: int, preferred: int, *, raters: int = 3, **given: object
) -> list[AdviceJudgement]:
    """Judgements of one model, in which so many situations are won by all raters."""
    return [
        AdviceJudgement(
            situation=f"s{n}",
            model=model,
            rater=f"r{n}-{rater}",
            prefers_model=n < preferred,
            **given,
        )
        for n in range(count)
        for rater in range(raters)
    ]


def answer(*judgements: AdviceJudgement, **titles: str) -> str:
    models = {name: AdvisingModel(name=name, title=title) for name, title in titles.items()}
    return board_of(judgements, RoundFacts(title="Round", models=models)).answer


def test_labels_become_judgements_and_a_board(store: Store, tmp_path: Path) -> None:
    judged = judged_round(store, tmp_path)
    found = store.read_now(
        lambda c: read_judgements(c, advice_round(judged.study), judged.study_id)
    )
    assert len(found) == 27
    assert {each.situation for each in found} == {"s00", "s01", "s02"}
    assert {each.topic for each in found} == {"Relationship", "Legal", "Life"}
    assert {each.rater_kind for each in found} == {"simulated"}
    assert all(each.prefers_model for each in found if each.model == "heron")
    assert not any(each.prefers_model for each in found if each.model == "snipe")
    assert {each.degree for each in found} == {1, 2}
    assert all(each.worse is not None and each.reason is not None for each in found)
    assert all(each.seconds for each in found)

    board = store.read_now(lambda c: read_round_board(c, judged.study, now=NOW))
    assert [(row.model.name, row.rate.value, row.rate.n) for row in board.rows] == [
        ("heron", 1.0, 3),
        ("snipe", 0.0, 3),
    ]
    assert board.rows[0].name == "Heron <b>"
    assert board.rows[0].size == "11 B"
    assert board.control is not None
    assert board.control.model.name == CONTROL
    assert (board.state, board.done, board.needed) == ("final", 27, 27)
    assert board.asked[0].name == "advice_better"


def test_whose_judgements_count_can_be_chosen_and_excluded_raters_do_not(
    store: Store, tmp_path: Path
) -> None:
    judged = judged_round(store, tmp_path, 1)
    people = store.read_now(lambda c: read_round_board(c, judged.study, "people", now=NOW))
    assert (people.judgements, people.answer) == (0, "No judgements yet")
    assert [row.rate.value for row in people.lines] == [None, None, None]
    found = store.read_now(
        lambda c: read_judgements(c, advice_round(judged.study), judged.study_id)
    )
    first = found[0].rater
    number = store.read_now(
        lambda c: next(
            each.rating.rater_id
            for each in read_evidence(c, judged.study_id, question="advice_better")
            if each.rater == first
        )
    )
    store.write_now(
        lambda c: exclude(c, study_id=judged.study_id, rater_id=number, excluded=True, now=NOW)
    )
    board = store.read_now(lambda c: read_round_board(c, judged.study, now=NOW))
    assert board.judgements == len([each for each in found if each.rater != first])
    assert board.excluded == 1


def test_a_round_that_nobody_judged_lists_its_models(sqlite: Store, tmp_path: Path) -> None:
    opened = open_round(sqlite, tmp_path, 1)
    board = sqlite.read_now(lambda c: read_round_board(c, opened.study, now=NOW))
    assert (board.state, board.answer) == ("provisional", "No judgements yet")
    assert [row.model.name for row in board.lines] == ["heron", "snipe", CONTROL]
    assert board.judged == ()


def test_a_round_that_is_not_stored_has_no_board(sqlite: Store, tmp_path: Path) -> None:
    study = load_study(write_round(tmp_path, 1))
    assert judges_advice(study)
    with pytest.raises(MissingError, match="advice run"):
        sqlite.read_now(lambda c: read_round_board(c, study, now=NOW))


def test_a_kept_board_comes_back_and_says_when_it_is_old(sqlite: Store, tmp_path: Path) -> None:
    judged = judged_round(sqlite, tmp_path, 1)
    board = sqlite.read_now(lambda c: read_round_board(c, judged.study, now=NOW))
    assert read_board(encode(board)) == board
    assert msgspec.json.decode(encode(board)) == plain(board)
    before = sqlite.read_now(lambda c: read_kept_board(c, judged.study_id, judged.study, "all"))
    assert (before.board, before.is_current) == (None, False)
    sqlite.write_now(lambda c: keep_board(c, judged.study_id, before.mark, board))
    kept = sqlite.read_now(lambda c: read_kept_board(c, judged.study_id, judged.study, "all"))
    assert (kept.board, kept.is_current) == (board, True)
    sqlite.write_now(lambda c: keep_board(c, judged.study_id, "other", board))
    old = sqlite.read_now(lambda c: read_kept_board(c, judged.study_id, judged.study, "all"))
    assert (old.board, old.is_current) == (board, False)


def test_the_answer_claims_what_the_tests_say() -> None:
    assert answer() == "No judgements yet"
    assert answer(*said("tern", 60, 5)) == (
        "People’s best advice is preferred to tern’s; its rate is 8.3 %, and people stand at 50 %"
    )
    assert answer(*said("tern", 60, 55)).startswith("tern’s advice is preferred to people’s best")
    assert answer(*said("tern", 10, 5)).startswith("tern cannot be told apart from people")
    both = [*said("tern", 60, 20), *said("owl", 60, 2)]
    assert answer(*both, tern="Tern") == (
        "People’s best advice is preferred to every model’s; of the models Tern does best (33.3 %)"
    )
    level = [*said("tern", 60, 20), *said("owl", 60, 18)]
    assert answer(*level).endswith("no model can be told apart from the one with the highest rate")


def test_a_control_is_never_ranked_and_titles_are_told_apart() -> None:
    judgements = [*said(CONTROL, 20, 15), *said("a", 20, 4), *said("b", 20, 1)]
    models = {name: AdvisingModel(name=name, title="Tern") for name in ("a", "b")}
    board = board_of(judgements, RoundFacts(title="Round", models=models))
    assert [row.name for row in board.lines] == [
        "Tern (a)",
        "Tern (b)",
        "People, second-best advice",
    ]
    assert board.control is not None
    assert board.control.best is None
