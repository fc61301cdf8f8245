"""How far a visit is that writes against a model: texts, those in a row that fooled it, skips."""

from collections.abc import Sequence

import pytest

from palaver.core.dialogue import Dialogue, Seat
from palaver.core.events import END, RETRACT, Event
from palaver.core.studies.dialogues import REAL
from palaver.games.model_in_the_loop.moves import ANSWER, GAME_NAME, KEEP, SKIP, TRY
from palaver.games.model_in_the_loop.writing import WritingBrief
from palaver.storage.dialogues.dialogues import StoredDialogue
from palaver.studies.run.writing_visit import writing_visit
from palaver.studies.stages import WriteStage

STAGE = WriteStage.model_validate(
    {"task": "nli", "contexts": "c.jsonl", "per_visit": 3, "skips": 2}
)
TRIED = [(0, TRY, {"values": {}}), (1, ANSWER, {"values": {}, "wrong": True})]
FOOLED = [*TRIED, (0, KEEP, {}), (None, END, {"reason": "complete"})]
MISSED = [*TRIED, (None, END, {"reason": "complete"})]
SKIPPED = [(0, SKIP, {}), (None, END, {"reason": "skipped"})]
LOST = [*TRIED, (None, END, {"reason": "idle"})]
TAKEN_BACK = [*FOOLED, (0, RETRACT, {"seq": 1})]


def session(
    number: int, steps: Sequence[tuple[int | None, str, dict[str, object]]]
) -> StoredDialogue:
    scenario = WritingBrief(round=1, context_id=f"c{number}", context={}).scenario(game=GAME_NAME)
    seats = [
        Seat(index=0, kind="person", occupant="p"),
        Seat(index=1, kind="system", occupant="in_the_loop"),
    ]
    dialogue = Dialogue(id=f"d{number}", scenario=scenario, seats=seats)
    for n, (seat, action, data) in enumerate(steps, 1):
        dialogue.apply(Event(seq=n, seat=seat, action=action, data=dict(data), time=float(n)))
    return StoredDialogue(
        id=number,
        key=f"d{number}",
        source_id=None,
        source=None,
        purpose=REAL,
        study="loop",
        stage=0,
        group=f"g{number}",
        position=0,
        created=0.0,
        dialogue=dialogue,
        people={0: 1},
    )


@pytest.mark.parametrize(
    ("held", "number", "fooled", "streak", "skips_left"),
    [
        ([], 1, 0, 0, 2),
        ([TRIED], 1, 0, 0, 2),
        ([FOOLED, TRIED], 2, 1, 1, 2),
        ([MISSED, FOOLED, FOOLED], 3, 2, 2, 2),
        ([FOOLED, MISSED], 3, 1, 0, 2),
        ([FOOLED, SKIPPED, FOOLED], 3, 2, 2, 1),
        ([SKIPPED, SKIPPED, SKIPPED], 1, 0, 0, 0),
        ([FOOLED, LOST], 2, 1, 1, 2),
        ([FOOLED, TAKEN_BACK], 3, 1, 0, 2),
        ([FOOLED, FOOLED, FOOLED], 3, 3, 3, 2),
    ],
)
def test_a_visit_is_counted_from_its_sessions(
    held: list[list[tuple[int | None, str, dict[str, object]]]],
    number: int,
    fooled: int,
    streak: int,
    skips_left: int,
) -> None:
    found = writing_visit(STAGE, [session(n, steps) for n, steps in enumerate(held, 1)])
    assert (found.number, found.fooled, found.streak) == (number, fooled, streak)
    assert (found.texts, found.skips_left) == (3, skips_left)
