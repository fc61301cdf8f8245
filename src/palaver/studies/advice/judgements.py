"""The judgements of a round: what raters said of advice, from the labels of its study.

Only answers that stand and count are read: real ones, of raters who are not excluded. A judgement is
one rater's comparison, with what they said beside it.
"""

from collections.abc import Iterable, Mapping
from typing import Any, cast, get_args

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.questions.comparative import FIRST, SIDES, degree_of, side_of
from palaver.core.situations import PEOPLE, AdviceJudgement, Helpfulness, Reason
from palaver.evaluation.boards import KIND_OF, Raters
from palaver.formats.advice.situations import read_situations
from palaver.storage.judging.answer_columns import AnswerRow
from palaver.storage.judging.evidence import read_evidence
from palaver.storage.judging.sheets import StoredSheet, sheets_of
from palaver.studies.advice.round import AdviceRound

# The questions beside the comparison, and the first step of what is asked of the worse advice.
WORSE, COMMENT, STILL = "advice_worse", "advice_comment", "still"

# Who says something about which two pieces of advice.
Said = tuple[str, str]


def read_judgements(
    connection: Connection, found: AdviceRound, study_id: int, raters: Raters = "all"
) -> list[AdviceJudgement]:
    """Every judgement that counts, in the order they were given."""
    question = found.study.board_question
    if question is None:
        return []
    asked = found.stage.ask
    beside = {
        name: _by_unit(connection, study_id, name, raters) if name in asked else {}
        for name in (WORSE, COMMENT)
    }
    sheets = sheets_of(connection, study_id, found.index, "real")
    situations = {key: sheet.group for sheet in sheets for key in _dialogues(sheet)}
    topics = topics_of(found)
    said = read_evidence(connection, study_id, kind=KIND_OF[raters], question=question)
    # Should two answers of one rater about one pair stand, the newer one is said.
    newest = {(each.unit, each.rater): each for each in said}
    return [
        judgement
        for place, each in newest.items()
        if (
            judgement := _judgement(
                each, beside[WORSE].get(place), beside[COMMENT].get(place), situations, topics
            )
        )
        is not None
    ]


def topics_of(found: AdviceRound) -> dict[str, str]:
    """The topic of each situation; nothing where the file of situations is not there any more."""
    file = found.stage.situations
    if not isinstance(file, str):
        return {}
    try:
        return {each.id: each.topic for each in read_situations(found.folder / file)}
    except (InputError, OSError):
        return {}


def models_on_sheets(sheets: Iterable[StoredSheet]) -> list[str]:
    """The models that a round judges, in the order of its sheets; the control is among them."""
    return list(dict.fromkeys(sheet.name.removeprefix(f"{sheet.group}/") for sheet in sheets))


def _by_unit(
    connection: Connection, study_id: int, question: str, raters: Raters
) -> dict[Said, AnswerRow]:
    kind = KIND_OF[raters]
    found = read_evidence(connection, study_id, kind=kind, question=question)
    return {(each.unit, each.rater): each for each in found}


def _dialogues(sheet: StoredSheet) -> Iterable[str]:
    return (key for part in sheet.content.parts for key in part.dialogues)


def _judgement(
    said: AnswerRow,
    worse: AnswerRow | None,
    comment: AnswerRow | None,
    situations: Mapping[str, str],
    topics: Mapping[str, str],
) -> AdviceJudgement | None:
    """What one rater said of one pair; None where it is no comparison with people's advice."""
    side = side_of(said.rating.value)
    if said.systems is None or said.dialogues is None or side not in SIDES:
        return None
    models = [n for n, system in enumerate(said.systems) if system != PEOPLE]
    situation = situations.get(said.dialogues[models[0]]) if len(models) == 1 else None
    if situation is None:
        return None
    still, reason = _why(None if worse is None else worse.rating.value)
    return AdviceJudgement(
        situation=situation,
        model=said.systems[models[0]],
        rater=said.rater,
        prefers_model=models[0] == (0 if side == FIRST else 1),
        degree=degree_of(said.rating.value),
        worse=still,
        reason=reason,
        topic=topics.get(situation, ""),
        rater_kind=said.rater_kind,
        seconds=said.seconds,
        comment="" if comment is None else str(comment.rating.value),
    )


def _why(value: Any) -> tuple[Helpfulness | None, Reason | None]:
    """How helpful the worse advice still is, and why it is worse, of the steps that were answered."""
    if not isinstance(value, Mapping):
        return None, None
    chosen = {step: named[0] if isinstance(named, list) else named for step, named in value.items()}
    still = chosen.pop(STILL, None)
    if still not in get_args(Helpfulness):
        return None, None
    reason = next((each for each in chosen.values() if each in get_args(Reason)), None)
    return cast(Helpfulness, still), cast(Reason | None, reason)
