"""What somebody types, as words of the published lines: in lower case, marks apart."""

import re

# Marks stand apart in the published lines, apostrophes do not: "i'll take 2 , ok ?".
_TOKEN = re.compile(r"[^\W\d_]+(?:['`][^\W\d_]+)*|\d+|[^\w\s'`\"]|_")


def tokenise(text: str) -> list[str]:
    """What somebody types, in words as the published lines have them; never a mark of ours.

    >>> tokenise("I’ll take 2hats, OK? <eos> (deal)")
    ["i'll", 'take', '2', 'hats', ',', 'ok', '?', '<', 'eos', '>', '(', 'deal', ')']
    """
    return _TOKEN.findall(text.lower().replace("’", "'").replace("‘", "'"))
