"""`kind: pattern`: a bot of regular expressions, after ELIZA (Weizenbaum 1966).

Its YAML file has `patterns`, tried in order against the partner's words, each with the sentences it
may `say`. `{1}` stands for group 1 with the `reflections` applied. `openers` begin a dialogue and
`fallbacks` answer what nothing matches; where both are empty it stays silent.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from palaver.core.errors import InputError
from palaver.core.events import Move, say
from palaver.core.protocols import DraftListener, Place
from palaver.systems.connectors.scripted import Words
from palaver.systems.options import CallOptions, find_file, read_text
from palaver.systems.reach import Reach
from palaver.systems.transcript import TranscriptSession

_GROUP = re.compile(r"\{(\d+)\}")

_EDGES = " \t\n.,!?;:\"'"


class PatternOptions(CallOptions):
    """Where the patterns are."""

    file: Path = Field(description="YAML file: reflections, openers, patterns, fallbacks")


class PatternLine(BaseModel):
    """A regular expression and the sentences that may answer it."""

    model_config = ConfigDict(extra="forbid")

    match: str
    say: list[Words] = Field(min_length=1)


class PatternFile(BaseModel):
    """The file as it is written."""

    model_config = ConfigDict(extra="forbid")

    reflections: dict[str, str] = {}
    openers: list[Words] = []
    patterns: list[PatternLine] = []
    fallbacks: list[Words] = []


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern."""

    expression: re.Pattern[str]
    sentences: list[str]


class PatternBot:
    """A system that answers by pattern."""

    options_type: ClassVar[type[CallOptions]] = PatternOptions
    reach: ClassVar[Reach] = "folder"

    def __init__(self, options: PatternOptions, *, folder: Path) -> None:
        path = find_file(options.file, folder=folder, option="file")
        document = _load(path)
        self.file = _validate(document, path)
        self.reflections = Reflections(self.file.reflections)
        self.patterns = [
            _compile(line, where=f"{path}:{_line_of(document, index)}")
            for index, line in enumerate(self.file.patterns)
        ]

    def new_session(self, place: Place) -> "PatternSession":
        return PatternSession(self, place)

    async def close(self) -> None:
        """Nothing to let go of."""

    def answers(self, text: str) -> list[str]:
        """Everything the first pattern that matches would say; the fallbacks if none does."""
        for pattern in self.patterns:
            match = pattern.expression.search(text)
            if match:
                return [self._fill(sentence, match) for sentence in pattern.sentences]
        return self.file.fallbacks

    def _fill(self, sentence: str, match: re.Match[str]) -> str:
        def group(place: re.Match[str]) -> str:
            return self.reflections.reflect(match[int(place[1])] or "")

        # A group may be empty or the same word as its neighbour's end: leave no double spaces.
        filled = " ".join(_GROUP.sub(group, sentence).split())
        return re.sub(r" ([?!.,])", r"\1", filled)


class PatternSession(TranscriptSession[PatternBot]):
    """One dialogue with the pattern bot."""

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """An answer to the partner's last words, or an opener."""
        heard = " ".join(self.transcript.heard.split())
        if heard:
            candidates = self._system.answers(heard)
        else:
            candidates = self._system.file.openers or self._system.file.fallbacks
        return [say(self.transcript.choose(candidates))] if candidates else []


class Reflections:
    """A table of words and phrases with their counterparts, applied in one pass."""

    def __init__(self, table: Mapping[str, str]) -> None:
        self._table = {_key(phrase): counterpart for phrase, counterpart in table.items()}
        # The longest phrase wins, so that "i am" is tried before "i".
        phrases = sorted(filter(None, self._table), key=len, reverse=True)
        words = "|".join(map(_expression, phrases))
        whole = rf"(?<![\w'’])(?:{words})(?![\w'’])"
        self._pattern = re.compile(whole, re.IGNORECASE) if words else None

    def reflect(self, text: str) -> str:
        """`text` with every known phrase replaced, without the punctuation around it."""
        bare = text.strip(_EDGES)
        if self._pattern is None:
            return bare
        # Some letters match without being equal in lower case (İ and i): those words stay.
        return self._pattern.sub(lambda match: self._table.get(_key(match[0]), match[0]), bare)


def _load(path: Path) -> Any:
    try:
        return YAML(typ="rt", pure=True).load(read_text(path))
    except YAMLError as error:
        raise InputError(f"{path}: not YAML. {error}") from error


def _validate(document: Any, path: Path) -> PatternFile:
    try:
        return PatternFile.model_validate({} if document is None else document)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        known = ", ".join(PatternFile.model_fields)
        raise InputError(f"{path}: {where}: {first['msg']}. Known keys: {known}.") from error


def _line_of(document: Any, index: int) -> int:
    line: int = document["patterns"].lc.item(index)[0]
    return line + 1


def _compile(line: PatternLine, *, where: str) -> Pattern:
    try:
        expression = re.compile(line.match, re.IGNORECASE)
    except re.error as error:
        raise InputError(
            f"{where}: {line.match!r} is not a regular expression: {error}."
        ) from error
    for sentence in line.say:
        asked = max((int(number) for number in _GROUP.findall(sentence)), default=0)
        if asked > expression.groups:
            raise InputError(
                f"{where}: {sentence!r} uses {{{asked}}}, but {line.match!r} has "
                f"{expression.groups} groups."
            )
    return Pattern(expression, list(line.say))


def _expression(phrase: str) -> str:
    return re.escape(phrase).replace(r"\ ", r"\s+").replace("'", "['’]")


def _key(phrase: str) -> str:
    return " ".join(phrase.lower().replace("’", "'").split())
