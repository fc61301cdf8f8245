"""Whether a text links to something, as it is shown.

What a link leads to is part of what was asked, and models do not see it.
"""

import re

from markdown_it import MarkdownIt

_ADDRESS = re.compile(r"https?://")
_BARE_ADDRESS = re.compile(r"\bwww\.\w")
_MAY_LINK = re.compile(r"\]\s*[(\[:]|<")
_markdown = MarkdownIt("commonmark")


def has_link(text: str, *, legacy: bool = False) -> bool:
    """Whether a text has an address or a link of Markdown.

    The first data set looked for `<a>` in the rendered text, which no link renders as: with `legacy`
    only addresses that are written out count.

    >>> has_link("[my post](/r/love/1)"), has_link("[my post](/r/love/1)", legacy=True)
    (True, False)
    """
    if _ADDRESS.search(text):
        return True
    if not legacy and _BARE_ADDRESS.search(text):
        return True
    if not _MAY_LINK.search(text):
        return False
    rendered = _markdown.render(text)
    anchor = "<a>" if legacy else "<a "
    return anchor in rendered or bool(_ADDRESS.search(rendered))
