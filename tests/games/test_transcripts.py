"""Moves in transcripts: as raters read them, as their own seat does, and in a report."""

import pytest

from palaver.annotation.screens import Asking, Screen
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.events import END, MESSAGE, Event
from palaver.core.questions.likert import Likert
from palaver.core.questions.question import Shown
from palaver.core.records import DialogueRecord
from palaver.core.scenario import Scenario
from palaver.core.units import turn_unit
from palaver.reports.report.transcripts import transcript_of
from palaver.web.participant.rating.pages import ShownTranscript
from palaver.web.participant.rating.screens import Names, conversations

pytestmark = pytest.mark.usefixtures("offered")

GUESSED = (
    (0, MESSAGE, {"text": "Hello"}, None),
    (0, "guess", {"number": 7}, (0,)),
    (1, "guess", {"number": 8}, (1,)),
    (None, END, {"reason": "complete"}, None),
)
FINISHED = (
    (0, MESSAGE, {"text": "Hello"}, None),
    (1, MESSAGE, {"text": "Goodbye"}, None),
    (1, "finish", {}, None),
    (None, END, {"reason": "complete"}, None),
)


def held(moves: tuple, game: str) -> Dialogue:
    seats = [
        Seat(index=0, kind="person", occupant="p0"),
        Seat(index=1, kind="system", occupant="tern"),
    ]
    dialogue = Dialogue(id="d", scenario=Scenario(game=game), seats=seats)
    for n, (seat, action, data, audience) in enumerate(moves, start=1):
        dialogue.apply(
            Event(seq=n, seat=seat, action=action, data=data, time=1.0, audience=audience)
        )
    return dialogue


def lines(
    dialogue: Dialogue, *askings: Asking, own: int | None = None
) -> list[tuple[str, str | None, int]]:
    """Side, text and number of questions of each line."""
    names = Names("Sam", "Alex", {} if own is None else {dialogue.id: own})
    screen = Screen(part=0, dialogues=(dialogue,), askings=askings)
    [transcript] = conversations(screen, names, {}, {}, {})
    assert isinstance(transcript, ShownTranscript)
    return [(line.side, line.text, len(line.asked)) for line in transcript.lines]


def test_raters_read_who_did_what() -> None:
    assert lines(held(GUESSED, "number_guess")) == [
        ("own", "Hello", 0),
        ("house", "Sam guesses 7", 0),
        ("house", "Alex guesses 8", 0),
    ]


def test_a_seat_reads_its_own_moves_alone() -> None:
    assert lines(held(GUESSED, "number_guess"), own=0) == [
        ("own", "Hello", 0),
        ("house", "You guessed 7.", 0),
    ]


def test_what_a_game_has_no_words_for_is_left_out() -> None:
    assert lines(held(FINISHED, "open_chat")) == [("own", "Hello", 0), ("partner", "Goodbye", 0)]
    assert lines(held(GUESSED, "not_installed_here")) == [("own", "Hello", 0)]


def test_a_question_about_a_turn_stands_at_its_last_words() -> None:
    dialogue = held(FINISHED, "open_chat")
    question = Likert(name="clear", text="How clear was this?", speaker="system")
    *_, turn = dialogue.turns()
    asking = Asking(question, turn_unit("d", 2, 3), Shown(role="system", seat=1), turn=turn)
    assert lines(dialogue, asking)[-1] == ("partner", "Goodbye", 1)


def test_a_report_has_moves_in_words() -> None:
    dialogue = held(GUESSED, "number_guess")
    record = DialogueRecord(
        id="d",
        study="s",
        scenario=dialogue.scenario,
        seats=dialogue.seats,
        events=dialogue.events,
    )
    assert [(said.speaker, said.text) for said in transcript_of(record).messages] == [
        ("Person 1", "Hello"),
        ("Person 1", "guesses 7"),
        ("tern", "guesses 8"),
    ]
