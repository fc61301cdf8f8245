"""The published lines of Deal or No Deal, a side's view of a dialogue each, as networks learn them.

`<input> … </input> <dialogue> YOU: … <eos> THEM: <selection> </dialogue> <output> … </output>
<partner_input> … </partner_input>`. An input has count and value of book, hat and ball; an output says
what the own side takes and what the partner, or six times why there is no deal. Both sides of a
dialogue wrote a line. `formats.cocoa` reads them as dialogues; training must do without it.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from palaver.core.errors import InputError
from palaver.models.deal.network import (
    CONTEXT,
    END_OF_MESSAGE,
    FAILURES,
    ITEMS,
    MOST_ITEMS,
    SELECTION,
    SLOTS,
    THEM,
    YOU,
)
from palaver.models.deal.tokens import tokenise

# Published messages have words apart, in lower case; what Palaver converts is as it was typed.
_TYPED = re.compile(r"[A-Z]|\w[.,?!](?= |$)")
_LINE = re.compile(
    r"<input> (?P<own>[^<]*) </input> <dialogue> (?P<said>.*) </dialogue> "
    r"<output> (?P<output>.*) </output> <partner_input> (?P<partner>[^<]*) </partner_input>"
)
_TAKES = re.compile(r"item(\d)=(\d{1,2})")
_SPEAKERS = (YOU, THEM)
_MARKED = re.compile(f"(?<!\\S)({'|'.join((*_SPEAKERS, END_OF_MESSAGE, SELECTION))})(?!\\S)")


@dataclass(frozen=True, slots=True)
class DealLine:
    """One side's view of a dialogue: what there is, what was said, and who got what."""

    context: tuple[int, ...]
    words: tuple[str, ...]
    # What is taken of each item, by the own side and then by the partner; or six times a class of
    # failure, which stands after the counts.
    slots: tuple[int, ...]
    partner: tuple[int, ...]

    @property
    def is_deal(self) -> bool:
        return self.slots[0] <= MOST_ITEMS

    @property
    def dialogue(self) -> str:
        """What both views of a dialogue have in common, and no other dialogue has."""
        said = " ".join("*" if word in _SPEAKERS else word for word in self.words)
        sides = sorted([self.context, self.partner])
        return f"{sides} {said}"

    def part(self, parts: int, seed: int) -> int:
        """Which of equal parts the dialogue falls into, by the seed alone: both views into the same."""
        digest = hashlib.sha256(f"{seed}:{self.dialogue}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % parts


def read_lines(paths: Sequence[Path]) -> list[DealLine]:
    """The lines of some files; InputError says where one is cut off, mixed up or missing."""
    found = [line for path in paths for line in _file(path)]
    if not found:
        named = ", ".join(map(str, paths)) or "no file"
        raise InputError(f"There is no dialogue in {named}. Give a file such as deal_train.txt.")
    return found


def divided(
    lines: Iterable[DealLine], *, fold: int, folds: int, seed: int
) -> tuple[list[DealLine], list[DealLine]]:
    """The lines to learn from, and those of the held-out part; InputError where one has none."""
    learnt: list[DealLine] = []
    held: list[DealLine] = []
    for line in lines:
        (held if line.part(folds, seed) == fold % folds else learnt).append(line)
    if not learnt or not held:
        raise InputError(
            f"One dialogue in {folds} is held out, which leaves {len(learnt):,} lines to learn from "
            f"and {len(held):,} to measure on. Give more dialogues, or another number of "
            "'data.folds'."
        )
    return learnt, held


def _file(path: Path) -> Iterator[DealLine]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    for number, raw in enumerate(content.splitlines(), start=1):
        if not raw.strip():
            continue
        try:
            yield _line(raw.decode().strip())
        except UnicodeDecodeError as error:
            raise InputError(f"{path}:{number}: not UTF-8 text ({error.reason}).") from error
        except InputError as error:
            raise InputError(f"{path}:{number}: {error}") from error


def _line(text: str) -> DealLine:
    parts = _LINE.fullmatch(text)
    if parts is None:
        raise InputError(
            "Expected <input> … </input> <dialogue> … </dialogue> <output> … </output> "
            f"<partner_input> … </partner_input>; got '{text[:60]}'. The line may be cut off, or "
            "the file another one."
        )
    own, partner = _context(parts["own"]), _context(parts["partner"])
    if own[::2] != partner[::2]:
        raise InputError(
            f"Both sides see the same items; got counts {list(own[::2])} and {list(partner[::2])}."
        )
    return DealLine(own, _words(parts["said"]), _slots(parts["output"], own), partner)


def _context(text: str) -> tuple[int, ...]:
    numbers = text.split()
    is_whole = all(each.isascii() and each.isdecimal() and len(each) < 4 for each in numbers)
    if len(numbers) != CONTEXT or not is_whole or any(int(each) > MOST_ITEMS for each in numbers):
        raise InputError(
            f"A context has six whole numbers of 0 to {MOST_ITEMS}, count and value of "
            f"{', '.join(ITEMS)}; got '{text.strip()[:60]}'."
        )
    return tuple(map(int, numbers))


def _words(text: str) -> tuple[str, ...]:
    words = tuple(word for part in _MARKED.split(text) for word in _spoken(part))
    if len(words) < 2 or words[-1] != SELECTION:
        raise InputError(
            f"A dialogue ends with {SELECTION}; got '…{text[-40:]}'. The line may be cut off."
        )
    for n, word in enumerate(words):
        if (word in _SPEAKERS) != (n == 0 or words[n - 1] == END_OF_MESSAGE):
            raise InputError(
                f"{YOU} or {THEM} stands at the beginning of each message, and {END_OF_MESSAGE} at "
                f"its end; got '{' '.join(words[max(0, n - 2) : n + 2])}'."
            )
    return words


def _spoken(text: str) -> list[str]:
    """The words of a message, or a mark by itself."""
    is_mark = text in (*_SPEAKERS, END_OF_MESSAGE, SELECTION)
    return tokenise(text) if not is_mark and _TYPED.search(text) else text.split()


def _slots(output: str, own: Sequence[int]) -> tuple[int, ...]:
    words = output.split()
    if len(words) == SLOTS and len(set(words)) == 1 and words[0] in FAILURES:
        return (MOST_ITEMS + 1 + FAILURES.index(words[0]),) * SLOTS
    taken = [(int(m[1]), int(m[2])) for m in map(_TAKES.fullmatch, words) if m is not None]
    if len(words) != len(taken) or [item for item, _ in taken] != [0, 1, 2, 0, 1, 2]:
        raise InputError(
            f"<output> takes item0= item1= item2= twice, or six times one of {', '.join(FAILURES)}; "
            f"got '{output[:80]}'."
        )
    counts = tuple(count for _, count in taken)
    for n, item in enumerate(ITEMS):
        if counts[n] + counts[n + 3] != own[2 * n]:
            raise InputError(
                f"Of '{item}' there are {own[2 * n]}; the split says {counts[n]} + {counts[n + 3]}."
            )
    return counts
