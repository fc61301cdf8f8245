"""Judgements of examples that came with them in a file: labels about the event that each was sent with.

Nobody is known by name who gave them, so their raters are anonymous.
"""

from collections import defaultdict
from typing import Any

from sqlalchemy import Connection, select

from palaver.storage.evaluation.example_votes import SheetAnswers
from palaver.storage.judging.ratings import read_value
from palaver.storage.schema import dialogues, labels, raters, units

# The questions of a study that holds imported rounds. In the second a validator gives the right answer
# of their own.
VERDICT, OWN_ANSWER, REASON = "verdict", "example_answer", "reason"


def read_imported_answers(connection: Connection, study_id: int) -> dict[str, list[SheetAnswers]]:
    """What was said of a study's examples where they come from, by uid, in the order of their file."""
    rows = connection.execute(
        select(dialogues.c.key, units.c.first_seq, raters.c.key, labels.c.question, labels.c.value)
        .join(units, units.c.id == labels.c.unit_id)
        .join(dialogues, dialogues.c.id == units.c.dialogue_id)
        .join(raters, raters.c.id == labels.c.rater_id)
        .where(
            labels.c.study_id == study_id,
            units.c.kind == "event",
            raters.c.kind == "anonymous",
            labels.c.question.in_((VERDICT, OWN_ANSWER, REASON)),
            labels.c.value.is_not(None),
        )
        .order_by(labels.c.id)
    )
    said: dict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
    for dialogue, seq, rater, question, value in rows:
        said[f"{dialogue}-{seq}", rater][question] = read_value(value)
    found: dict[str, list[SheetAnswers]] = defaultdict(list)
    for (uid, rater), values in said.items():
        found[uid].append(SheetAnswers("", rater, VERDICT, values))
    return dict(found)
