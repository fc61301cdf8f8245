"""The platform's HTML fragments (instructions, descriptions, examples) as Markdown."""

import re
from html.parser import HTMLParser

_BLOCKS = frozenset({"p", "div", "ul", "ol", "section", "table", "tr", "blockquote"})
_HEADINGS = {f"h{n}": "#" * max(2, n) for n in range(1, 7)}
# The platform folds its help under buttons that bear a question.
_HEADINGS["button"] = "####"
_CELLS = frozenset({"td", "th"})
_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*"}
_SILENT = frozenset({"script", "style", "head", "title"})


def markdown_of(html: str) -> str:
    """The text of some HTML with its headings, lists and emphasis.

    >>> markdown_of("<h4>Chat</h4><br>Be <b>kind</b>.<ul><li>one</li></ul>")
    '#### Chat\\n\\nBe **kind**.\\n\\n- one'

    What was said in an example stands in spans of a code element, and becomes a quotation.

    >>> print(markdown_of("<code><span>Sam: Hi.</span> <span>Alex: No.</span></code>Rude."))
    > Sam: Hi.
    >
    > Alex: No.
    <BLANKLINE>
    Rude.
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
        # Where emphasis began, innermost last.
        self._emphasis: list[int] = []
        # Whether an example is open, and how many of its lines were said.
        self._in_example = False
        self._lines = 0

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
        elif tag == "hr":
            self._pieces.append("\n\n---\n\n")
        elif tag in _CELLS:
            self._pieces.append(" ")
        elif tag == "code":
            self._in_example, self._lines = True, 0
            self._pieces.append("\n\n")
        elif tag == "span" and self._in_example:
            self._pieces.append("\n>\n> " if self._lines else "\n> ")
            self._lines += 1
        elif tag in _MARKS:
            self._emphasis.append(len(self._pieces))

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag == "code":
            self._in_example = False
            self._pieces.append("\n\n")
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._pieces.append("\n\n")
        elif tag in _MARKS and self._emphasis:
            self._emphasise(_MARKS[tag], self._emphasis.pop())

    def _emphasise(self, mark: str, start: int) -> None:
        """Put marks around what was said since `start`; around a heading there can be none."""
        said = "".join(self._pieces[start:])
        inner = said.strip()
        if inner and "\n\n" not in said:
            lead, trail = said[: len(said) - len(said.lstrip())], said[len(said.rstrip()) :]
            self._pieces[start:] = [f"{lead}{mark}{inner}{mark}{trail}"]

    def handle_data(self, data: str) -> None:
        if not self._silent:
            said = re.sub(r"\s+", " ", data)
            # Between two lines of an example there is nothing but the layout of the code.
            if said.strip() or not self._in_example:
                self._pieces.append(said)

    def text(self) -> str:
        """What was read, with at most one empty line between two others."""
        kept = "\n".join(line.strip() for line in "".join(self._pieces).split("\n"))
        kept = re.sub(r"(?m)^(-|>|#+) +", r"\1 ", kept)
        return re.sub(r"\n{3,}", "\n\n", kept).strip()
