"""Whether Prolific would take what is about to be sent, in sentences for whoever filled in the form.

A check is pure and says all that is wrong at once.
"""

import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from urllib.parse import urlsplit

from palaver.core.money import Money
from palaver.core.words import counted, listed
from palaver.crowds.prolific.bodies import DEVICES, StudyDraft
from palaver.crowds.prolific.records import (
    CODE_ACTIONS,
    CODE_TYPES,
    REJECTION_CATEGORIES,
    CodeAction,
    CompletionCode,
)

# Marks that a description may have, without attributes; others are not sure to be shown.
MARKS = frozenset({"p", "br", "b", "strong", "i", "em", "u", "ul", "ol", "li"})
MOST_MINUTES = 24 * 60 - 1
LEAST_REJECTION_WORDS = 100
# How many percent of a reward may be paid as a part of it.
LEAST_PART, MOST_PART = 8, 99
_CODE = re.compile(r"[A-Za-z0-9_-]{1,64}")


def problems_of(draft: StudyDraft) -> tuple[str, ...]:
    """All that Prolific would refuse, or that would cost somebody money, in sentences."""
    return tuple(_problems(draft))


def _problems(draft: StudyDraft) -> Iterator[str]:
    if not draft.title:
        yield "The study has no title. Say in a few words what people will do."
    if not draft.description:
        yield "The study has no description. Say what people will do, how long, and for what."
    if odd := sorted(_marks(draft.description) - MARKS):
        yield (
            f"The description has marks that Prolific does not show: {listed(odd, most=6)}. "
            f"Use {listed(sorted(MARKS), 'or')}, without attributes."
        )
    yield from _problems_of_address(draft.address)
    if draft.reward.minor < 1:
        yield f"The reward is {draft.reward}. It must be more than nothing."
    if draft.places < 1:
        yield f"There are {draft.places} places. There must be at least 1."
    if draft.minutes < 1:
        yield f"The study is said to take {counted(draft.minutes, 'minute')}. Say at least 1."
    yield from _problems_of_times(draft)
    if not draft.devices:
        yield f"No device is allowed. Choose at least one of {listed(DEVICES)}."
    if draft.filter_set and draft.filters:
        yield (
            "A study has filters of its own or a filter set, not both. Groups and studies that are "
            "left out are filters as well: put them into the set."
        )
    chosen = [each.filter_id for each in draft.filters]
    if twice := sorted({each for each in chosen if chosen.count(each) > 1}):
        yield f"A filter is chosen once, with all its values. Chosen twice: {listed(twice, most=6)}."
    yield from code_problems(draft.codes)
    yield from _problems_of_screen_outs(draft)


def _problems_of_screen_outs(draft: StudyDraft) -> Iterator[str]:
    paid = [
        (each.code, action.reward or 0)
        for each in draft.codes
        for action in each.actions
        if action.action == "FIXED_SCREEN_OUT_PAYMENT"
    ]
    if len(paid) > 1:
        yield (
            "Prolific takes one code that pays a screen-out by itself. There are "
            f"{len(paid)}: {listed([code for code, _ in paid], most=6)}."
        )
    for code, reward in paid:
        if reward >= draft.reward.minor:
            yield (
                f"Code '{code[:40]}' pays a screen-out of {Money(reward, draft.reward.currency)}. "
                f"It must be less than the reward of {draft.reward}."
            )


def _problems_of_address(address: str) -> Iterator[str]:
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_this_machine(address)):
        yield (
            f"The study's address is '{address[:80]}'. Prolific sends people to https:// alone: "
            "give the server a public address with a certificate."
        )
    elif not parts.hostname:
        yield f"The study's address '{address[:80]}' names no server."


def is_this_machine(address: str) -> bool:
    """Whether an address is of this machine, as a stand-in's is; http:// will do there."""
    return urlsplit(address).hostname in ("localhost", "127.0.0.1", "::1")


