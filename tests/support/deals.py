"""Dialogues of Deal or No Deal in the published form, made by rule, with words of our own."""

import random
from pathlib import Path

ITEMS = ("book", "hat", "ball")
ASKS = (
    "may i have the {things} please ?",
    "i want the {things} .",
    "how about the {things} for me ?",
)
YES = ("fine , it is a deal", "ok , deal", "sure , that works")


def deal_file(path: Path, *, dialogues: int, seed: int = 1) -> Path:
    """A file with the two lines of each dialogue."""
    dice = random.Random(seed)
    lines = [line for _ in range(dialogues) for line in deal_pair(dice)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def deal_pair(dice: random.Random) -> tuple[str, str]:
    """Both views of one dialogue: the first to speak asks for what it values most, and gets it."""
    counts = [dice.randint(1, 3) for _ in ITEMS]
    values = [[dice.randint(0, 4) for _ in ITEMS] for _ in range(2)]
    best = max(range(3), key=lambda n: counts[n] * values[0][n])
    things = f"{ITEMS[best]}s" if counts[best] > 1 else ITEMS[best]
    said = [(0, dice.choice(ASKS).format(things=things)), (1, dice.choice(YES))]
    said.append((0, "<selection>"))
    mine = [counts[n] if n == best else 0 for n in range(3)]
    theirs = [counts[n] - mine[n] for n in range(3)]
    return (
        _line(0, said, counts, values, (mine, theirs)),
        _line(1, said, counts, values, (theirs, mine)),
    )


def _line(
    side: int,
    said: list[tuple[int, str]],
    counts: list[int],
    values: list[list[int]],
    takes: tuple[list[int], list[int]],
) -> str:
    contexts = [
        " ".join(f"{count} {value}" for count, value in zip(counts, each, strict=True))
        for each in (values[side], values[1 - side])
    ]
    words = " <eos> ".join(f"{'YOU' if by == side else 'THEM'}: {text}" for by, text in said)
    output = " ".join(f"item{n}={take}" for each in takes for n, take in enumerate(each))
    return (
        f"<input> {contexts[0]} </input> <dialogue> {words} </dialogue> "
        f"<output> {output} </output> <partner_input> {contexts[1]} </partner_input>"
    )
