"""What each page is given: one frozen dataclass per template.

A route fills one of these in and hands it to `Renderer.render`, which finds the template by the
class's `template`. Everything a template must know is here, computed; templates only loop and
choose. Fields named `text`, `instructions` or `message` hold Markdown where their comment says so.
Rater pages never carry a system's name: a conversation has a letter and nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

from palaver.core.questions.question import Question, Shown, spoken
from palaver.evaluation.boards import Board as BoardState

Direction = Literal["ltr", "rtl"]
Letter = Literal["", "A", "B"]
Side = Literal["own", "partner", "house"]
EndReason = Literal[
    "complete",
    "waited",
    "partner_left",
    "system_failed",
    "quit",
    "removed",
    "abandoned",
    "withdrawn",
    "declined",
    "not_passed",
    "not_eligible",
    "checked_out",
    "nothing_left",
    "enough",
    "full",
    "taken",
    "already_finished",
]
NOTHING_SHOWN = Shown()
END_REASONS: tuple[str, ...] = get_args(EndReason)
MessageKind = Literal["link", "missing", "busy", "store", "expired", "refused", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """What stands around every participant page; `title` is the study's."""

    title: str = "Palaver"
    lang: str = "en"
    dir: Direction = "ltr"
    step: int | None = None
    steps: int | None = None
    started_at: float | None = None
    now: float | None = None
    problem_url: str | None = None
    withdraw_url: str | None = None
    csrf: str = ""
    preview: bool = False
    # One sentence about what has just happened, such as "You passed the practice."
    notice: str = ""

    @property
    def elapsed(self) -> float | None:
        """Seconds since the participant started; None when either time is unknown."""
        if self.started_at is None or self.now is None:
            return None
        return max(0.0, self.now - self.started_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """The form posts `consent` = `agree` or `decline` to `action`; `text` is Markdown."""

    template: ClassVar[str] = "consent.html"
    shell: Shell
    action: str
    text: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Instructions:
    """What to do, how long it takes and what is paid; `text` is Markdown. Posts to `action`."""

    template: ClassVar[str] = "instructions.html"
    shell: Shell
    action: str
    text: str
    minutes: float | None = None
    pay: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The waiting room; `nobody` says what happens, and what is paid, when no partner comes."""

    template: ClassVar[str] = "waiting.html"
    shell: Shell
    socket: str
    check_url: str
    leave_url: str
    estimate: str
    nobody: str
    waited: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """Asks whether somebody really stops waiting. Posts to `action`."""

    template: ClassVar[str] = "leave.html"
    shell: Shell
    action: str
    back_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """A conversation was lost to a time limit: why, and a button to start another one."""

    template: ClassVar[str] = "again.html"
    shell: Shell
    action: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioCard:
    """What one seat is told: a title, Markdown `text`, and persona `lines` as plain text."""

    title: str = "Your role"
    text: str = ""
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Online:
    """A question asked of each message of the partner while people chat.

    The page posts the fields of one message to `url` and gets JSON back: `{"saved": true}`, or
    `{"error": "…"}` with status 422. `answers` has what was said so far, by sequence number.
    """

    asked: "Asked"
    url: str
    dialogue: str
    required: bool = False
    answers: Mapping[int, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """One live conversation as one seat sees it.

    `letter` tells two conversations apart ("" when there is one). `next_url` is set once the
    conversation is over. `blind` hides drafts. `can_quit` offers "End early".
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
    # A question about each of the partner's messages; its field ends in the message's number.
    online: "Online | None" = None
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
class Chat:
    """One conversation; `label` reads like "Conversation A of two"; `instructions` is Markdown."""

    template: ClassVar[str] = "chat.html"
    shell: Shell
    room: Room
    label: str = ""
    scenario: ScenarioCard | None = None
    instructions: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySide:
    """Two conversations at once, lettered A and B; `next_url` opens when both are over."""

    template: ClassVar[str] = "side_by_side.html"
    shell: Shell
    rooms: tuple[Room, Room]
    next_url: str
    scenario: ScenarioCard | None = None
    instructions: str = ""

    @property
    def finished(self) -> bool:
        """Whether both conversations are over."""
        return all(room.over for room in self.rooms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question on a page: its field, who is meant by its placeholders, and the answer so far.

    `answer` is a stored value or what was sent; `error` says what is wrong with it. `shown` tells
    which options are offered. Sub-fields of a question are named `<field>:<part>`.
    """

    question: Question
    field: str
    shown: Shown = NOTHING_SHOWN
    speaker: str = "your partner"
    partner: str = "you"
    answer: Any = None
    error: str = ""

    @property
    def template(self) -> str:
        """The template of its kind."""
        return f"questions/{self.question.kind}.html"

    def say(self, text: str) -> str:
        """A text of the question with the names of those it speaks of."""
        return spoken(text, speaker=self.speaker, partner=self.partner)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What was wrong with a turn: the explanation, and the right answers in words."""

    why: str
    right: tuple[str, ...] = ()
    mended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a transcript; `text` is None when it was erased.

    `asked` are the questions about this turn; `feedback` is set where practice found it wrong.
    """

    side: Side
    speaker: str
    text: str | None
    asked: tuple[Asked, ...] = ()
    feedback: Feedback | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A conversation to be judged, known by its letter; "" where there is only one."""

    letter: Letter
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """A value the form carries along."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Practice:
    """Which round of the training this is, and whether its mistakes are being mended.

    `left` is how many turns are still wrong.
    """

    round: int
    rounds: int
    mending: bool = False
    left: int = 0
    counts: bool = False
    allowed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """One screen of judgement: one conversation or two, and the questions about them.

    `asked` are the questions about the whole; those about a turn stand with its line. `screen` of
    `screens` counts within this sheet, `position` of `total` counts sheets. The answers of one
    screen are saved when it is sent; `back` offers the one before; `last` sends the sheet.
    `guides` are the questions whose definition and examples can be looked up.
    """

    template: ClassVar[str] = "rate.html"
    shell: Shell
    action: str
    conversations: tuple[Transcript, ...]
    asked: tuple[Asked, ...] = ()
    title: str = "Compare the two conversations"
    hidden: tuple[Hidden, ...] = ()
    screen: int = 1
    screens: int = 1
    position: int | None = None
    total: int | None = None
    back: bool = False
    last: bool = True
    guides: tuple[Question, ...] = ()
    instructions: str = ""
    practice: Practice | None = None

    @property
    def every(self) -> tuple[Asked, ...]:
        """All questions on this screen, in the order in which they stand."""
        lines = (line for talk in self.conversations for line in talk.lines)
        return (*(asked for line in lines for asked in line.asked), *self.asked)

    @property
    def errors(self) -> tuple[Asked, ...]:
        """The questions that must be looked at again."""
        return tuple(asked for asked in self.every if asked.error)

    @property
    def by_turn(self) -> bool:
        """Whether the questions stand with the turns."""
        return any(line.asked for talk in self.conversations for line in talk.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """What the practice is about, before its first round; `text` is Markdown. Posts to `action`."""

    template: ClassVar[str] = "training.html"
    shell: Shell
    action: str
    text: str
    rounds: int
    rule: str
    guides: tuple[Question, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The end, whatever it was; `message` is Markdown from the study."""

    template: ClassVar[str] = "done.html"
    shell: Shell
    reason: EndReason = "complete"
    code: str | None = None
    pay: str = ""
    completion_url: str | None = None
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemReport:
    """ "Something is wrong". Posts `text` to `action`; `sent_along` lists what goes with it."""

    template: ClassVar[str] = "problem.html"
    shell: Shell
    action: str
    back_url: str
    sent_along: tuple[str, ...] = ()
    text: str = ""
    error: str = ""
    sent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdraw:
    """Withdrawal. Posts `confirm` = `yes` to `action`; `pay` says what it does to the pay."""

    template: ClassVar[str] = "withdraw.html"
    shell: Shell
    action: str
    back_url: str
    pay: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message instead of a page: what happened, what is kept, what to do."""

    template: ClassVar[str] = "message.html"
    shell: Shell
    kind: MessageKind
    detail: str = ""
    retry_url: str | None = None
    retry_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A link among several of which one is current."""

    label: str
    url: str
    current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The public board; `data_url` answers with a `BoardState` as JSON."""

    template: ClassVar[str] = "board.html"
    shell: Shell
    board: BoardState
    data_url: str | None = None
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NavItem:
    """One entry of the researcher's navigation; `icon` is a lucide name."""

    label: str
    url: str
    icon: str
    current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What stands around every researcher page; it takes the place of `Shell`."""

    title: str = "Palaver"
    lang: str = "en"
    dir: Direction = "ltr"
    nav: tuple[NavItem, ...] = ()
    csrf: str = ""
    person: str = ""
    sign_out_url: str | None = None
    preview: bool = False
