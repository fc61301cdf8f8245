"""Everything that Palaver is told of Deal or No Deal."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from palaver.core.dialogue import Dialogue
from palaver.core.events import END, Event
from palaver.core.questions.likert import Likert
from palaver.core.questions.text import FreeText
from palaver.core.words import counted
from palaver.formats.cocoa.actions import QUIT, SELECT
from palaver.formats.cocoa.scenarios import DEAL
from palaver.formats.move_words import move_words
from palaver.games.deal_or_no_deal.generator import DealGenerator
from palaver.games.deal_or_no_deal.options import DealOptions
from palaver.games.deal_or_no_deal.outcomes import METRICS
from palaver.games.deal_or_no_deal.rules import LEAST_MESSAGES, NO_DEAL
from palaver.games.deal_or_no_deal.tags import brief, read_tag, write_tag
from palaver.games.game import Finding, Game

HERE = "palaver.games.deal_or_no_deal"


def tell(event: Event, viewer: int | None) -> str:
    """A choice in words, and at the end what came of it for the viewer."""
    if event.action == END:
        return _told_end(event.data or {}, viewer)
    words = move_words(event, game=DEAL)
    no_deal = event.action == QUIT and (event.data or {}).get(NO_DEAL)
    if viewer is None:
        return "says that there is no deal" if no_deal else words
    if event.action == SELECT and viewer == event.seat:
        return f"You marked the deal: you take {words.removeprefix('takes ')}."
    if no_deal:
        return f"{'You' if viewer == event.seat else 'Your partner'} said that there is no deal."
    return ""


def _told_end(data: dict[str, Any], viewer: int | None) -> str:
    outcome = data.get("outcome")
    if viewer is None or not isinstance(outcome, dict) or "valid_deal" not in outcome:
        return ""
    if outcome["valid_deal"]:
        reward = outcome.get("reward")
        points = reward.get(str(viewer), 0) if isinstance(reward, dict) else 0
        return f"It is a deal. You earned {counted(points, 'point')}."
    if outcome.get("agreed"):
        return "What the two of you marked does not fit together. You earned no points."
    if data.get("reason") == QUIT:
        return ""
    return "There is no deal. You earned no points."


def find_mismatch(dialogue: Dialogue) -> Iterator[Finding]:
    """Deals that both marked and that do not fit together."""
    outcome = dialogue.outcome
    if outcome.get("agreed") and outcome.get("valid_deal") is False:
        yield Finding("mismatch", "marked a deal that does not fit the partner's")


def find_haste(dialogue: Dialogue) -> Iterator[Finding]:
    """Dialogues that came to nothing after a few messages."""
    if not dialogue.outcome.get("valid_deal") and dialogue.message_count < LEAST_MESSAGES:
        words = f"no valid deal after {counted(dialogue.message_count, 'message')}"
        yield Finding("few_messages", words)


GAME = Game(
    name=DEAL,
    folder=Path(__file__).parent,
    options_type=DealOptions,
    knowledge="knowledge.html",
    moves="moves.html",
    element="deal-share.js",
    style="deal.css",
    tell=tell,
    survey=(
        Likert(
            name="human_like",
            text="Did your partner behave like a person?",
            anchors={1: "not at all", 5: "very much"},
        ),
        FreeText(name="comments", text="Is there anything you want to tell us?", required=False),
    ),
    checks=(find_mismatch, find_haste),
    metrics=METRICS,
    generator=DealGenerator,
    bots={"rule": f"{HERE}.bots:RuleDealer", "random": f"{HERE}.bots:RandomDealer"},
    measure=f"{HERE}.measure:measure",
    starter="deal",
    brief=brief,
    read_tag=read_tag,
    write_tag=write_tag,
)
