"""The study file as typed objects; `reader` makes them of a file."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    SkipValidation,
    Strict,
)

from palaver.core.questions import Question
from palaver.studies import library
from palaver.studies.file.notify_terms import Notify
from palaver.studies.file.recruiting_terms import Recruit
from palaver.studies.file.terms import BoardTerms, Consent, Crowd, Dates, Pay, Retention, Simulated
from palaver.studies.stages import (
    AnyStage,
    ChatStage,
    LimitTerms,
    PaceTerms,
    RateStage,
    ScreenStage,
    Stage,
    WriteStage,
)
from palaver.studies.stages.conditions import Condition
from palaver.studies.stages.parts import Count, Many, Part, SystemName, Text

__all__ = [
    "BoardTerms",
    "ChatStage",
    "Condition",
    "Consent",
    "Crowd",
    "Dates",
    "LimitTerms",
    "PaceTerms",
    "Pay",
    "RateStage",
    "ScreenStage",
    "Study",
    "SystemChoice",
]

LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*", re.ASCII)
SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,63}", re.ASCII)
# Languages and scripts that are written from right to left.
RIGHT_TO_LEFT = frozenset(
    {"ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"}
    | {"adlm", "arab", "hebr", "mand", "mend", "nkoo", "rohg", "samr", "syrc", "thaa"}
)

Direction = Literal["ltr", "rtl"]
Render = Literal["markdown", "plain"]


def _language(tag: str) -> str:
    if not LANGUAGE.fullmatch(tag):
        raise ValueError(f"'language' takes a tag like 'en', 'de' or 'pt-BR'; got '{tag[:40]}'.")
    return tag


def _slug(name: str) -> str:
    if not SLUG.fullmatch(name):
        raise ValueError(
            f"'name' takes lower-case letters, digits and '-', at most 64; got '{name[:64]}'."
        )
    return name


def _render(given: Any) -> Any:
    if given not in get_args(Render):
        raise ValueError(
            "'render' says how messages of systems are shown: 'markdown' (bold, lists, tables) or "
            f"'plain' (as they were sent); got '{str(given)[:40]}'."
        )
    return given


def direction_of(language: str) -> Direction:
    """How a language is written, by its script where the tag names one."""
    first, *rest = language.lower().split("-")
    scripts = [part for part in rest if len(part) == 4 and part.isalpha()]
    return "rtl" if (scripts[0] if scripts else first) in RIGHT_TO_LEFT else "ltr"


class SystemChoice(Part):
    """A system under its name in the study: its kind, and options that the kind checks."""

    model_config = ConfigDict(extra="allow")

    kind: Text

    @property
    def options(self) -> dict[str, Any]:
        """The kind and everything else, as `build_system` takes it."""
        return {"kind": self.kind, **(self.model_extra or {})}


class Study(Part):
    """One study, as its file says."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    file: Path = Field(exclude=True)
    digest: str = Field(exclude=True)

    title: Text
    name: Annotated[str, Strict(), AfterValidator(_slug)]
    language: Annotated[str, Strict(), AfterValidator(_language)] = "en"
    direction: Direction = Field(default_factory=lambda given: direction_of(given["language"]))
    contact: Text | None = None
    minutes: Count | None = None
    consent: Consent | None = None
    instructions: Text | None = None
    thanks: Text | None = None
    guides: Literal["folded", "open"] = "folded"
    render: Annotated[Render, BeforeValidator(_render)] = "markdown"
    pay: Pay | None = None
    crowd: Crowd = Crowd()
    recruit: Recruit | None = None
    dates: Dates = Dates()
    notify: Notify | None = None
    retention: Retention = Retention()
    board: BoardTerms = BoardTerms()
    simulated: Simulated | None = None
    systems: dict[SystemName, SystemChoice] = Field(default_factory=dict)
    questions: dict[str, SkipValidation[Question]] = Field(default_factory=dict)
    stages: Annotated[Many[Stage], Field(min_length=1)]

    @property
    def folder(self) -> Path:
        """Where the file stands; what it names is looked for here."""
        return self.file.parent

    @property
    def minutes_in_all(self) -> int | None:
        """How long taking part lasts: as the file says, or all stages together if each says it."""
        each = [stage.minutes for stage in self.stages if stage.minutes is not None]
        return self.minutes or (sum(each) if len(each) == len(self.stages) else None)

    @property
    def chats(self) -> tuple[ChatStage, ...]:
        """The conversations that are data; practice is none."""
        return tuple(s for s in self.stages if isinstance(s, ChatStage) and not s.practice)

    @property
    def writes(self) -> tuple[WriteStage, ...]:
        """The stages in which people write what models get wrong."""
        return tuple(s for s in self.stages if isinstance(s, WriteStage))

    @property
    def chat(self) -> ChatStage | None:
        """The first conversation that is data, if there is one."""
        return next(iter(self.chats), None)

    @property
    def kept(self) -> tuple[str, ...]:
        """What is kept of people who take part, in words that they read before they agree."""
        written = () if self.chat is None else ("what you write",)
        if not any(questions_of(stage) for stage in self.stages):
            return (*written, "when you wrote it")
        return (*written, "your answers", "when you gave them")

    @property
    def counted(self) -> tuple[str, ...]:
        """What pages count while people answer, in words that they read before they agree."""
        forms = [stage for stage in self.stages if not isinstance(stage, ChatStage)]
        asked = [self.questions.get(name) for stage in forms for name in questions_of(stage)]
        if not asked:
            return ()
        texts = any(question is not None and question.level == "text" for question in asked)
        return (
            "how long each answer takes",
            "for how much of that time the page is in use",
            *(["how often text is pasted"] if texts else []),
        )

    @property
    def meets(self) -> bool:
        """Whether people may have to wait for each other."""
        chats = (stage for stage in self.stages if isinstance(stage, ChatStage))
        return any(chat.arrangement == "people" for chat in chats)

    def games_of(self, system: str) -> tuple[str, ...]:
        """The games of the chats in which a system may sit."""
        chats = (stage for stage in self.stages if isinstance(stage, ChatStage))
        games = (chat.game.name for chat in chats if system in chat.system_names())
        return tuple(dict.fromkeys(games))

    @property
    def is_rich(self) -> bool:
        """Whether transcripts show Markdown: not where the file says so, or only people talk."""
        chats = [stage for stage in self.stages if isinstance(stage, ChatStage)]
        rated = any(isinstance(stage, RateStage) and stage.has_source for stage in self.stages)
        spoken = rated or any(chat.system_names() for chat in chats)
        return self.render == "markdown" and spoken

    @property
    def board_question(self) -> str | None:
        """The first comparative question: the one that the board counts."""
        asked = (stage.ask for stage in self.stages if isinstance(stage, RateStage))
        return next(
            (name for ask in asked for name in ask if self.questions[name].level == "pairwise"),
            None,
        )

    def compared_systems(self, question: str | None) -> tuple[str, ...]:
        """The systems whose conversations a question compares; none where they come from a file."""
        asked = (stage for stage in self.stages if isinstance(stage, RateStage))
        stage = next((stage for stage in asked if question in stage.ask), None)
        if stage is None or stage.has_source or self.chat is None:
            return ()
        pairs = [each.systems for each in self.chat.conditions if len(each.systems) == 2]
        return tuple(dict.fromkeys(name for pair in pairs for name in pair))

    @property
    def board_stages(self) -> frozenset[int]:
        """The places of the stages whose work brings votes to the board: nothing else stops with it.

        Sheets bring them where they ask the question; one's own conversations do where two were held.
        """
        asking = [
            i
            for i, stage in enumerate(self.stages)
            if isinstance(stage, RateStage) and self.board_question in stage.ask
        ]
        sourced = {i for i in asking if self.stages[i].has_source}  # type: ignore[union-attr]
        last = max((i for i in asking if i not in sourced), default=0)
        held = {
            i
            for i, stage in enumerate(self.stages[:last])
            if isinstance(stage, ChatStage) and not stage.practice and stage.arrangement == "paired"
        }
        return frozenset(sourced | held)

    @property
    def board_path(self) -> str | None:
        """Where its board is, below the server's address; None if it compares nothing.

        Whoever shows a link to a board asks here whether there is one.
        """
        return None if self.board_question is None else f"/boards/{self.name}"


def questions_of(stage: AnyStage) -> tuple[str, ...]:
    """The names of the questions that a stage asks."""
    if isinstance(stage, RateStage):
        return stage.question_names()
    if isinstance(stage, ChatStage):
        return (stage.online.ask,) if stage.online else ()
    if stage.ask is not None:
        return (stage.ask,)
    built_in = isinstance(stage.training, str) and library.training_file(stage.training)
    return (library.trained_question(str(stage.training)),) if built_in else ()
