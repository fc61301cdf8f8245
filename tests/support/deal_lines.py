"""Small files of Deal or No Deal in words of our own, made by lot."""

import random
from pathlib import Path

import torch

from palaver.models.deal.lines import DealLine, read_lines

_ITEMS = ("book", "hat", "ball")
ANSWERS = ("deal", "ok fine", "sounds good to me", "no way")


def write_made_lines(path: Path, dialogues: int, *, seed: int = 0) -> Path:
    """A file of so many dialogues, two lines each; some end without a deal."""
    dice = random.Random(seed)
    views = [view for _ in range(dialogues) for view in _views(dice)]
    path.write_text("".join(f"{view}\n" for view in views), encoding="utf-8")
    return path


def made_lines(folder: Path, dialogues: int, *, seed: int = 0) -> list[DealLine]:
    """The lines of such a file."""
    return read_lines([write_made_lines(folder / "deals.txt", dialogues, seed=seed)])


def random_contexts(rows: int, *, seed: int = 0) -> torch.Tensor:
    """Contexts of one to four of each item, and values up to ten."""
    dice = torch.Generator().manual_seed(seed)
    contexts = torch.randint(0, 11, (rows, 6), generator=dice)
    contexts[:, ::2] = torch.randint(1, 5, (rows, 3), generator=dice)
    return contexts


def _views(dice: random.Random) -> list[str]:
    counts = [dice.randint(1, 3) for _ in _ITEMS]
    sides = [[dice.randint(0, 4) for _ in _ITEMS] for _ in range(2)]
    wanted = dice.randrange(3)
    taken = [count if n == wanted else 0 for n, count in enumerate(counts)]
    name = _ITEMS[wanted] + ("s" if counts[wanted] > 1 else "")
    answer = dice.choice(ANSWERS)
    said = [f"i want {counts[wanted]} {name} please", answer]
    return [
        _line(counts, sides, said, taken, is_deal=answer != "no way", first=first)
        for first in (True, False)
    ]


def _line(
    counts: list[int],
    sides: list[list[int]],
    said: list[str],
    taken: list[int],
    *,
    is_deal: bool,
    first: bool,
) -> str:
    own, partner = sides if first else sides[::-1]
    rest = [count - mine for count, mine in zip(counts, taken, strict=True)]
    shares = taken + rest if first else rest + taken
    output = [f"item{n % 3}={share}" for n, share in enumerate(shares)]
    speakers = ("YOU:", "THEM:") if first else ("THEM:", "YOU:")
    turns = [f"{speakers[n % 2]} {text}" for n, text in enumerate([*said, "<selection>"])]
    return (
        f"<input> {_numbers(counts, own)} </input> <dialogue> {' <eos> '.join(turns)} </dialogue> "
        f"<output> {' '.join(output if is_deal else ['<no_agreement>'] * 6)} </output> "
        f"<partner_input> {_numbers(counts, partner)} </partner_input>"
    )


def _numbers(counts: list[int], values: list[int]) -> str:
    return " ".join(f"{count} {value}" for count, value in zip(counts, values, strict=True))
