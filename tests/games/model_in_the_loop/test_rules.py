"""What may be done in a session of writing, and what comes of it."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.errors import MoveError
from palaver.core.events import ERASE, Event, Move
from palaver.evaluation.tasks.builtin import builtin_task
from palaver.games.model_in_the_loop.form import form_of
from palaver.games.model_in_the_loop.moves import GAME_NAME, MODEL, WRITER
from palaver.games.model_in_the_loop.rules import LONGEST_WHY, ModelInTheLoop
from palaver.games.model_in_the_loop.writing import Writing, WritingBrief, fold_writing

CONTEXT = {"context": "The ferry left an hour late."}
SPAN = {"context": "The ferry left an hour late."}


class Session:
    """A session that is played without a room."""

    def __init__(self, task: str = "nli", *, talks: bool = False, **asked: Any) -> None:
        form = form_of(builtin_task(task), talks=talks)
        assignment = WritingBrief(
            round=1, context_id="c1", context=CONTEXT, form=form, **{"tries": 3, **asked}
        )
        scenario = assignment.scenario(game=GAME_NAME)
        seats = [
            Seat(index=WRITER, kind="person", occupant="p"),
            Seat(index=MODEL, kind="system", occupant="in_the_loop"),
        ]
        rules = ModelInTheLoop(scenarios=(scenario,))
        self.talk = Conversation(Dialogue(id="d1", scenario=scenario, seats=seats), rules)

    def does(self, seat: int, action: str, **data: Any) -> None:
        move = Move(action=action, data=data)
        self.talk.apply(self.talk.consider(seat, move, float(self.talk.dialogue.position)))

    def tries(self, text: str = "It was late.", label: str = "entailed") -> None:
        self.does(WRITER, "try", values={"hypothesis": text, "label": label})

    def answers(self, *, wrong: bool | None) -> None:
        self.does(MODEL, "answer", values={"label": "neutral"}, wrong=wrong)

    @property
    def writing(self) -> Writing:
        """As it is live; folding all events anew says the same."""
        live = self.talk.rules.folds.of(self.talk.dialogue)  # type: ignore[attr-defined]
        assert live == fold_writing(self.talk.dialogue)
        return live

    @property
    def end(self) -> dict[str, Any] | None:
        ending = self.talk.dialogue.ending
        return None if ending is None else ending.data


def refusal(session: Session, seat: int, action: str, **data: Any) -> str:
    with pytest.raises(MoveError) as refused:
        session.does(seat, action, **data)
    return refused.value.code


def test_a_try_that_fooled_the_model_is_kept_with_its_reason() -> None:
    session = Session()
    session.tries()
    assert session.talk.movers() == {MODEL}
    session.answers(wrong=True)
    session.does(WRITER, "keep", why="An hour late is late.", why_model="It looks for 'late'.")
    assert session.end == {"reason": "complete", "outcome": {"fooled": True}}
    assert (session.writing.kept, session.writing.why) == (1, "An hour late is late.")


def test_an_earlier_try_may_be_kept_but_none_that_did_not_fool() -> None:
    session = Session()
    session.tries("One.")
    session.answers(wrong=True)
    session.tries("Two.")
    session.answers(wrong=False)
    assert refusal(session, WRITER, "keep") == "not_fooled"
    assert refusal(session, WRITER, "keep", number=99) == "bad_keep"
    session.does(WRITER, "keep", number=1)
    assert session.writing.kept == 1


def test_no_answer_costs_no_try() -> None:
    session = Session()
    session.tries()
    session.does(MODEL, "unanswered", kind="timeout", text="")
    assert session.writing.tries_left == 3
    session.tries()
    session.answers(wrong=False)
    assert session.writing.tries_left == 2


def test_it_is_over_when_the_tries_are_used_up_and_nothing_is_left_to_keep() -> None:
    session = Session(tries=2)
    session.tries("One.")
    session.answers(wrong=False)
    assert session.end is None
    session.tries("Two.")
    session.answers(wrong=False)
    assert session.end == {"reason": "complete", "outcome": {"fooled": False}}


def test_what_fooled_the_model_with_the_last_try_can_still_be_kept() -> None:
    session = Session(tries=1)
    session.tries()
    session.answers(wrong=True)
    assert session.end is None
    assert refusal(session, WRITER, "try", values={"hypothesis": "b", "label": "neutral"}) == (
        "no_tries"
    )
    session.does(WRITER, "keep")
    assert session.end is not None


def test_a_text_can_be_given_back_only_before_it_is_tried() -> None:
    session = Session()
    assert refusal(session, WRITER, "stop") == "too_early"
    session.tries()
    session.answers(wrong=False)
    assert refusal(session, WRITER, "skip") == "too_late"
    session.does(WRITER, "stop")
    assert session.end == {"reason": "complete", "outcome": {"fooled": False}}
    other = Session()
    other.does(WRITER, "skip")
    assert other.end == {"reason": "skipped"}


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"hypothesis": "", "label": "neutral"}, "empty"),
        ({"hypothesis": " \n", "label": "neutral"}, "empty"),
        ({"hypothesis": 7, "label": "neutral"}, "empty"),
        ({"hypothesis": "x" * 2001, "label": "neutral"}, "too_long"),
        ({"hypothesis": "x", "label": "maybe"}, "bad_label"),
        ({"hypothesis": "x", "label": ["neutral"]}, "bad_label"),
        ({"hypothesis": "x"}, "bad_try"),
        ({"hypothesis": "x", "label": "neutral", "prob": 1}, "bad_try"),
        ("x", "bad_try"),
    ],
)
def test_a_try_is_filled_in_as_the_form_asks(values: Any, code: str) -> None:
    assert refusal(Session(), WRITER, "try", values=values) == code


def test_a_goal_is_kept_to_and_nothing_is_tried_twice() -> None:
    session = Session(goal={"label": "entailed"})
    values = {"hypothesis": "x", "label": "neutral"}
    assert refusal(session, WRITER, "try", values=values) == "bad_goal"
    session.tries()
    session.answers(wrong=False)
    values = {"hypothesis": "It was late.", "label": "entailed"}
    assert refusal(session, WRITER, "try", values=values) == "tried_already"


def test_a_span_stands_in_its_text() -> None:
    session = Session("qa")
    values = {"question": "When did it leave?", "answer": "at noon"}
    assert refusal(session, WRITER, "try", values=values) == "not_in_text"
    session.does(WRITER, "try", values={**values, "answer": "an hour late"})
    assert session.writing.last is not None


def test_where_people_judge_the_writer_says_what_would_have_been_right() -> None:
    session = Session("vqa")
    session.does(WRITER, "try", values={"question": "What is on the table?"})
    session.does(MODEL, "answer", values={"answer": "a dog"}, wrong=None)
    assert refusal(session, WRITER, "keep") == "not_fooled"
    assert refusal(session, WRITER, "try", values={"question": "And?"}) == "judge_first"
    assert refusal(session, WRITER, "judge", wrong=True) == "no_answer"
    assert refusal(session, WRITER, "judge", wrong="yes") == "bad_judge"
    session.does(WRITER, "judge", wrong=True, label="a cake")
    session.does(WRITER, "keep")
    [tried] = session.writing.tries
    assert (tried.wrong, tried.label) == (True, "a cake")


def test_in_talk_a_turn_of_the_system_is_marked() -> None:
    session = Session("nli", talks=True, tries=2)
    session.does(WRITER, "message", text="Who are you?")
    assert refusal(session, WRITER, "message", text="Hello?") == "out_of_turn"
    session.does(MODEL, "message", text="I am your uncle.")
    session.does(WRITER, "message", text="Really?")
    session.does(MODEL, "message", text="No.")
    assert refusal(session, WRITER, "message", text="And?") == "closed"
    assert refusal(session, WRITER, "keep", number=3, label="neutral") == "bad_keep"
    assert refusal(session, WRITER, "keep", label="neutral") == "bad_keep"
    assert refusal(session, WRITER, "keep", number=2, label="odd") == "bad_label"
    session.does(WRITER, "keep", number=2, label="contradictory", why="It said it was.")
    kept = session.writing.numbered(2)
    assert kept is not None
    assert (kept.wrong, kept.values["label"], len(kept.values["turns"])) == (
        True,
        "contradictory",
        4,
    )


def test_a_reason_is_a_text_of_some_length() -> None:
    session = Session()
    session.tries()
    session.answers(wrong=True)
    assert refusal(session, WRITER, "keep", why="x" * (LONGEST_WHY + 1)) == "too_long"
    assert refusal(session, WRITER, "keep", why=["x"]) == "bad_text"


def test_what_somebody_erased_says_nothing() -> None:
    session = Session()
    session.tries()
    session.answers(wrong=True)
    assert len(session.writing.answered) == 1
    dialogue = session.talk.dialogue
    dialogue.apply(
        Event(seq=dialogue.position + 1, seat=None, action=ERASE, data={"seat": WRITER}, time=9.0)
    )
    assert session.writing.answered == ()


MOVES = st.sampled_from(
    ["try", "right", "wrong", "unanswered", "judge", "keep", "stop", "skip", "message", "quit"]
)


@settings(max_examples=60, deadline=None)
@given(moves=st.lists(MOVES, max_size=25), seed=st.integers(0, 99))
def test_whatever_is_sent_no_try_is_counted_twice(moves: list[str], seed: int) -> None:
    session, rng = Session(), random.Random(seed)
    answered = 0
    for number, move in enumerate(moves):
        before = session.writing
        try:
            match move:
                case "try":
                    session.tries(f"Sentence {number}.", rng.choice(["entailed", "neutral"]))
                case "right" | "wrong":
                    session.answers(wrong=move == "wrong")
                    answered += 1
                case "unanswered":
                    session.does(MODEL, "unanswered", kind="timeout")
                case _:
                    session.does(WRITER, move, wrong=True, text="x")
        except MoveError:
            assert session.writing == before
        assert len(session.writing.answered) == answered <= 3
        assert session.writing.tries_left == 3 - answered
