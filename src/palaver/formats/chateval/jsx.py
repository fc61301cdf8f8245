"""The platform's instructions, which are in the code of its pages: static JSX read as HTML.

`task_descriptions.jsx` chooses by the title of a task; what it shows calls functions of the files in
`task_descriptions/`. Tags, texts and calls of such functions are read. Whatever else a page computes is
left out and named, so that somebody can look at it.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from palaver.core.errors import InputError
from palaver.formats.chateval.located import read_text

SWITCH = "task_descriptions.jsx"
PIECES = "task_descriptions"
SUFFIXES = ("instructions", "help", "examples")
# The files of the behaviour tasks that are not called after their task.
STEMS = {
    "grammar": "interpretability_error",
    "sociality": "antisocial_behaviors",
    "commonsense": "common_knowledge_contradiction",
    "personal_information": "personal_information_sharing",
    "consistency_label": "consistency",
}
# Who is meant, as the texts of questions say it here.
SPEAKERS = {"speakerLabel": "{speaker}", "otherLabel": "{partner}"}

_FUNCTION = re.compile(
    r"function\s+(\w+)\s*\("
    r"|(?:const|let|var)\s+(\w+)\s*=\s*(?:function\b|(?:\([^()]*\)|\w+)\s*=>)"
)
_CASE = re.compile(r"case\s+(?P<quote>[\"'])(?P<title>[^\"']+)(?P=quote)\s*:|default\s*:")
_RETURN = re.compile(r"(?:return|=>)\s*\(?\s*(?=<)")
_CALL = re.compile(r"(\w+)\s*\([^()]*\)")
_NAME = re.compile(r"[A-Za-z][\w.-]*")
_VOID = frozenset({"br", "hr", "img", "input", "wbr"})
_DEEPEST = 10
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Described:
    """The static text of a task as HTML, and the expressions that were left out of it."""

    html: str
    computed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Descriptions:
    """Where the text of each task begins: by the title of the task, the name of a function, a file."""

    titles: dict[str, "_Place"] = field(default_factory=dict)
    functions: dict[str, "_Place"] = field(default_factory=dict)
    files: dict[str, "_Place"] = field(default_factory=dict)

    def of(self, task: str) -> Described | None:
        """What is said of a task; None where nothing is. InputError where it cannot be read."""
        places = [self.titles[task]] if task in self.titles else list(self._pieces(task))
        if not places:
            return None
        computed: list[str] = []
        text = "".join(place.html(self.functions, computed) for place in places)
        return Described(text, tuple(dict.fromkeys(computed)))

    def _pieces(self, task: str) -> Iterator["_Place"]:
        for suffix in SUFFIXES:
            for stem in dict.fromkeys((task, STEMS.get(task, task))):
                place = self.files.get(f"{stem}_{suffix}")
                if place is not None:
                    yield place


def read_descriptions(components: Path) -> Descriptions:
    """What the pages of a project say of its tasks; empty where its pages are not here."""
    found = Descriptions()
    switch = components / SWITCH
    pieces = sorted((components / PIECES).glob("*.jsx"))
    for file in [*pieces, *([switch] if switch.is_file() else [])]:
        code = read_text(file)
        functions = dict(_functions(file, code))
        found.functions.update(functions)
        if functions and file != switch:
            found.files[file.stem] = next(iter(functions.values()))
    if switch.is_file():
        found.titles.update(_cases(switch, read_text(switch)))
    return found


def _functions(file: Path, code: str) -> Iterator[tuple[str, "_Place"]]:
    starts = list(_FUNCTION.finditer(code))
    ends = [start.start() for start in starts[1:]] + [len(code)]
    for start, end in zip(starts, ends, strict=True):
        returned = _RETURN.search(code, start.start(), end)
        if returned is not None:
            yield start[1] or start[2], _Place(file, code, returned.end())


def _cases(file: Path, code: str) -> Iterator[tuple[str, "_Place"]]:
    waiting: list[str] = []
    cases = list(_CASE.finditer(code))
    ends = [case.start() for case in cases[1:]] + [len(code)]
    for case, end in zip(cases, ends, strict=True):
        if case["title"] is not None:
            waiting.append(case["title"])
        returned = _RETURN.search(code, case.end(), end)
        if returned is not None:
            yield from ((title, _Place(file, code, returned.end())) for title in waiting)
        # A case with nothing behind it shares what the next one returns.
        if code[case.end() : end].strip():
            waiting = []


@dataclass(frozen=True, slots=True)
class _Place:
    """An element of JSX: where its first '<' stands."""

    file: Path
    code: str
    start: int

    def html(self, functions: dict[str, "_Place"], computed: list[str], depth: int = 0) -> str:
        """The element as HTML without attributes; what is computed goes to `computed`."""
        reading = _Reading(self, functions, computed, depth)
        return reading.element()

    def error(self, at: int, message: str) -> InputError:
        line = self.code.count("\n", 0, at) + 1
        return InputError(f"{self.file}:{line}: {message}")


@dataclass(slots=True)
class _Reading:
    place: _Place
    functions: dict[str, _Place]
    computed: list[str]
    depth: int
    at: int = 0

    def element(self) -> str:
        """Everything from the first tag to the one that closes it."""
        code, self.at = self.place.code, self.place.start
        pieces: list[str] = []
        level = 0
        while self.at < len(code):
            if code.startswith("</", self.at):
                pieces.append(self._closing())
                level -= 1
            elif code[self.at] == "<":
                opened, is_whole = self._opening()
                pieces.append(opened)
                level += not is_whole
            elif code[self.at] == "{":
                pieces.append(self._value(self._braces()))
            else:
                end = min(p for p in (*self._next("<"), *self._next("{"), len(code)))
                pieces.append(code[self.at : end])
                self.at = end
            if level == 0:
                return "".join(pieces)
        raise self.place.error(self.place.start, "A tag that begins here is never closed.")

    def _next(self, sign: str) -> list[int]:
        found = self.place.code.find(sign, self.at)
        return [] if found < 0 else [found]

    def _closing(self) -> str:
        end = self.place.code.find(">", self.at)
        if end < 0:
            raise self.place.error(self.at, "A tag has no '>'.")
        name = self.place.code[self.at + 2 : end].strip()
        self.at = end + 1
        return f"</{name}>" if name else ""

    def _opening(self) -> tuple[str, bool]:
        """A tag without its attributes, and whether nothing can be in it."""
        code, start = self.place.code, self.at
        named = _NAME.match(code, start + 1)
        name = named[0] if named else ""
        self.at = named.end() if named else start + 1
        while self.at < len(code):
            sign = code[self.at]
            if sign in "\"'":
                self.at = self._quoted()
            elif sign == "{":
                self._braces()
            elif code.startswith("/>", self.at):
                self.at += 2
                if name[:1].isupper():
                    self.computed.append(f"<{name} />")
                return (f"<{name}>" if name in _VOID else ""), True
            elif sign == ">":
                self.at += 1
                return (f"<{name}>" if name else ""), False
            else:
                self.at += 1
        raise self.place.error(start, "A tag has no '>'.")

    def _quoted(self) -> int:
        """Where the text in quotes that begins here has ended."""
        code, quote, at = self.place.code, self.place.code[self.at], self.at + 1
        while at < len(code) and code[at] != quote:
            at += 2 if code[at] == "\\" else 1
        if at >= len(code):
            raise self.place.error(self.at, f"The text after {quote} never ends.")
        return at + 1

    def _braces(self) -> str:
        """What is between the braces that begin here; the reading goes on behind them."""
        code, start, level = self.place.code, self.at, 0
        while self.at < len(code):
            sign = code[self.at]
            if code.startswith("/*", self.at):
                end = code.find("*/", self.at)
                self.at = len(code) if end < 0 else end + 2
                continue
            if sign in "\"'`":
                self.at = self._quoted()
                continue
            level += (sign == "{") - (sign == "}")
            self.at += 1
            if level == 0:
                return code[start + 1 : self.at - 1]
        raise self.place.error(start, "A '{' is never closed.")

    def _value(self, written: str) -> str:
        """What an expression shows, where that can be known from the code alone."""
        expression = re.sub(r"/\*.*?\*/", "", written, flags=re.S).strip()
        if not expression:
            return ""
        if expression[0] in "\"'`" and expression[-1] == expression[0] and "${" not in expression:
            return html.escape(expression[1:-1].replace("\\", ""))
        if expression in SPEAKERS:
            return SPEAKERS[expression]
        call = _CALL.fullmatch(expression)
        called = self.functions.get(call[1]) if call else None
        if called is not None and self.depth < _DEEPEST:
            return called.html(self.functions, self.computed, self.depth + 1)
        self.computed.append(" ".join(expression.split())[:_SHOWN])
        return ""
