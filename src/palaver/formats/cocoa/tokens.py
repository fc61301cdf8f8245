"""The tokens of CoCoA's systems as sentences that people read, and who spoke them.

A token is a text, or an entity `[surface, [value, type]]` (in old files `[surface, type]`). Prices
become `PRICE`, because the numbers in model outputs are placeholders; moves are written in capitals
without their brackets; other marks in angle brackets are for machines and are left out. A turn may
also be one text, as in the Twitter variant.
"""

import string
from collections.abc import Sequence
from typing import Any

Tokens = str | Sequence[Any]

PRICE = "PRICE"
# After one of these nothing that can be judged is said any more.
TERMINAL = frozenset({"<offer>", "<accept>", "<reject>", "<quit>", "<done>"})
MOVES = TERMINAL | {"<select>"}
ROLES = {"<go-b>": "buyer", "<go-s>": "seller"}
OTHER_ROLE = {"buyer": "seller", "seller": "buyer", "A": "B", "B": "A"}
_WORDS = {"<unk>": "UNK", "< url >": "URL", "<url>": "URL"}
# These lean on the word behind them; other punctuation on the one before.
_OPENING = frozenset("([{$#@")


def is_tokens(turn: Any) -> bool:
    """Whether this is a turn: a text, or a list of texts and entities."""
    return isinstance(turn, str) or (
        isinstance(turn, list) and all(isinstance(token, str) or _entity(token) for token in turn)
    )


def is_terminal(turn: Tokens) -> bool:
    """Whether a turn makes an offer, answers one or leaves."""
    words = turn.lower().split() if isinstance(turn, str) else turn
    return any(isinstance(word, str) and word.lower() in TERMINAL for word in words)


def sentence(turn: Tokens) -> str:
    """A turn as people read it.

    >>> sentence(["<go-b>", "would", "you", "take", ["$100", [100, "price"]], "?", "</s>"])
    'would you take PRICE?'
    >>> sentence(["i", "do", "n't", "have", "(", "any", ")", "."]), sentence(["<accept>"])
    ("i don't have (any).", 'ACCEPT')
    """
    if isinstance(turn, str):
        for mark, word in _WORDS.items():
            turn = turn.replace(mark, word).replace(mark.upper(), word)
        return " ".join(turn.split())
    said: list[str] = []
    leans = False
    for token in turn:
        word = _word(token)
        if not word:
            continue
        if said and (leans or _follows(word)):
            said[-1] += word
        else:
            said.append(word)
        leans = word in _OPENING
    return " ".join(said)


def roles(turns: Sequence[Tokens]) -> list[str]:
    """Who spoke each turn: as its first mark says, else by turns with a turn that has one, else A, B.

    >>> roles([["hi"], ["<go-s>", "hello"], ["ok"]]), roles([["hi"], ["hello"]])
    (['buyer', 'seller', 'buyer'], ['A', 'B'])
    """
    marked = [next((ROLES[t] for t in turn if _is_role(t)), None) for turn in turns]
    known = next((n for n, role in enumerate(marked) if role), None)
    if known is None:
        return ["AB"[n % 2] for n in range(len(turns))]
    found = [marked[known] or ""]
    for role in reversed(marked[:known]):
        found.insert(0, role or OTHER_ROLE[found[0]])
    for role in marked[known + 1 :]:
        found.append(role or OTHER_ROLE[found[-1]])
    return found


def _is_role(token: Any) -> bool:
    return isinstance(token, str) and token in ROLES


def _entity(token: Any) -> bool:
    """Whether this is `[surface, [value, type]]` or `[surface, type]`."""
    if not isinstance(token, list) or len(token) != 2 or not isinstance(token[0], str):
        return False
    kind = token[1]
    return isinstance(kind, str) or (isinstance(kind, list) and len(kind) == 2)


def _word(token: Any) -> str:
    if not isinstance(token, str):
        kind = token[1] if isinstance(token[1], str) else token[1][1]
        return PRICE if kind == "price" else str(token[0])
    lowered = token.lower()
    if lowered in MOVES:
        return lowered[1:-1].upper()
    if lowered in _WORDS:
        return _WORDS[lowered]
    if len(token) > 2 and token[0] == "<" and token[-1] == ">":
        return ""
    return token.strip()


def _follows(word: str) -> bool:
    """Whether a token leans on the word before it: punctuation, and endings such as n't and 's."""
    if word in _OPENING:
        return False
    return all(sign in string.punctuation for sign in word) or word[0] == "'" or word == "n't"
