"""The page of one dialogue: its facts, who sat where, and what they were told."""

from palaver.collection.limits import started_at
from palaver.core.words import counted
from palaver.storage.dialogues import StoredDialogue
from palaver.web.desk.pages import Fact
from palaver.web.formatting import duration, reason_words, with_query


def heading(stored: StoredDialogue) -> str:
    """What a dialogue is, and its state."""
    dialogue = stored.dialogue
    state = reason_words(dialogue.reason) if dialogue.is_over else "running"
    size = counted(dialogue.message_count, "message")
    return f"{stored.dialogue.condition or 'Dialogue'}: {size}, {state}"


def facts(stored: StoredDialogue, *, together: int, title: str, root: str) -> tuple[Fact, ...]:
    """What is known of a dialogue beside what was said."""
    dialogue = stored.dialogue
    listing = f"{root}/desk/dialogues"
    found = [
        Fact(name="Study", value=title, url=f"{root}/desk/studies/{stored.study}"),
        Fact(
            name="Condition",
            value=dialogue.condition or "–",
            url=with_query(listing, study=stored.study, condition=dialogue.condition),
        ),
        Fact(name="Stage", value=str(stored.stage + 1)),
        Fact(name="Scenario", value=dialogue.scenario.title or dialogue.scenario.id),
        Fact(name="Duration", value=_duration(stored)),
        Fact(name="Messages", value=f"{dialogue.message_count:,}"),
        Fact(
            name="Ended",
            value=reason_words(dialogue.reason) if dialogue.is_over else "not yet",
        ),
    ]
    if together > 1:
        place = f"{stored.position + 1} of {together}"
        found.insert(3, Fact(name="Order", value=f"{place} seated together"))
    return tuple(found)


def _duration(stored: StoredDialogue) -> str:
    dialogue = stored.dialogue
    start = started_at(dialogue) or (dialogue.events[0].time if dialogue.events else None)
    if start is None:
        return "–"
    last = dialogue.ending or dialogue.events[-1]
    return duration(last.time - start)
