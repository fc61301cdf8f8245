"""Closing a round: its results are computed once, written, kept, and do not change after that.

The files come first and the transaction comes last: a process that dies on the way leaves a round that
is open, with files that nothing points at. The pointer is the entry of the audit trail that says that
the round was closed: it is never edited, and names where the files lie and the digest of their list.
Labels that come later change nothing of it.
"""

import hashlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from sqlalchemy import Connection

from palaver.analysis.advice import PreferenceBoard, preference_board
from palaver.core.audit import Actor
from palaver.core.errors import InputError
from palaver.core.serial import encode
from palaver.core.situations import CONTROL, AdviceJudgement, Situation
from palaver.core.words import counted
from palaver.evaluation.home import EvaluationHome
from palaver.formats.advice.answers import read_answers
from palaver.storage.audit.entries import record
from palaver.storage.kept_folders import keep_folder
from palaver.storage.studies.studies import hold_study
from palaver.studies.advice.board import (
    SEED,
    RoundFacts,
    board_of_preferences,
    round_facts,
    stored_id,
)
from palaver.studies.advice.board_records import LEVEL, AdviceBoard
from palaver.studies.advice.judgements import read_judgements
from palaver.studies.advice.kept_rounds import (
    ACT,
    KEPT,
    RoundResults,
    closed_round,
    find_closed,
    round_results,
)
from palaver.studies.advice.round import AdviceRound, advice_round
from palaver.studies.file.definition import Study
from palaver.studies.review.headlines import results_mark

# How often results are computed anew because something arrived meanwhile.
ATTEMPTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalRound:
    """Everything that the results of a round are written of."""

    found: AdviceRound
    closed: float
    board: AdviceBoard
    preferences: PreferenceBoard
    judgements: Sequence[AdviceJudgement]
    situations: Sequence[Situation]
    answers: Mapping[str, Mapping[str, str]]


# Writes the page, the tables and the figures of a round into an empty folder.
RoundWriter = Callable[[FinalRound, Path], None]


def close_round(
    home: EvaluationHome,
    study: Study,
    *,
    writer: RoundWriter,
    by: Actor,
    now: float,
    early: bool = False,
) -> RoundResults:
    """Compute, write and keep the results of a round; of one that is closed, those that are kept.

    InputError while sheets wait for raters, unless `early`, and if answers do not stop arriving; then
    nothing has changed.
    """
    found = advice_round(study)
    for _ in range(ATTEMPTS):
        if find_closed(home, study.name) is not None:
            return round_results(home, study.name)
        read = home.store.read_now(partial(_read, found=found, early=early))
        final = _final(found, read, now=now)
        kept, place = _keep(home, final, writer)
        point = partial(_point, final=final, kept=kept, mark=read.mark, place=place, by=by, now=now)
        if home.store.write_now(point):
            return kept
    raise InputError(
        f"Answers to '{study.name}' kept arriving while its results were computed. The round is still "
        "open; close it when its raters are done."
    )


@dataclass(frozen=True, slots=True)
class _Read:
    """What the store says of a round at one moment, with the mark of that moment."""

    mark: str
    judgements: list[AdviceJudgement]
    facts: RoundFacts


def _read(connection: Connection, found: AdviceRound, *, early: bool) -> _Read:
    study = found.study
    study_id = stored_id(connection, study.name)
    mark = results_mark(connection, study_id, study.digest)
    judgements = read_judgements(connection, found, study_id)
    facts = round_facts(connection, found, study_id)
    _check_rated(facts, len(judgements), early=early)
    return _Read(mark, judgements, facts)


def _final(found: AdviceRound, read: _Read, *, now: float) -> FinalRound:
    preferences = preference_board(read.judgements, seed=SEED, level=LEVEL)
    judged = {each.situation for each in read.judgements}
    shown = [each for each in found.situations().situations if each.id in judged]
    answers = {model: read_answers(path) for model, path in found.answer_files().items()}
    answers[CONTROL] = {each.id: each.advice[1].body for each in shown if len(each.advice) > 1}
    models = {each.model for each in read.judgements}
    return FinalRound(
        found=found,
        closed=now,
        board=board_of_preferences(preferences, read.facts, now=now),
        preferences=preferences,
        judgements=read.judgements,
        # The best advice is the best that says something: it is the one that was shown.
        situations=[replace(each.situation, advice=tuple(each.advice)) for each in shown],
        answers={model: said for model, said in answers.items() if model in models},
    )


def _check_rated(facts: RoundFacts, judgements: int, *, early: bool) -> None:
    if not judgements:
        raise InputError(
            f"Nobody has judged anything of '{facts.study}' yet, so there is nothing to close."
        )
    waiting = 0 if facts.rated is None else facts.rated.needed - facts.rated.done
    if waiting > 0 and not early:
        raise InputError(
            f"{counted(waiting, 'judgement')} of '{facts.study}' wait for raters. Close the round when "
            "they are in, or end it early on purpose (--early)."
        )


def _keep(home: EvaluationHome, final: FinalRound, writer: RoundWriter) -> tuple[RoundResults, str]:
    """Write the files and put them into the object store; the results, and where they lie."""
    board = final.board
    with tempfile.TemporaryDirectory(prefix="palaver-round-") as made:
        writer(final, Path(made))
        # Two processes that close one round at one moment do not write over each other.
        place = f"rounds/{board.study}/results/{final.closed:.6f}-{Path(made).name[-8:]}"
        files = keep_folder(home.objects, place, Path(made))
    results = RoundResults(
        study=board.study,
        title=board.title,
        closed=final.closed,
        answer=board.answer,
        models=tuple(row.model.name for row in board.rows),
        situations=board.situations,
        judgements=board.judgements,
        people=board.people,
        files=files,
    )
    home.objects.put(f"{place}/{KEPT}", encode(results))
    return results, place


def _point(
    connection: Connection,
    *,
    final: FinalRound,
    kept: RoundResults,
    mark: str,
    place: str,
    by: Actor,
    now: float,
) -> bool:
    """Close the round if nothing has changed since its results were computed; whether it was closed."""
    study = final.found.study
    study_id = stored_id(connection, study.name)
    hold_study(connection, study_id)
    if closed_round(connection, study.name) is not None:
        return False
    if results_mark(connection, study_id, study.digest) != mark:
        return False
    detail = {
        "title": kept.title,
        "closed": kept.closed,
        "answer": kept.answer,
        "public": study.board.public,
        "models": len(kept.models),
        "place": place,
        "digest": hashlib.sha256(encode(kept)).hexdigest(),
    }
    record(connection, ACT, by=by, now=now, subject=study.name, study_id=study_id, detail=detail)
    return True
