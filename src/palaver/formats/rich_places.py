"""Where what a message shows stands in the message as it was sent.

Raters mark words of a message as it is shown, with its Markdown; what they mark is stored as places
in the text that was sent. This gives the tree of `rich_text` with each piece of text as
`["", shown, start, end]`: where `end - start` is the number of characters shown, each character has
its own place; otherwise the piece is one thing (the address of a link, say) that stands for all of
`text[start:end]`. Where a piece cannot be placed for certain there is no tree, and the message is
marked as it was sent.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from palaver.formats.rich_text import Node, Placed, new_parser, rich_tree, tree_of

# What may stand before a row of a table that is inside of quotations and lists, piece by piece.
BEFORE_ROW = re.compile(r"[ \t]*>|[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+|[ \t]*")
# The parser writes other characters for these, which would shift what follows.
REWRITTEN = re.compile(r"[\r\0]")


@lru_cache(maxsize=256)
def placed_tree(text: str) -> list[Node] | None:
    """What a text in Markdown shows, with places; None where it is shown, or placed, as sent.

    >>> placed_tree("Take **Ghent**.")
    [['p', [['', 'Take ', 0, 5], ['strong', [['', 'Ghent', 7, 12]]], ['', '.', 14, 15]]]]
    """
    if rich_tree(text) is None or REWRITTEN.search(text):
        return None
    tokens = _parser().parse(text)
    if not _place(tokens, text):
        return None
    tree = tree_of(tokens)
    return None if tree is None else _with_places(tree, text)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = new_parser()
    inline = _PlacedInline()
    inline.ruler.enableOnly(parser.inline.ruler.get_active_rules())
    inline.ruler2.enableOnly(parser.inline.ruler2.get_active_rules())
    parser.inline = inline
    # Pieces that are joined have no place of their own.
    return parser.disable(["text_join", "fragments_join"])


class _PlacedInline(ParserInline):
    """Parses a line as its parent does, and notes in `meta` where in the line each token stands."""

    def tokenize(self, state: StateInline) -> None:
        rules, end = self.ruler.getRules(""), state.posMax
        nesting = state.md.options["maxNesting"]
        began = state.pos
        while state.pos < end:
            start, known, waiting = state.pos, len(state.tokens), bool(state.pending)
            found = state.level < nesting and any(rule(state, False) for rule in rules)
            if not found:
                state.append_pending(state.src[start])
                state.pos += 1
            new = state.tokens[known:]
            if waiting and new:
                _note(new.pop(0), began)
            _note_all(new, start, state.pos)
            if state.pending and (new or not waiting or len(state.tokens) > known):
                began = start
        if state.pending:
            state.pushPending()
            _note(state.tokens[-1], began)


def _note(token: Token, start: int) -> None:
    token.meta["place"] = (start, start + len(token.content))


def _note_all(tokens: Sequence[Token], start: int, end: int) -> None:
    """Places of what one rule made of `start` to `end`."""
    at = start
    for token in tokens:
        if "place" in token.meta:  # a rule inside of this one knew better
            continue
        if token.type == "text":
            # The signs of emphasis, each a token; the words of an automatic link stand behind "<".
            at += tokens[0].type == "link_open" and at == start
            _note(token, at)
            at += len(token.content)
        elif token.type == "text_special":
            token.meta["place"] = (end - len(token.content), end)
        elif token.type == "code_inline":
            inner = end - start - 2 * len(token.markup) - len(token.content)
            first = start + len(token.markup) + inner // 2
            token.meta["place"] = (first, first + len(token.content))
        else:
            token.meta["place"] = (start, end)


def _place(tokens: Sequence[Token], text: str) -> bool:
    """Write the places in `text` into the tokens; whether that was possible for all."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    cells: Iterator[list[int]] = iter(())
    for number, token in enumerate(tokens):
        before = tokens[number - 1] if number else None
        if token.type == "tr_open" and token.map is not None:
            row = token.map[0]
            cells = iter(_cells(lines[row], starts[row], tokens[number + 2].content))
        elif token.type == "inline" and token.content:
            in_cell = before is not None and before.type in ("th_open", "td_open")
            where = next(cells, None) if in_cell else _where(token, lines, starts)
            if where is None or len(where) != len(token.content):
                return False
            if not all(_place_child(child, token.content, where) for child in token.children or ()):
                return False
        elif (
            token.type == "inline" and before is not None and before.type in ("th_open", "td_open")
        ):
            next(cells, None)
        elif token.type == "fence" and not _place_fence(token, lines, starts):
            return False
    return True


