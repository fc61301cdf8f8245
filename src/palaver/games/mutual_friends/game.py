"""MutualFriends as a game: what Palaver is told of it."""

from collections.abc import Iterator
from pathlib import Path

from palaver.core.dialogue import Dialogue
from palaver.core.events import END, Event
from palaver.core.questions.likert import Likert
from palaver.core.questions.text import FreeText
from palaver.formats.cocoa.actions import SELECT
from palaver.formats.move_words import move_words
from palaver.games.game import Finding, Game
from palaver.games.mutual_friends.generator import MutualFriendsGenerator
from palaver.games.mutual_friends.options import NAME, MutualFriendsOptions
from palaver.games.mutual_friends.rules import ITEM
from palaver.games.mutual_friends.tables import called
from palaver.games.mutual_friends.tags import brief, read_tag, write_tag

# So many selections without a word in between look like clicking through the table.
CLICKS_IN_A_ROW = 3

SURVEY = (
    Likert(
        name="cooperative",
        text="How cooperative was your partner?",
        anchors={1: "not at all", 5: "very"},
    ),
    Likert(
        name="humanlike",
        text="How human-like was your partner?",
        anchors={1: "not at all", 5: "very"},
    ),
    FreeText(name="comments", text="Is there anything you would like to tell us?", required=False),
)


def tell(event: Event, viewer: int | None) -> str:
    """A selection and the end, to whoever reads of it."""
    data = event.data or {}
    if event.action == SELECT and isinstance(data.get(ITEM), dict):
        if viewer is None:
            return move_words(event, game=NAME)
        friend = called(data[ITEM])
        return (
            f"You selected {friend}."
            if viewer == event.seat
            else f"Your partner selected {friend}."
        )
    if event.action == END and (data.get("outcome") or {}).get("success"):
        return "You found your mutual friend." if viewer is not None else "They found the friend."
    return move_words(event, game=NAME) if viewer is None else ""


def find_silence(dialogue: Dialogue) -> Iterator[Finding]:
    """Seats that never wrote anything."""
    for seat in (0, 1):
        if not dialogue.message_counts.get(seat):
            yield Finding("never_spoke", "wrote no message", seat)


def find_clicking(dialogue: Dialogue) -> Iterator[Finding]:
    """Seats that selected one friend after another."""
    for seat in (0, 1):
        moves = [event for event in dialogue.events if event.is_turn and event.seat == seat]
        longest = run = 0
        for move in moves:
            run = run + 1 if move.action == SELECT else 0
            longest = max(longest, run)
        if longest >= CLICKS_IN_A_ROW:
            yield Finding("clicked_through", f"selected {longest} times without a word", seat)


_METRICS = "palaver.games.mutual_friends.metrics"

GAME = Game(
    name=NAME,
    folder=Path(__file__).parent,
    options_type=MutualFriendsOptions,
    knowledge="knowledge.html",
    moves="moves.html",
    element="mutual-friends.js",
    style="mutual-friends.css",
    tell=tell,
    survey=SURVEY,
    checks=(find_silence, find_clicking),
    metrics=tuple(
        f"{_METRICS}:{metric}"
        for metric in (
            "COMPLETION",
            "SUCCESS_PER_TURN",
            "SUCCESS_PER_SELECT",
            "CROSS_TALK",
            "SECONDS",
            "UTTERANCES",
            "LENGTH",
        )
    ),
    generator=MutualFriendsGenerator,
    bots={
        "rule": "palaver.games.mutual_friends.bots:RuleFinder",
        "random": "palaver.games.mutual_friends.bots:RandomFinder",
    },
    measure="palaver.games.mutual_friends.measure:measure",
    starter="mutual-friends",
    brief=brief,
    read_tag=read_tag,
    write_tag=write_tag,
)
