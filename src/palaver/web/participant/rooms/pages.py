"""Live conversations as one seat sees them, one at a time or two side by side."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from palaver.core.protocols import Composer
from palaver.studies.run.work import Letter
from palaver.web.participant.rating.pages import Asked
from palaver.web.shell import Shell


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioCard:
    """What one seat is told: a title, Markdown `text`, and persona `lines` as plain text."""

    title: str = "Your role"
    text: str = ""
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineQuestion:
    """A question asked of each message of the partner while people chat.

    The page posts the fields of one message to `url` and gets JSON back: `{"saved": true}`, or
    `{"error": "…"}` with status 422. `answers` has what was said so far, by sequence number.
    """

    asked: Asked
    url: str
    dialogue: str
    required: bool = False
    answers: Mapping[int, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePart:
    """A game's own parts of a page: what this seat knows, and what everybody may.

    `element` and `style` name static files; a template that is "" leaves its place out.
    """

    knowledge: Any = None
    shared: Mapping[str, Any] = field(default_factory=dict)
    options: Any = None
    knowledge_template: str = ""
    moves_template: str = ""
    element: str = ""
    style: str = ""
    # What a phone calls the side that only this seat sees.
    side: str = "What you know"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomView:
    """One live conversation as one seat sees it.

    `letter` tells two conversations apart ("" when there is one). `next_url` is set once the
    conversation is over. `blind` hides drafts. `can_quit` offers "End early", `can_finish` a button
    that ends it when it is long enough.
    """

    socket: str
    seat: int
    exactly: int | None = None
    at_least: int | None = None
    max_characters: int = 2000
    blind: bool = False
    partner: str = "Your partner"
    letter: Letter = ""
    count: int = 0
    over: bool = False
    next_url: str | None = None
    can_quit: bool = True
    can_finish: bool = True
    composer: Composer = field(default_factory=Composer)
    game: GamePart | None = None
    # A question about each of the partner's messages; its field ends in the message's number.
    online: OnlineQuestion | None = None
    quit_note: str = "What you wrote is kept, and you go on to the next step."

    @property
    def key(self) -> str:
        """Names the room's parts within the page."""
        return f"room-{self.letter.lower() or 'only'}"

    @property
    def target(self) -> int | None:
        """How many messages the progress bar leads to."""
        return self.exactly or self.at_least


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPage:
    """One conversation; `label` reads like "Conversation A of two"; `instructions` is Markdown."""

    template: ClassVar[str] = "participant/rooms/chat.html"
    shell: Shell
    room: RoomView
    label: str = ""
    scenario: ScenarioCard | None = None
    instructions: str = ""

    @property
    def has_aside(self) -> bool:
        """Whether something stands beside the conversation for as long as it lasts."""
        return self.scenario is not None or self.has_tabs

    @property
    def has_tabs(self) -> bool:
        """Whether a phone shows the conversation and what the game tells this seat in turn."""
        return self.room.game is not None and self.room.game.knowledge_template != ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySidePage:
    """Two conversations at once, lettered A and B; `next_url` opens when both are over."""

    template: ClassVar[str] = "participant/rooms/side_by_side.html"
    shell: Shell
    rooms: tuple[RoomView, RoomView]
    next_url: str
    scenario: ScenarioCard | None = None
    instructions: str = ""

    @property
    def finished(self) -> bool:
        return all(room.over for room in self.rooms)