def _place_child(token: Token, line: str, where: Sequence[int]) -> bool:
    if token.type in ("softbreak", "hardbreak") or token.nesting == -1:
        return True
    start, end = token.meta["place"]
    if not start < end <= len(where):
        return not token.content
    first, last = where[start], where[end - 1] + 1
    if token.type == "link_open":
        token.attrs["href"] = Placed(str(token.attrs["href"]), first, last)
    elif token.type == "image":
        token.attrs["src"] = Placed(str(token.attrs["src"]), first, last)
        if token.content:
            token.content = Placed(token.content, first + 2, first + 2 + len(token.content))
    elif token.content:
        if line[start:end].replace("\n", " ") != token.content:
            return False
        token.content = Placed(token.content, first, last)
    return True


def _where(token: Token, lines: Sequence[str], starts: Sequence[int]) -> list[int] | None:
    """The place in the text of each character of a paragraph or heading."""
    if token.map is None:
        return None
    where: list[int] = []
    parts = token.content.split("\n")
    for number, part in enumerate(parts):
        row = token.map[0] + number
        if row >= len(lines):
            return None
        line = lines[row] if number + 1 < len(parts) else lines[row].rstrip()
        at = len(line) - len(part) if line.endswith(part) else _in_heading(line, part)
        if at is None:
            return None
        # A line's end belongs to the line.
        where += range(starts[row] + at, starts[row] + at + len(part))
        if number + 1 < len(parts):
            where.append(starts[row + 1] - 1)
    return where


def _in_heading(line: str, words: str) -> int | None:
    """Where the words of a heading stand, behind its signs and before those that may close it."""
    signs = line.find("#")
    rest = line[signs:].lstrip("#").lstrip() if signs >= 0 else ""
    return len(line) - len(rest) if rest and rest.startswith(words) else None


def _cells(line: str, start: int, first: str) -> list[list[int]]:
    """The places of the characters of each cell of a row of which the first one is known."""
    begins = 0
    while True:
        cells = _split(line, begins, start)
        words = "".join(line[at - start] for at in cells[0]) if cells else ""
        before = BEFORE_ROW.match(line, begins)
        if words == first or before is None or before.end() == begins:
            return cells
        begins = before.end()


def _split(line: str, begins: int, start: int) -> list[list[int]]:
    """The places of what stands in each cell of a row, split as the parser splits it."""
    cells: list[list[int]] = [[]]
    is_escaped = False
    for at in range(begins + len(line[begins:]) - len(line[begins:].lstrip()), len(line.rstrip())):
        if line[at] == "|" and not is_escaped:
            cells.append([])
        else:
            if line[at] == "|":
                cells[-1].pop()
            cells[-1].append(start + at)
        is_escaped = line[at] == "\\"
    if not cells[0]:
        cells.pop(0)
    if cells and not cells[-1]:
        cells.pop()
    return [_trimmed(cell, line, start) for cell in cells]


def _trimmed(cell: list[int], line: str, start: int) -> list[int]:
    words = [n for n, at in enumerate(cell) if not line[at - start].isspace()]
    return cell[words[0] : words[-1] + 1] if words else []


def _place_fence(token: Token, lines: Sequence[str], starts: Sequence[int]) -> bool:
    """Give each line of a block of code its place."""
    if token.map is None:
        return False
    parts: list[str] = []
    inside = token.content.removesuffix("\n").split("\n")
    for number, part in enumerate(inside):
        row = token.map[0] + 1 + number
        if row >= len(lines) or not lines[row].endswith(part):
            return not token.content
        at = starts[row] + len(lines[row]) - len(part)
        is_last = number + 1 == len(inside)
        if part or not is_last:
            shown = part if is_last else f"{part}\n"
            parts.append(Placed(shown, at, at + len(shown)))
    token.meta["parts"] = parts
    return True


def _with_places(nodes: Sequence[Node], text: str) -> list[Node] | None:
    """The tree with its pieces written out; None where one has no place or not its characters."""
    placed: list[Node] = []
    for node in nodes:
        if isinstance(node, list):
            tag, children, *more = node
            inside: list[Any] | None = _with_places(children, text)
            if inside is None:
                return None
            placed.append([tag, inside, *(str(m) if isinstance(m, str) else m for m in more)])
        elif isinstance(node, Placed):
            if not _is_true(node, text[node.start : node.end]):
                return None
            placed.append(["", str(node), node.start, node.end])
        elif node:
            return None
    return placed


def _is_true(shown: str, sent: str) -> bool:
    """Whether a piece that shows as many characters as were sent shows those."""
    if len(shown) != len(sent):
        return True
    # An address stands in "](…)" and is shown behind a space.
    told = f"]{shown[1:]}" if shown.startswith(" (") and sent.startswith("](") else shown
    return told.replace("\n", " ") == sent.replace("\n", " ")
