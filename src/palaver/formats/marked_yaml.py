"""Reading a YAML file so that every later problem can name file, line and column.

The file is composed into nodes (no object is ever constructed from a tag), and the nodes are
turned into plain dictionaries, lists and scalars. Keys are taken as they are written. Next to the
data stand the marks: where each value and each key begins.
"""

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError
from ruamel.yaml.scanner import Scanner

from palaver.core.errors import Problem, StudyError
from palaver.formats.json_places import Mark, Steps

# Aliases are expanded; a file that grows beyond this was written to do harm.
MOST_NODES = 100_000
MOST_BYTES = 4 << 20
# Levels of lists and mappings inside each other. The scanner looks at all open ones for each token.
MOST_DEPTH = 128
CORE = "tag:yaml.org,2002:"
PLAIN_TAGS = {f"{CORE}{name}" for name in ("str", "null", "bool", "int", "float", "timestamp")}
START: Mark = (1, 1)


@dataclass(frozen=True, slots=True)
class Marked:
    """Plain data from a file, and where each part of it stands (line and column from 1)."""

    file: str
    digest: str
    data: dict[str, Any]
    values: dict[Steps, Mark] = field(repr=False)
    keys: dict[Steps, Mark] = field(repr=False)

    def locate(self, steps: Steps) -> Mark:
        """Where a scalar or list entry stands, or the key that opens a mapping or a list.

        A part that is not in the file is located at the nearest part around it that is.
        """
        return _nearest(self.values, steps)

    def locate_key(self, steps: Steps) -> Mark:
        """Where the key stands; for an entry of a list the same as `locate`."""
        return self.keys.get(steps) or self.locate(steps)


def read_marked(file: Path) -> Marked:
    """The content of a YAML file; StudyError with every place that is not plain YAML."""
    try:
        content = file.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise StudyError([Problem(str(file), 0, 0, f"Cannot be read: {reason}.")]) from error
    return parse_marked(content, file=str(file))


def parse_marked(content: bytes, *, file: str) -> Marked:
    """The content of a YAML text; `file` is the name to use in problems."""
    root = _compose(content, file)
    walk = _Walk(file)
    try:
        data = walk.plain(root, ())
    except RecursionError:
        raise StudyError([Problem(file, *START, "Nested too deeply.")]) from None
    if walk.problems:
        raise StudyError(walk.problems)
    digest = hashlib.sha256(content).hexdigest()
    return Marked(file=file, digest=digest, data=data, values=walk.values, keys=walk.keys)


def _bounded() -> YAML:
    """A parser that gives up on depth before it costs anything."""
    parser = YAML(typ="safe", pure=True)
    parser.Scanner = _Scanner
    return parser


class _Scanner(Scanner):
    """The library's scanner, for files of which the writer may be unknown."""

    def fetch_more_tokens(self) -> Any:
        """The next tokens, unless too much is open."""
        if len(self.flow_context) + len(self.indents) > MOST_DEPTH:
            raise RecursionError
        return super().fetch_more_tokens()


def _compose(content: bytes, file: str) -> MappingNode:
    if len(content) > MOST_BYTES:
        told = f"The file has {len(content):,} bytes; a YAML file here has at most {MOST_BYTES:,}."
        raise StudyError([Problem(file, 0, 0, told)])
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise StudyError([Problem(file, line, column, "Not UTF-8 text.")]) from error
    try:
        root = _bounded().compose(io.StringIO(text))
    except (MarkedYAMLError, ReaderError, RecursionError) as error:
        raise StudyError([_syntax_problem(error, text, file)]) from error
    if root is None:
        raise StudyError([Problem(file, *START, "The file is empty.")])
    if not isinstance(root, MappingNode):
        expected = "The file must be a mapping (lines of 'key: value')"
        raise StudyError([Problem(file, *_mark(root), f"{expected}; got {_sort(root)}.")])
    return root


