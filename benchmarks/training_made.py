"""Made data as large as the published ones, with words that are as frequent as words are.

Their texts say nothing, so that no network learns much: it takes as long as with real ones.
"""

import itertools
import json
import random
from collections.abc import Sequence
from pathlib import Path

# What the published training data have: lines, dialogues, words in use; and on average messages of a
# line, words of a message, turns of a dialogue, words of a turn.
DEAL_LINES, DEAL_WORDS, DEAL_MESSAGES, DEAL_MESSAGE = 10_095, 2_500, 6, 7
DESK_DIALOGUES, DESK_WORDS, DESK_TURNS, DESK_TURN = 1_337, 15_000, 4, 35
_ITEMS = 3
_LABELS = {"customer": ("CNUG0", "CNUG", "CNUG*", "CNaN"), "helpdesk": ("HNUG", "HNUG*", "HNaN")}
_POINTS = ("2", "1", "0", "-1", "-2")
_ANNOTATORS = 19


class ZipfWords:
    """Words of which the n-th is as frequent as 1/n."""

    def __init__(self, count: int, dice: random.Random) -> None:
        self._words = [f"w{n}" for n in range(1, count + 1)]
        self._weights = list(itertools.accumulate(1 / n for n in range(1, count + 1)))
        self._dice = dice

    def text(self, mean: int) -> str:
        """Half as many words as the mean, to half as many more."""
        size = self._dice.randint(max(1, mean // 2), mean + mean // 2)
        return " ".join(self._dice.choices(self._words, cum_weights=self._weights, k=size))


def write_deals(path: Path, lines: int, *, seed: int = 1) -> Path:
    """So many lines of Deal or No Deal, a side's view each."""
    dice = random.Random(seed)
    words = ZipfWords(DEAL_WORDS, dice)
    path.write_text("".join(f"{_deal_line(words, dice)}\n" for _ in range(lines)), "utf-8")
    return path


def write_helpdesk(path: Path, dialogues: int, *, seed: int = 1) -> Path:
    """So many help-desk dialogues with the counts of annotators."""
    dice = random.Random(seed)
    words = ZipfWords(DESK_WORDS, dice)
    made = (json.dumps(_helpdesk(f"d{n}", words, dice)) for n in range(dialogues))
    path.write_text("".join(f"{line}\n" for line in made), "utf-8")
    return path


def deal_contexts(rows: int, *, seed: int = 1) -> list[list[list[int]]]:
    """What there is and what it is worth to each of the two sides of so many dialogues."""
    dice = random.Random(seed)
    return [[[*side] for side in _sides(dice)] for _ in range(rows)]


def _sides(dice: random.Random) -> list[list[int]]:
    counts = [dice.randint(1, 3) for _ in range(_ITEMS)]
    return [
        [number for count in counts for number in (count, dice.randint(0, 4))] for _ in range(2)
    ]


def _deal_line(words: ZipfWords, dice: random.Random) -> str:
    own, partner = _sides(dice)
    speakers = ["YOU:", "THEM:"]
    dice.shuffle(speakers)
    count = dice.randint(DEAL_MESSAGES // 2, DEAL_MESSAGES + DEAL_MESSAGES // 2)
    said = [f"{speakers[n % 2]} {words.text(DEAL_MESSAGE)}" for n in range(count - 1)]
    said.append(f"{speakers[(count - 1) % 2]} <selection>")
    takes = [dice.randint(0, there) for there in own[::2]]
    rest = [there - taken for there, taken in zip(own[::2], takes, strict=True)]
    output = [f"item{n % _ITEMS}={taken}" for n, taken in enumerate([*takes, *rest])]
    return (
        f"<input> {_spaced(own)} </input> <dialogue> {' <eos> '.join(said)} </dialogue> "
        f"<output> {' '.join(output)} </output> <partner_input> {_spaced(partner)} </partner_input>"
    )


def _helpdesk(id_: str, words: ZipfWords, dice: random.Random) -> dict[str, object]:
    count = dice.randint(DESK_TURNS - 2, DESK_TURNS + 2)
    senders = [("customer", "helpdesk")[n % 2] for n in range(count)]
    return {
        "id": id_,
        "turns": [{"sender": who, "utterances": [words.text(DESK_TURN)]} for who in senders],
        "nugget": [_counts(_LABELS[who], dice) for who in senders],
        "quality": {scale: _counts(_POINTS, dice) for scale in "ASE"},
    }


def _counts(labels: Sequence[str], dice: random.Random) -> dict[str, int]:
    said = dice.choices(labels, k=_ANNOTATORS)
    return {label: said.count(label) for label in labels}


def _spaced(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))
