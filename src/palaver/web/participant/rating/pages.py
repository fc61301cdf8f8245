"""Judgement: questions as they stand on a page, transcripts, and rounds of practice."""

import re
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from palaver.annotation.submission import PasteCount
from palaver.core.questions.question import (
    BETTER,
    BETTER_ONE,
    WORSE,
    WORSE_ONE,
    Question,
    Shown,
    spoken,
)
from palaver.games.model_in_the_loop.judged_example import JudgedExample
from palaver.studies.run.work import Letter
from palaver.web.shell import Shell

NOTHING_SHOWN = Shown()
_SIDES = re.compile(f"({re.escape(WORSE)}|{re.escape(BETTER)})")


Side = Literal["own", "partner", "house"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question on a page: its field, who is meant by its placeholders, and the answer so far.

    `answer` is a stored value or what was sent; `error` says what is wrong with it. `shown` tells
    which options are offered. `worse` and `better` are what a question beside a comparison calls its
    sides. `pastes` is what the page counted before. Sub-fields of a question are
    named `<field>:<part>`.
    """

    question: Question
    field: str
    shown: Shown = NOTHING_SHOWN
    speaker: str = "your partner"
    partner: str = "you"
    answer: Any = None
    error: str = ""
    pastes: PasteCount | None = None
    # Whether the words it is about are shown with their Markdown.
    rich: bool = False
    worse: str = WORSE_ONE
    better: str = BETTER_ONE

    @property
    def template(self) -> str:
        return f"participant/rating/questions/{self.question.kind}.html"

    def say(self, text: str) -> str:
        """A text of the question with the names of those it speaks of."""
        return "".join(words for _, words in self.pieces(text))

    def pieces(self, text: str) -> list[tuple[str, str]]:
        """A text in pieces: "worse" or "better" with the name of that side, "" with other words."""
        named = spoken(text, speaker=self.speaker, partner=self.partner, worse=WORSE, better=BETTER)
        sides = {WORSE: ("worse", self.worse), BETTER: ("better", self.better)}
        said = [sides.get(part, ("", part)) for part in _SIDES.split(named) if part]
        if said and said[0][0]:
            said[0] = (said[0][0], said[0][1][:1].upper() + said[0][1][1:])
        return said


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What was wrong with a turn: the explanation, and the right answers in words."""

    why: str
    right: tuple[str, ...] = ()
    mended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a transcript; `text` is None when it was erased, `rich` where it is Markdown.

    `asked` are the questions about this turn; `feedback` is set where practice found it wrong. What
    is `marked` is the response that all questions of the page are about.
    """

    side: Side
    speaker: str
    text: str | None
    rich: bool = False
    asked: tuple[Asked, ...] = ()
    feedback: Feedback | None = None
    marked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTranscript:
    """A conversation to be judged, known by its letter; "" where there is only one."""

    letter: Letter
    lines: tuple[Line, ...]
    # What it shows where it is no conversation, or not that alone.
    example: JudgedExample | None = None

    @property
    def is_talk_of_example(self) -> bool:
        """Whether its last message is what somebody says is wrong."""
        return self.example is not None and self.example.talks

    @property
    def key(self) -> str:
        """What the parts of the page that belong to it are named after."""
        return f"conversation-{self.letter.lower() or 'only'}"

    @property
    def name(self) -> str:
        """What it is called."""
        return f"Conversation {self.letter}" if self.letter else "The conversation"


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
class ShownSituation:
    """What two texts are about: a title, which is never Markdown, and what follows it."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticePage:
    """What stands before something that may distress: what it is about, and a way around it.

    `read` is the address at which it is shown; `skip` where it is skipped, empty where that is not
    offered any more; `left` counts how many more may be skipped.
    """

    template: ClassVar[str] = "participant/rating/notice.html"
    shell: Shell
    notice: str
    read: str
    skip: str = ""
    left: int = 0
    hidden: tuple[Hidden, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RatePage:
    """One screen of judgement: one conversation or two, and the questions about them.

    `asked` are the questions about the whole; those about a turn stand with its line. `screen` of
    `screens` counts within this sheet, `position` of `total` counts sheets. The answers of one
    screen are saved when it is sent; `back` offers the one before; `last` sends the sheet.
    `guides` are the questions whose definition and examples can be looked up; with `guides_open` they
    and the instructions stand open. Answers are kept at
    the address `keep` as they are given; `kept` says what a page must know of those kept before. A
    `refused` form has answers that are not kept yet. Of two responses to one `context`, the
    conversations hold the responses alone; so they do of two texts about one `situation`. At `skip`
    the sheet can be given back, `left` more times in this visit. A page `of_example` shows what
    somebody wrote against a model.
    """

    template: ClassVar[str] = "participant/rating/rate.html"
    shell: Shell
    action: str
    conversations: tuple[ShownTranscript, ...]
    context: ShownTranscript | None = None
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
    guides_open: bool = False
    instructions: str = ""
    practice: Practice | None = None
    keep: str = ""
    kept: str = ""
    refused: bool = False
    situation: ShownSituation | None = None
    of_example: bool = False
    skip: str = ""
    left: int = 0

    @property
    def worse(self) -> str:
        """The letter of the side that the first comparison finds worse; empty while none is."""
        compared = (a.answer for a in self.asked if a.question.level == "pairwise")
        chosen = next((str(answer)[-1:] for answer in compared if answer), "")
        return {"a": "B", "b": "A"}.get(chosen, "")

    @property
    def every(self) -> tuple[Asked, ...]:
        """All questions on this screen, in the order in which they stand."""
        return (*self.of_turns, *self.asked)

    @property
    def errors(self) -> tuple[Asked, ...]:
        """The questions that must be looked at again."""
        return tuple(asked for asked in self.every if asked.error)

    @property
    def common(self) -> tuple[Asked, ...]:
        """The questions about turns, without their answers, once for each speaker."""
        once = {(asked.question.name, asked.speaker): asked for asked in self.of_turns}
        return tuple(replace(asked, answer=None, error="") for asked in once.values())

    @property
    def of_turns(self) -> tuple[Asked, ...]:
        """The questions that stand with the turns."""
        lines = (line for talk in self.conversations for line in talk.lines)
        return tuple(asked for line in lines for asked in line.asked)
