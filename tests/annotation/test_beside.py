"""Questions beside a comparison at the one door, and the seconds in use of an answer."""

import pytest
from sqlalchemy import update

from palaver.annotation.submission import submit_answers
from palaver.core.errors import AnswerError
from palaver.core.questions import Comparative
from palaver.core.questions.text import FreeText
from palaver.storage.audit.verification import verify
from palaver.storage.judging.evidence import count_preferences
from palaver.storage.judging.tidy import label_records
from palaver.storage.schema import labels as labels_of

pytestmark = pytest.mark.asyncio

BETTER = Comparative(name="better", text="Which was better?", degrees=("slightly", "definitely"))
WHY = FreeText(name="why", text="What is wrong with {worse}?", beside="better")
NOTE = FreeText(name="note", text="Anything else?", beside="better", required=False)


def standing(bench):
    found = bench.store.read_now(lambda connection: list(label_records(connection, "s")))
    return {label.question: label.value for label in found if not label.superseded}


async def test_an_answer_waits_for_the_comparison(bench):
    with pytest.raises(AnswerError, match="'why' stands beside 'better', which has no answer"):
        await submit_answers(bench.store, [bench.submission(question=WHY, answer="All of it.")])
    await submit_answers(
        bench.store,
        [
            bench.submission(question=WHY, answer="All of it."),
            bench.submission(question=BETTER, answer="2a"),
        ],
    )
    # What stands in the store counts as well.
    await submit_answers(bench.store, [bench.submission(question=NOTE, answer="No.")])
    assert standing(bench) == {"better": "first:2", "why": "All of it.", "note": "No."}


async def test_after_a_tie_nothing_is_worse(bench):
    await submit_answers(
        bench.store,
        [
            bench.submission(question=BETTER, answer="1b"),
            bench.submission(question=WHY, answer="All of it."),
        ],
    )
    tied = bench.submission(question=BETTER, answer="tie")
    with pytest.raises(AnswerError, match="'better' was answered with 'tie'"):
        await submit_answers(bench.store, [tied, bench.submission(question=WHY, answer="Hm.")])
    # What was said of the worse one is taken back, required or not; a note may stand.
    taken_back = bench.submission(question=WHY, answer=None, abstain=True)
    note = bench.submission(question=NOTE, answer="Both are fine.")
    await submit_answers(bench.store, [tied, taken_back, note])
    assert standing(bench) == {"better": "tie", "why": None, "note": "Both are fine."}
    with pytest.raises(AnswerError, match="must be answered"):
        await submit_answers(
            bench.store, [bench.submission(question=BETTER, answer="1a"), taken_back]
        )


async def test_graded_answers_are_votes_for_a_side(bench):
    await submit_answers(bench.store, [bench.submission(question=BETTER, answer="2a")])
    await submit_answers(
        bench.store,
        [
            bench.submission(
                question=BETTER,
                answer="1a",
                rater="judge",
                rater_kind="person",
                participant_id=None,
                assignment_id=None,
            )
        ],
    )
    [counted] = bench.store.read_now(lambda c: count_preferences(c, "s", "better"))
    assert (counted.value, counted.count) == ("first", 2)


@pytest.mark.parametrize(
    ("said", "seconds", "stored"),
    [(3.5, 4.5, 3.5), (60.0, 4.5, 4.5), (-1.0, 4.5, 0.0), (3.0, None, None), (None, 4.5, None)],
)
async def test_seconds_in_use_are_part_of_the_seconds(bench, said, seconds, stored):
    await submit_answers(
        bench.store, [bench.submission(question=BETTER, answer="1a", active=said, seconds=seconds)]
    )
    [label] = bench.store.read_now(lambda connection: list(label_records(connection, "s")))
    assert label.active == stored
    # The chain covers it: a value that is changed past Palaver is found.
    assert bench.store.read_now(lambda c: verify(c, None)).kinds["label"] == 1
    if stored:
        bench.store.write_now(lambda c: c.execute(update(labels_of).values(active=0.25)))
        assert not bench.store.read_now(lambda c: verify(c, None)).holds