def _problems_of_times(draft: StudyDraft) -> Iterator[str]:
    most = draft.most_minutes
    if draft.minutes > MOST_MINUTES:
        yield f"The study takes {draft.minutes:,} minutes. Prolific allows less than 24 hours."
    if most is not None and not draft.minutes < most <= MOST_MINUTES:
        yield (
            f"People may take {most:,} minutes at most. That must be longer than the "
            f"{draft.minutes:,} it should take, and less than 24 hours."
        )


def code_problems(codes: Sequence[CompletionCode]) -> Iterator[str]:
    """What is wrong with completion codes, in sentences."""
    if not codes:
        yield "There is no completion code. Give one for each way in which the study can end."
    told = [each.code for each in codes]
    if twice := sorted({code for code in told if told.count(code) > 1}):
        yield f"Each code stands for one outcome. Used twice: {listed(twice, most=6)}."
    for each in codes:
        yield from _problems_of_code(each)


def _problems_of_code(code: CompletionCode) -> Iterator[str]:
    name = f"Code '{code.code[:40]}'"
    if not _CODE.fullmatch(code.code):
        yield f"{name} is not up to 64 letters, digits, '-' and '_'."
    if code.code_type not in CODE_TYPES:
        yield f"{name} is of type '{code.code_type}'. There are {listed(CODE_TYPES)}."
    if code.actor not in ("", "participant", "researcher"):
        yield f"{name} is for '{code.actor}'. It is for the participant or the researcher."
    actions = [each.action for each in code.actions]
    if odd := sorted({each for each in actions if each not in CODE_ACTIONS}):
        yield f"{name} has actions that Prolific does not know: {listed(odd, most=6)}."
    if {"AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW"} <= set(actions):
        yield f"{name} is both approved by itself and reviewed by hand. Choose one."
    if not actions:
        yield f"{name} does nothing. Say whether it is approved by itself or reviewed by hand."
    for each in code.actions:
        yield from _problems_of_action(name, each)


def _problems_of_action(name: str, action: CodeAction) -> Iterator[str]:
    if action.action.endswith("PARTICIPANT_GROUP") and not action.group:
        yield f"{name} adds to or removes from a group, and names none."
    if action.action == "REQUEST_RETURN" and not action.return_reason:
        yield f"{name} asks people to return their place, and gives no reason."
    if action.action == "FIXED_SCREEN_OUT_PAYMENT" and not (action.reward and action.slots):
        yield f"{name} pays for screening out: say how much, and for how many people at most."


class _Marks(HTMLParser):
    """Gathers the names of tags; one with attributes is told with its bracket."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(f"{tag} {attrs[0][0]}"[:40] if attrs else tag[:40])

    def handle_comment(self, data: str) -> None:
        self.found.add("a comment")

    def handle_decl(self, decl: str) -> None:
        self.found.add("a declaration")

    def unknown_decl(self, data: str) -> None:
        self.found.add("a declaration")

    def handle_pi(self, data: str) -> None:
        self.found.add("an instruction")


def _marks(description: str) -> set[str]:
    reader = _Marks()
    reader.feed(description)
    reader.close()
    return reader.found


def rejection_problems(message: str, category: str) -> tuple[str, ...]:
    """What is wrong with the words of a rejection, in sentences."""
    found = []
    length = len(message.strip())
    if length < LEAST_REJECTION_WORDS:
        found.append(
            f"The reason for the rejection has {counted(length, 'character')}; Prolific asks for "
            f"{LEAST_REJECTION_WORDS} or more. Say what was expected, and what was given instead."
        )
    if category not in REJECTION_CATEGORIES:
        found.append(
            f"'{category[:40]}' is not a category of rejections. There are "
            f"{listed(REJECTION_CATEGORIES)}."
        )
    return tuple(found)


def part_problems(percent: float | None) -> tuple[str, ...]:
    """What is wrong with a part of a reward, in sentences."""
    if percent is not None and LEAST_PART <= percent <= MOST_PART:
        return ()
    told = "nothing" if percent is None else f"{percent:g}"
    return (
        f"Prolific pays {LEAST_PART} to {MOST_PART} percent of a reward as a part; got {told}.",
    )