class _Walk:
    """One pass over the nodes: plain data, marks, and what is not plain."""

    def __init__(self, file: str) -> None:
        self.problems: list[Problem] = []
        self.values: dict[Steps, Mark] = {}
        self.keys: dict[Steps, Mark] = {}
        self._file = file
        self._open: set[int] = set()
        self._count = 0
        self._constructor = YAML(typ="safe", pure=True).constructor

    def plain(self, node: Node, steps: Steps) -> Any:
        """The node as plain data; marks and problems are noted on the way."""
        self.values.setdefault(steps, _mark(node))
        self._count += 1
        if self._count > MOST_NODES:
            raise StudyError([Problem(self._file, *_mark(node), "Too many entries.")])
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        if id(node) in self._open:
            return self._report(node, "An alias must not be inside what it names.")
        self._open.add(id(node))
        try:
            if isinstance(node, MappingNode):
                return self._mapping(node, steps)
            return [self.plain(entry, (*steps, i)) for i, entry in enumerate(node.value)]
        finally:
            self._open.discard(id(node))

    def _mapping(self, node: MappingNode, steps: Steps) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key, value, name in self._named(node):
            here = (*steps, name)
            if name in mapping:
                line = self.keys[here][0]
                self._report(key, f"The key '{name}' was already used in line {line}.")
                continue
            self.keys[here] = _mark(key)
            if not isinstance(value, ScalarNode) or not (value.value or value.style):
                self.values[here] = _mark(key)
            mapping[name] = self.plain(value, here)
        return mapping

    def _named(self, node: MappingNode) -> Iterator[tuple[ScalarNode, Node, str]]:
        for key, value in node.value:
            if isinstance(key, ScalarNode):
                yield key, value, self._text(key) or ""
            else:
                self._report(key, f"A key must be text; got {_sort(key)}.")

    def _scalar(self, node: ScalarNode) -> Any:
        tag = str(node.tag)
        if tag not in PLAIN_TAGS:
            shown = tag.replace(CORE, "!!")
            return self._report(node, f"The tag '{shown}' is not allowed. Leave it out.")
        if tag in {f"{CORE}str", f"{CORE}timestamp"}:
            return self._text(node)
        try:
            return getattr(self._constructor, f"construct_yaml_{tag.removeprefix(CORE)}")(node)
        except (ValueError, KeyError, OverflowError):
            return self._report(node, f"'{str(node.value)[:40]}' cannot be read as a value.")

    def _text(self, node: ScalarNode) -> str | None:
        """The text with the halves that JSON escapes leave joined to whole characters."""
        try:
            text = str(node.value).encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            self._report(node, "This escape makes only half a character.")
            return None
        if "\0" in text:
            self._report(node, "This escape makes a null character. Remove it.")
        return text

    def _report(self, node: Node, message: str) -> None:
        self.problems.append(Problem(self._file, *_mark(node), message))


def _syntax_problem(error: Exception, text: str, file: str) -> Problem:
    if isinstance(error, ReaderError):
        before = text[: error.position]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        return Problem(file, line, column, "There is a control character here. Remove it.")
    if not isinstance(error, MarkedYAMLError):
        return Problem(file, *START, "Nested too deeply.")
    mark = error.problem_mark or error.context_mark
    place: Mark = (mark.line + 1, mark.column + 1) if mark else START
    return Problem(file, *place, _plain_words(str(error.problem or ""), str(error.context or "")))


def _plain_words(problem: str, context: str) -> str:
    """The parser's problem as something to act on."""
    if r"'\t'" in problem:
        return "There is a tab here. YAML is indented with spaces only."
    if "cannot start any token" in problem:
        return f"YAML: {problem}. Put the text in quotes."
    if "mapping values are not allowed" in problem:
        return "There is a ': ' inside a value, or the indentation is off. Put the text in quotes."
    if "another document" in problem:
        return "A second document starts here ('---'). A file has only one."
    if "expected <block end>" in problem:
        return "The indentation is off: this line belongs to nothing above it."
    if "undefined alias" in problem:
        return f"YAML: {problem}. Put the text in quotes if no alias is meant."
    return f"YAML: {f'{context}: ' if context else ''}{problem}."


def _sort(node: Node) -> str:
    if isinstance(node, SequenceNode):
        return "a list"
    return "a mapping" if isinstance(node, MappingNode) else f"'{str(node.value)[:40]}'"


def _mark(node: Node) -> Mark:
    return node.start_mark.line + 1, node.start_mark.column + 1


def _nearest(marks: dict[Steps, Mark], steps: Steps) -> Mark:
    for length in range(len(steps), -1, -1):
        if steps[:length] in marks:
            return marks[steps[:length]]
    return START
