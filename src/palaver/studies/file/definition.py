"""The study file as typed objects: the door between `study.yaml` and everything else.

`load_study` reads a file, checks it and gives back a frozen `Study`, or raises StudyError with
every problem it found. `read_study` tells the same without raising, for those who check further.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    SkipValidation,
    Strict,
    TypeAdapter,
    ValidationError,
)

from palaver.core.errors import AnswerError, InputError, Problem, StudyError
from palaver.core.questions import Question, Shown
from palaver.core.registry import near
from palaver.formats.key_problems import (
    KeyProblem,
    known_keys,
    place_problems,
    pydantic_problems,
    unknown_key,
)
from palaver.formats.marked_yaml import Marked, read_marked
from palaver.studies import library
from palaver.studies.file.questions import add_built_in, build_questions
from palaver.studies.file.references import option_problems, reference_problems
from palaver.studies.file.terms import BoardTerms, Consent, Crowd, Pay, Simulated
from palaver.studies.home import STUDY_FILE
from palaver.studies.stages import AnyStage, ChatStage, Limits, Pace, RateStage, ScreenStage, Stage
from palaver.studies.stages.chat import Condition
from palaver.studies.stages.games import game_problems, with_surveys
from palaver.studies.stages.parts import Count, Many, Part, SystemName, Text

__all__ = [
    "BoardTerms",
    "ChatStage",
    "Condition",
    "Consent",
    "Crowd",
    "Limits",
    "Pace",
    "Pay",
    "RateStage",
    "Reading",
    "ScreenStage",
    "Study",
    "SystemChoice",
    "load_studies",
    "load_study",
    "read_study",
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
    render: Annotated[Render, BeforeValidator(_render)] = "markdown"
    pay: Pay | None = None
    crowd: Crowd = Crowd()
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
    def chat(self) -> ChatStage | None:
        """The first chat, if there is one."""
        return next((stage for stage in self.stages if isinstance(stage, ChatStage)), None)

    @property
    def kept(self) -> tuple[str, ...]:
        """What is kept of people who take part, in words that they read before they agree."""
        written = () if self.chat is None else ("what you write",)
        if not any(_questions_of(stage) for stage in self.stages):
            return (*written, "when you wrote it")
        return (*written, "your answers", "when you gave them")

    @property
    def counted(self) -> tuple[str, ...]:
        """What pages count while people answer, in words that they read before they agree."""
        forms = [stage for stage in self.stages if not isinstance(stage, ChatStage)]
        asked = [self.questions.get(name) for stage in forms for name in _questions_of(stage)]
        if not asked:
            return ()
        texts = any(question is not None and question.level == "text" for question in asked)
        return ("how long each answer takes", *(["how often text is pasted"] if texts else []))

    @property
    def meets(self) -> bool:
        """Whether people may have to wait for each other."""
        chats = (stage for stage in self.stages if isinstance(stage, ChatStage))
        return any(chat.arrangement == "people" for chat in chats)

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

    @property
    def board_path(self) -> str | None:
        """Where its board is, below the server's address; None if it compares nothing.

        Whoever shows a link to a board asks here whether there is one.
        """
        return None if self.board_question is None else f"/boards/{self.name}"

    def key_problems(self) -> Iterator[KeyProblem]:
        """Where the parts contradict each other, and what is worth a warning."""
        for problem in self.crowd.key_problems():
            yield problem.under("crowd")
        yield from self._pay_problems()
        yield from self._rate_problems()
        yield from self._question_problems()
        yield from self._simulation_problems()
        yield from self._omissions()
        yield from self._time_problems()
        yield from self._vote_problems()
        yield from self._unused()

    def _rate_problems(self) -> Iterator[KeyProblem]:
        if not any(self._begins(stage) for stage in self.stages):
            yield KeyProblem(
                ("stages",),
                "There is nothing to judge or to talk about. Add '- chat: {...}', or a rate stage "
                "with 'data'.",
            )
            return
        for i, stage in enumerate(self.stages):
            before = [earlier for earlier in self.stages[:i] if isinstance(earlier, ChatStage)]
            if not isinstance(stage, RateStage) or stage.has_source:
                continue
            if not before:
                yield KeyProblem(
                    ("stages", i), "A rate stage needs a chat before it, or 'data' to judge."
                )
            elif not any(chat.arrangement == "paired" for chat in before):
                yield from self._lonely_comparisons(i, stage)
            if stage.when == "after_each" and not isinstance(self.stages[i - 1], ChatStage):
                message = "'after_each' belongs to the chat right before this stage; there is none."
                yield KeyProblem(("stages", i, "rate", "when"), message)

    def _begins(self, stage: AnyStage) -> bool:
        return isinstance(stage, ChatStage) or (isinstance(stage, RateStage) and stage.has_source)

    def _question_problems(self) -> Iterator[KeyProblem]:
        """Questions that do not fit where they are asked."""
        for i, stage in enumerate(self.stages):
            if isinstance(stage, RateStage) and stage.attention is not None:
                for j, name in enumerate(stage.attention.ask):
                    question = self.questions.get(name)
                    if question is not None and question.expected is None:
                        yield KeyProblem(
                            ("stages", i, "rate", "attention", "ask", j),
                            f"Question '{name}' checks attention, so it needs an 'expected' answer.",
                        )
                    elif question is not None:
                        yield from _expectation_problems(question)
            if isinstance(stage, ChatStage) and stage.online is not None:
                question = self.questions.get(stage.online.ask)
                if question is not None and question.about == "pair":
                    yield KeyProblem(
                        ("stages", i, "chat", "online", "ask"),
                        f"Question '{question.name}' compares two conversations; it cannot be asked "
                        "of a message.",
                    )

    def _simulation_problems(self) -> Iterator[KeyProblem]:
        strengths = self.simulated.strengths if self.simulated is not None else {}
        for name in strengths.keys() - self.systems.keys():
            message = f"There is no system '{name}'.{near(name, self.systems)}"
            yield KeyProblem(("simulated", "strengths", name), message, at_key=True)

    def _lonely_comparisons(self, i: int, stage: RateStage) -> Iterator[KeyProblem]:
        for j, name in enumerate(stage.ask):
            question = self.questions.get(name)
            if question is not None and question.level == "pairwise":
                yield KeyProblem(
                    ("stages", i, "rate", "ask", j),
                    f"Question '{name}' compares two conversations, but no chat before it has "
                    "'arrangement: paired'.",
                )

    def _omissions(self) -> Iterator[KeyProblem]:
        if self.consent is None:
            yield KeyProblem(
                (), "No 'consent': people take part without being asked.", warning=True
            )
        if self.pay is None:
            yield KeyProblem((), "No 'pay': people are not told what they get.", warning=True)

    def _pay_problems(self) -> Iterator[KeyProblem]:
        """Pay that people could not judge, would not get, or would get for nothing."""
        pay, crowd = self.pay, self.crowd
        if crowd.kind == "prolific" and crowd.completion_code is None:
            message = "Prolific does not know the codes that are made here. Set 'completion_code'."
            yield KeyProblem(("crowd",), message, warning=True, at_key=True)
        if pay is None:
            return
        for problem in pay.key_problems():
            yield problem.under("pay")
        if pay.amount and self.minutes_in_all is None:
            message = "People are told what they get, but not for how long. Set 'minutes'."
            yield KeyProblem(("pay",), message, warning=True, at_key=True)
        screens = [stage for stage in self.stages if isinstance(stage, ScreenStage)]
        if pay.practice and not screens:
            message = "'practice' is paid to those who practise; there is no screen stage."
            yield KeyProblem(("pay", "practice"), message, warning=True, at_key=True)
        lonely = [
            stage
            for stage in self.stages
            if isinstance(stage, ChatStage) and stage.waits_in_vain and not pay.waiting_per_minute
        ]
        if pay.amount and lonely:
            message = (
                "Whoever waits and meets nobody gets nothing. Set 'waiting_per_minute', or let a "
                "system stand in with 'nobody_comes'."
            )
            yield KeyProblem(("pay",), message, warning=True, at_key=True)
        parts = pay.early or (pay.practice and screens) or (pay.waiting_per_minute and self.meets)
        if parts and crowd.completion_code is not None and crowd.part_code is None:
            message = (
                "Some ends are paid in part, and 'completion_code' claims all. Set 'part_code', or "
                "pay those parts by hand."
            )
            yield KeyProblem(("crowd", "completion_code"), message, warning=True, at_key=True)

    def _time_problems(self) -> Iterator[KeyProblem]:
        each = sum(stage.minutes or 0 for stage in self.stages)
        if self.minutes is not None and each > self.minutes:
            message = f"The stages take {each} minutes together, but 'minutes' says {self.minutes}."
            yield KeyProblem(("minutes",), message, warning=True)

    def _vote_problems(self) -> Iterator[KeyProblem]:
        quotas = [
            c.needed for c in (self.chat.conditions if self.chat else ()) if len(c.systems) == 2
        ]
        needed = sum(quota or 0 for quota in quotas)
        votes = self.board.votes
        if votes is not None and quotas and None not in quotas and votes != needed:
            message = (
                f"The board is final after {votes} votes, but the conditions need {needed} pairs. "
                "Leave 'votes' out to have it wait for these."
            )
            yield KeyProblem(("board", "votes"), message, warning=True)

    def _unused(self) -> Iterator[KeyProblem]:
        chats = [stage for stage in self.stages if isinstance(stage, ChatStage)]
        used = {name for chat in chats for name in chat.system_names()}
        asked = {name for stage in self.stages for name in _questions_of(stage)}
        for name in self.systems.keys() - used:
            message = f"System '{name}' is in no condition."
            yield KeyProblem(("systems", name), message, warning=True, at_key=True)
        for name in self.questions.keys() - asked:
            message = f"Question '{name}' is asked in no stage."
            yield KeyProblem(("questions", name), message, warning=True, at_key=True)


def _questions_of(stage: AnyStage) -> tuple[str, ...]:
    if isinstance(stage, RateStage):
        return stage.question_names()
    if isinstance(stage, ChatStage):
        return (stage.online.ask,) if stage.online else ()
    if stage.ask is not None:
        return (stage.ask,)
    built_in = isinstance(stage.training, str) and library.training_file(stage.training)
    return (library.trained_question(str(stage.training)),) if built_in else ()


def _expectation_problems(question: Question) -> Iterator[KeyProblem]:
    """Whether what an attention check expects is an answer at all."""
    try:
        question.read(question.expected, Shown())
    except AnswerError as error:
        yield KeyProblem(("questions", question.name, "expected"), str(error))


@dataclass(frozen=True, slots=True)
class Reading:
    """A study file as read: the study if it could be built, and every problem found."""

    marked: Marked
    study: Study | None
    key_problems: list[KeyProblem]

    @property
    def problems(self) -> list[Problem]:
        """The problems with line and column, in the order of the file."""
        return place_problems(self.marked, self.key_problems)


def read_study(path: Path) -> Reading:
    """The study file at `path` (a folder or the file); StudyError only if it is not YAML."""
    file = path / STUDY_FILE if path.is_dir() else path
    marked = read_marked(file)
    data = with_surveys(marked.data)
    asked = add_built_in(build_questions(data.get("questions", {})), data)
    given = {"name": _default_name(file), **data, "questions": asked.questions}
    own = {"file": file, "digest": marked.digest}
    key_problems = [*asked.key_problems, *reference_problems(data), *_stage_problems(data)]
    key_problems += option_problems(data.get("systems"))
    key_problems += game_problems(data.get("stages"), stage=ChatStage.model_fields)
    key_problems += [unknown_key(key, known_keys(Study, ())) for key in own.keys() & data.keys()]
    try:
        study = Study.model_validate({**given, **own})
    except ValidationError as error:
        return Reading(marked, None, [*key_problems, *pydantic_problems(error, Study)])
    return Reading(marked, study, [*key_problems, *study.key_problems()])


def load_study(path: Path) -> Study:
    """The study in a folder or file; StudyError with every problem otherwise."""
    reading = read_study(path)
    problems = [problem for problem in reading.problems if not problem.warning]
    if problems or reading.study is None:
        raise StudyError(problems)
    return reading.study


def load_only_study(path: Path) -> Study:
    """The study at `path`, or the only one in its folders; InputError where there are several."""
    files = study_files(path)
    if len(files) > 1:
        folders = ", ".join(str(file.parent) for file in files)
        raise InputError(f"There are several studies in {path}; give one of them: {folders}.")
    return load_study(files[0])


def load_studies(path: Path) -> list[Study]:
    """The study at `path`, or those in its folders, by folder name."""
    files = study_files(path)
    studies: list[Study] = []
    problems: list[Problem] = []
    for file in files:
        try:
            study = load_study(file)
        except StudyError as error:
            problems += error.problems
            continue
        problems += _name_taken(study, studies)
        studies.append(study)
    if problems:
        raise StudyError(problems)
    return studies


def study_files(path: Path) -> list[Path]:
    """The study files meant by a file, a study folder or a folder of study folders."""
    if not path.is_dir():
        return [path]
    if (path / STUDY_FILE).exists():
        return [path / STUDY_FILE]
    files = sorted(path.glob(f"*/{STUDY_FILE}"))
    if not files:
        message = f"There is no {STUDY_FILE} here or in the folders directly below."
        raise StudyError([Problem(str(path), 0, 0, message)])
    return files


def _name_taken(study: Study, earlier: list[Study]) -> Iterator[Problem]:
    for other in earlier:
        if other.name == study.name:
            line, column = read_marked(study.file).locate(("name",))
            message = (
                f"The name '{study.name}' is already used by {other.file}. Set another 'name'."
            )
            yield Problem(str(study.file), line, column, message)


def _stage_problems(data: dict[str, Any]) -> Iterator[KeyProblem]:
    """What is wrong with each stage that can be read, whether or not the others can."""
    stages = data.get("stages")
    for i, given in enumerate(stages if isinstance(stages, list) else []):
        try:
            stage: AnyStage = TypeAdapter(Stage).validate_python(given)
        except ValidationError:  # reported when the whole study is validated
            continue
        for problem in stage.key_problems():
            yield problem.under("stages", i, stage.kind)


def _default_name(file: Path) -> str:
    folder = file.resolve().parent.name.lower()
    return re.sub(r"[^a-z0-9]+", "-", folder).strip("-")[:64] or "study"
