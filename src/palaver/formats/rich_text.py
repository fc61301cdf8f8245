"""Markdown in a message, as a small tree of what may be shown: one parser for every page.

The live chat sends the tree beside the text and builds the page from it; transcripts that the server
renders get the same tree as HTML. There are no images and no HTML: both stay the words that were
written. A link shows its address. The stored text is never changed.

A node is a text, or `[tag, children]`, with a third entry where a tag needs one: the address of a
link, the first number of an ordered list.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

Node = str | list[Any]

# Without one of these there is nothing to parse, and most messages have none.
SIGNS = re.compile(r"[*_`~|\[<\\]|^ {0,3}(?:#{1,6} |>|[-+] |\d{1,9}[.)] |-{3}|=)", re.MULTILINE)
# Parsing takes time on the loop that serves everybody: what is longer is shown as it was written.
LONGEST = 6_000
# Each bracket may open a link, and the parser looks for the end of each.
MOST_BRACKETS = 500
# What is nested deeper is no message any more: the parser would leave it out, and what draws it
# would run out of stack.
DEEPEST = 16
DEEPEST_NODE = 48
ADDRESS = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
# What a link opens: beside the page, which it cannot reach.
BESIDE = Markup(' target="_blank" rel="noopener noreferrer"')


class Placed(str):
    """A text that knows where in a message it stands; see `rich_places`."""

    def __new__(cls, text: str, start: int, end: int) -> "Placed":
        self = super().__new__(cls, text)
        self.start, self.end = start, end
        return self

    start: int
    end: int


@lru_cache(maxsize=512)
def rich_tree(text: str) -> list[Node] | None:
    """What a text in Markdown shows; None where that is the text as it was written.

    >>> rich_tree("Take **Ghent**.")
    [['p', ['Take ', ['strong', ['Ghent']], '.']]]
    >>> rich_tree("Take Ghent.") is None
    True
    """
    if len(text) > LONGEST or SIGNS.search(text) is None or text.count("[") > MOST_BRACKETS:
        return None
    tokens = _parser().parse(text)
    if any(token.level >= DEEPEST for token in tokens):
        return None
    tree = tree_of(tokens)
    return None if tree is None or _shows(tree) == text.strip() else tree


@lru_cache(maxsize=1024)
def rich_html(text: str) -> Markup | None:
    """The same as HTML; None where the text is shown as it was written."""
    tree = rich_tree(text)
    return None if tree is None else _html(tree)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return new_parser()


def new_parser() -> MarkdownIt:
    """A parser of what messages may show."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    # Indented words are no code, "Yours,\n---" is no heading, and an entity is what was typed.
    return parser.disable(["code", "lheading", "entity", "reference"])


def _stream(tokens: Iterable[Token]) -> Iterator[Token]:
    """The tokens in the order of the page; those of a line in the place of the line."""
    for token in tokens:
        if token.children is None:
            yield token
        else:
            yield from _stream(token.children) if token.type == "inline" else (token,)


def tree_of(tokens: Iterable[Token]) -> list[Node] | None:
    """The tokens of a message as a tree; None where it would be too deep."""
    top: list[Any] = ["", []]
    path = [top]
    for token in _stream(tokens):
        if token.hidden:  # the paragraph of a list item that has no other
            continue
        if token.nesting == 1:
            path += _opened(token)
            if len(path) > DEEPEST_NODE:
                return None
        elif token.nesting == -1:
            for _ in range(2 if token.type == "heading_close" else 1):
                node = path.pop()
                path[-1][1] += _linked(node, path) if node[0] == "a" else [node]
        else:
            path[-1][1] += _leaf(token, path)
    nodes: list[Node] = top[1]
    return nodes


def _opened(token: Token) -> list[list[Any]]:
    if token.type == "heading_open":
        return [["p", []], ["strong", []]]
    node: list[Any] = [token.tag, []]
    if token.tag == "a":
        node.append(token.attrs["href"])
    elif token.tag == "ol" and "start" in token.attrs:
        node.append(token.attrs["start"])
    return [node]


def _leaf(token: Token, path: Sequence[Node]) -> list[Node]:
    if token.type in ("softbreak", "hardbreak"):
        return [["br", []]]
    if token.type == "hr":
        return [["hr", []]]
    if token.type == "fence":
        lines = token.meta.get("parts") or [token.content.removesuffix("\n")]
        return [["pre", [["code", lines]]]]
    if token.type == "code_inline":
        return [["code", [token.content]]]
    if token.type == "image":
        address = token.attrs["src"]
        words: str = token.content or "image"
        if isinstance(address, Placed) and not token.content:
            words = Placed(words, address.start, address.end)
        return _linked(["a", [words], address], path)
    return [token.content] if token.content else []


def _linked(node: list[Any], path: Sequence[Node]) -> list[Node]:
    """A link, then its address; its words alone where a page must not lead there.

    HTML has no link inside of a link (`path` is what stands around it).
    """
    _, children, address = node
    leads = ADDRESS.match(address) and not any(around[0] == "a" for around in path)
    words: list[Node] = [node] if leads else children
    is_said = "".join(_texts(children)) in (address, address.removeprefix("mailto:"))
    told = f" ({address})"
    if isinstance(address, Placed):
        said = [piece.end for piece in _texts(children) if isinstance(piece, Placed)]
        behind = said[-1] if said and said[-1] < address.end else address.start
        told = Placed(told, behind, address.end)
    return words if is_said else [*words, ["small", [told]]]


def _texts(nodes: Iterable[Node]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield node
        else:
            yield from _texts(node[1])


def _shows(tree: Sequence[Node]) -> str | None:
    """The text that shows just as well what the tree does; None where none would."""
    if len(tree) != 1 or tree[0][0] != "p":
        return None
    nodes = tree[0][1]
    if not all(isinstance(node, str) or node[0] == "br" for node in nodes):
        return None
    return "".join(node if isinstance(node, str) else "\n" for node in nodes)


def _html(nodes: Iterable[Node]) -> Markup:
    return Markup().join(
        escape(node) if isinstance(node, str) else _element(*node) for node in nodes
    )


def _element(tag: str, children: Sequence[Node], more: Any = None) -> Markup:
    attributes = Markup()
    if tag == "a":
        attributes = Markup(' href="{}"').format(more) + BESIDE
    elif tag == "ol" and more is not None:
        attributes = Markup(' start="{}"').format(more)
    elif tag in ("table", "pre"):  # where it is wider than the message, the arrow keys scroll it
        attributes = Markup(' tabindex="0"')
    if tag in ("br", "hr"):
        return Markup("<{}>").format(tag)
    return Markup("<{0}{1}>{2}</{0}>").format(tag, attributes, _html(children))
