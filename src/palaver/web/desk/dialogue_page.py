"""The page of one dialogue: its facts, who sat where, and what they were told."""

from palaver.collection.limits import started_at
from palaver.core.dialogue import Dialogue
from palaver.core.words import counted
from palaver.games.game import game_of
from palaver.studies.review.views import DialogueView
from palaver.web.desk.pages import Fact
from palaver.web.formatting import duration, reason_words, with_query


def heading(dialogue: Dialogue) -> str:
    """What a dialogue is, and its state."""
    state = reason_words(dialogue.reason) if dialogue.is_over else "running"
    size = counted(dialogue.message_count, "message")
    return f"{dialogue.condition or 'Dialogue'}: {size}, {state}"


def facts(view: DialogueView, *, root: str) -> tuple[Fact, ...]:
    """What is known of a dialogue beside what was said."""
    stored, dialogue, together = view.stored, view.stored.dialogue, len(view.group)
    listing = f"{root}/desk/dialogues"
    found = [
        Fact(name="Study", value=view.title, url=f"{root}/desk/studies/{stored.study}"),
        Fact(
            name="Condition",
            value=dialogue.condition or "–",
            url=with_query(listing, study=stored.study, condition=dialogue.condition),
        ),
        Fact(name="Stage", value=str(stored.stage + 1)),
        Fact(name="Scenario", value=dialogue.scenario.title or dialogue.scenario.id),
        Fact(name="Duration", value=_duration(dialogue)),
        Fact(name="Messages", value=f"{dialogue.message_count:,}"),
        Fact(
            name="Ended",
            value=reason_words(dialogue.reason) if dialogue.is_over else "not yet",
        ),
    ]
    found += [Fact(name="Check", value=words) for words in _findings(dialogue)]
    if together > 1:
        place = f"{stored.position + 1} of {together}"
        found.insert(3, Fact(name="Order", value=f"{place} seated together"))
    return tuple(found)


def _findings(dialogue: Dialogue) -> list[str]:
    """What the checks of the game found, each as one line."""
    found = game_of(dialogue.scenario).findings(dialogue)
    seats = ["" if finding.seat is None else f" (seat {finding.seat})" for finding in found]
    return [
        f"{finding.check}{seat}: {finding.words}"
        for finding, seat in zip(found, seats, strict=True)
    ]


def _duration(dialogue: Dialogue) -> str:
    start = started_at(dialogue) or (dialogue.events[0].time if dialogue.events else None)
    if start is None:
        return "–"
    last = dialogue.ending or dialogue.events[-1]
    return duration(last.time - start)
