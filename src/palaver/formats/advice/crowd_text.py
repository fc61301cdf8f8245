"""Words as a crowd service's page may hold them: HTML without newlines, emoji by name.

The template of such a service puts a cell into its page as it stands. Nothing in a cell may therefore
do more than show words: there is no HTML of the author's own, no image, no link that runs something.
"""

import re
import unicodedata
from functools import lru_cache
from html import escape

from markdown_it import MarkdownIt

from palaver.formats.rich_text import new_parser

_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
_KEYCAP = "[0-9#*]\ufe0f?\u20e3"
_PICTURE = "[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
# What changes a picture or joins two, and is no picture of its own.
_JOINT = "[\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
_EMOJI = re.compile(f"({_FLAG})|({_KEYCAP})|({_PICTURE}){_JOINT}*")
_STRAY = re.compile("[\ufe0e\ufe0f]")
_PREFORMATTED = re.compile(r"(<pre>.*?</pre>)", re.DOTALL)
_FORMULA_SIGNS = "=+-@\t＝＋－＠"
_FIRST_LETTER = ord("\U0001f1e6")


def named_emoji(text: str) -> str:
    """The text with each emoji as its name, which fonts of any page can show.

    >>> named_emoji("Help 🙂 1️⃣ 🇬🇧")
    'Help [SLIGHTLY-SMILING-FACE-EMOJI] [KEYCAP-1-EMOJI] [FLAG-GB-EMOJI]'
    """
    return _STRAY.sub("", _EMOJI.sub(_named, text))


def _named(found: re.Match[str]) -> str:
    flag, keycap, picture = found.groups()
    if flag:
        letters = "".join(chr(ord("A") + ord(each) - _FIRST_LETTER) for each in flag)
        return f"[FLAG-{letters}-EMOJI]"
    if keycap:
        return f"[KEYCAP-{keycap[0]}-EMOJI]"
    name = unicodedata.name(picture, "")
    return f"[{name.replace(' ', '-').upper()}-EMOJI]" if name else picture


def title_cell(text: str) -> str:
    """A title as words of a page: what looks like Markdown or HTML stays what was written.

    A sign by which a formula begins stands there by its number, which shows the same.

    >>> title_cell("# 1 <b>rule</b>"), title_cell("=1+1")
    ('# 1 &lt;b&gt;rule&lt;/b&gt;', '&#61;1+1')
    """
    shown = escape(" ".join(named_emoji(text).split()))
    if shown[:1] and shown[0] in _FORMULA_SIGNS:
        return f"&#{ord(shown[0])};{shown[1:]}"
    return shown


def text_cell(text: str) -> str:
    """A text in Markdown as HTML of one line.

    >>> text_cell("Call *her*.\\nThen\\n\\nwait. <script>")
    '<p>Call <em>her</em>.<br />Then</p><p>wait. &lt;script&gt;</p>'
    """
    pieces = _PREFORMATTED.split(_parser().render(named_emoji(text)))
    return "".join(
        piece.replace("\n", "<br />" if n % 2 else "").replace("\r", "")
        for n, piece in enumerate(pieces)
    )


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = new_parser().disable("image")
    parser.options["breaks"] = True
    parser.options["xhtmlOut"] = True
    return parser
