"""Dialogues as files hold them: who said what, and what is known of it.

Readers of `formats` give these; `studies` checks them against its questions and takes them into the
store. Nothing here knows where a dialogue will be kept.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from palaver.core.dialogue import IMPORTED, Dialogue, Seat
from palaver.core.events import END, MESSAGE, Event
from palaver.core.scenario import Scenario
from palaver.formats.json_places import Steps

USER, SYSTEM = 0, 1
USER_NAMES = frozenset({"user", "customer"})
SYSTEM_NAMES = frozenset({"system", "assistant", "bot", "helpdesk"})

# Where a scenario says what its seats are called.
ROLES = "roles"

# How the ChatEvaluationPlatform writes that one of several answers is right; ours become the same.
DISJUNCTION, OPTIONS = "_disjunction", "options"


class TurnText(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One turn. `answers` is the ground truth as the file has it, `why` its explanation."""

    speaker: str
    text: str
    answers: Any = None
    why: str | None = None

    @property
    def seat(self) -> int:
        """Seat 0 for the user, seat 1 for anybody else."""
        return USER if self.speaker.lower() in USER_NAMES else SYSTEM


class DialogueText(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A dialogue under its name in the file; `steps` lead to its turns in its document."""

    id: str
    turns: tuple[TurnText, ...]
    system: str = ""
    persona: tuple[str, ...] = ()
    # What the user and the system are called where that matters, such as buyer and seller.
    roles: tuple[str, ...] = ()
    # What a file noted of some messages, by their place in `turns`; it stays in their data.
    notes: dict[int, dict[str, Any]] = {}
    steps: Steps = ()

    def data(self, n: int) -> dict[str, Any]:
        """What the event of a message says."""
        return {"text": self.turns[n].text, **self.notes.get(n, {})}

    def events(self, now: float) -> Iterator[Event]:
        """Its messages, numbered from 1, and the end."""
        for n, turn in enumerate(self.turns):
            yield Event(seq=n + 1, seat=turn.seat, action=MESSAGE, data=self.data(n), time=now)
        end = {"reason": IMPORTED}
        yield Event(seq=len(self.turns) + 1, seat=None, action=END, data=end, time=now)

    def scenario(self) -> Scenario:
        """What the system was told."""
        personas = ((), self.persona) if self.persona else ()
        extra = {ROLES: list(self.roles)} if self.roles else {}
        return Scenario(id=IMPORTED, personas=personas, extra=extra)

    def dialogue(self, key: str) -> Dialogue:
        """The same, folded, under the name that the store gives it."""
        folded = Dialogue(
            id=key,
            scenario=self.scenario(),
            seats=[
                Seat(index=USER, kind="person", occupant="user"),
                Seat(index=SYSTEM, kind="system", occupant=self.system or "system"),
            ],
        )
        folded.extend(self.events(0.0))
        return folded


class PartRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One dialogue or two to compare. `ask` is None where the file leaves that to the stage.

    `answers` holds, by question, the ground truth about the dialogue or the pair as a whole; where
    it is `partial`, other questions have none and are not graded. `steps` and `ask_steps` lead to
    the part and to what it asks.
    """

    dialogues: tuple[DialogueText, ...]
    ask: tuple[str, ...] | None = None
    answers: dict[str, Any] = {}
    partial: bool = False
    steps: Steps = ()
    ask_steps: Steps = ()

    @property
    def is_pair(self) -> bool:
        return len(self.dialogues) == 2


class SheetRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What one line gives a rater at once.

    `people` took part in it and must not judge it; `raters` is how many it needs, where it says so.
    What is `shared` is handed to everybody before anything else. A `notice` says what it is about
    before it is shown, where that may distress.
    """

    id: str
    group: str
    people: tuple[str, ...] = ()
    raters: int | None = None
    shared: bool = False
    notice: str = ""
    parts: tuple[PartRecord, ...]


def any_of(options: list[Any]) -> dict[str, Any]:
    """Several right answers, as `TurnText.answers` holds them."""
    return {DISJUNCTION: True, OPTIONS: options}


def alternatives(answers: Any) -> tuple[Any, ...]:
    """Every answer that counts as right."""
    if isinstance(answers, dict) and answers.get(DISJUNCTION):
        options = answers.get(OPTIONS)
        return tuple(options) if isinstance(options, list) else ()
    return (answers,)
