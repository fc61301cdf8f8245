"""The platform's HTML fragments (instructions, descriptions) as Markdown."""

import re
from html.parser import HTMLParser

_BLOCKS = frozenset({"p", "div", "ul", "ol", "section", "table", "tr", "blockquote"})
_HEADINGS = {f"h{n}": "#" * max(2, n) for n in range(1, 7)}
_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*"}
_SILENT = frozenset({"script", "style", "head", "title"})


def markdown_of(html: str) -> str:
    """The text of some HTML with its headings, lists and emphasis.

    >>> markdown_of("<h4>Chat</h4><br>Be <b>kind</b>.<ul><li>one</li></ul>")
    '#### Chat\\n\\nBe **kind**.\\n\\n- one'
    """
    parser = _Markdown()
    parser.feed(html)
    parser.close()
    return parser.text()


class _Markdown(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._pieces: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent += 1
        elif tag in _HEADINGS:
            self._pieces.append(f"\n\n{_HEADINGS[tag]} ")
        elif tag in _BLOCKS:
            self._pieces.append("\n\n")
        elif tag == "br":
            self._pieces.append("\n")
        elif tag == "li":
            self._pieces.append("\n- ")
        else:
            self._pieces.append(_MARKS.get(tag, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._pieces.append("\n\n")
        else:
            self._pieces.append(_MARKS.get(tag, ""))

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._pieces.append(re.sub(r"\s+", " ", data))

    def text(self) -> str:
        """What was read, with at most one empty line between two others."""
        lines = [line.strip() for line in "".join(self._pieces).split("\n")]
        # Emphasis around a heading is left over once the heading stands on a line of its own.
        kept = "\n".join("" if line in _MARKS.values() else line for line in lines)
        return re.sub(r"\n{3,}", "\n\n", kept).strip()
