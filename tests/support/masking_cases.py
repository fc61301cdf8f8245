"""The cases that masking is measured on, and the table that the documentation shows of it.

A line of `tests/formats/masking_cases.jsonl` is a text with the details in it: `spans` lists, in order,
the kind and the words of each detail that must go; of the kind "?" are words that may go or stay (a
town beside a street). `before` are messages of the same dialogue, `known` names that the study knows.
The `held-out` cases were written before the rules, by an author who then had them in mind; the `hard`
ones after them, to find where they fail. No rule was changed after either was measured. The
`written` ones were written along with the rules.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from palaver.formats.masking import KINDS, Find, KnownNames, Masker

CASES = Path(__file__).parents[1] / "formats" / "masking_cases.jsonl"
EITHER = "?"
SETS = ("held-out", "hard", "written")


@dataclass(frozen=True, slots=True)
class Case:
    """A text, the details that must go, and where others may."""

    set: str
    text: str
    expected: tuple[Find, ...]
    either: tuple[Find, ...]
    before: tuple[str, ...]
    known: tuple[str, ...]

    def found(self) -> tuple[Find, ...]:
        masker = Masker(KnownNames(ids=self.known))
        return masker.with_names_in([*self.before, self.text]).found(self.text).finds

    def letters(self, finds: tuple[Find, ...]) -> set[int]:
        """The places of the letters and digits that are in some of these."""
        places = (range(find.start, find.end) for find in finds)
        return {n for each in places for n in each if self.text[n].isalnum()}


@dataclass(slots=True)
class Measured:
    """Per kind: details that must go and those that went whole; what was masked, and that rightly."""

    expected: Counter[str] = field(default_factory=Counter)
    caught: Counter[str] = field(default_factory=Counter)
    masked: Counter[str] = field(default_factory=Counter)
    rightly: Counter[str] = field(default_factory=Counter)


def cases() -> Iterator[Case]:
    with CASES.open(encoding="utf-8") as lines:
        for line in lines:
            yield _case(json.loads(line))


def _case(row: dict[str, object]) -> Case:
    text, at = str(row["text"]), 0
    expected, either = [], []
    for kind, words in row["spans"]:  # type: ignore[attr-defined]
        start = text.index(words, at)
        at = start + len(words)
        (either if kind == EITHER else expected).append(Find(start, at, kind))
    return Case(
        set=str(row["set"]),
        text=text,
        expected=tuple(expected),
        either=tuple(either),
        before=tuple(row.get("before", ())),  # type: ignore[arg-type]
        known=tuple(row.get("known", ())),  # type: ignore[arg-type]
    )


def measure(chosen: str) -> Measured:
    """Recall and precision on the cases of one set.

    A detail is caught when all its letters and digits are masked, whatever the placeholder says; a
    placeholder is right when all that it stands for belongs to details.
    """
    result = Measured()
    for case in cases():
        if case.set != chosen:
            continue
        found = case.found()
        gone = case.letters(found)
        allowed = case.letters((*case.expected, *case.either))
        for find in case.expected:
            result.expected[find.kind] += 1
            result.caught[find.kind] += case.letters((find,)) <= gone
        for find in found:
            result.masked[find.kind] += 1
            result.rightly[find.kind] += case.letters((find,)) <= allowed
    return result


def table() -> str:
    """The table of the documentation."""
    sides = [measure(name) for name in SETS]
    lines = [
        "| | | held out | | hard | | along with the rules | |",
        "|---|---|---|---|---|---|---|---|",
        f"| kind | placeholder |{' recall | precision |' * len(SETS)}",
    ]
    for kind, name in KINDS.items():
        cells = [cell for side in sides for cell in _cells(side, [kind])]
        lines.append(f"| {name} | `[{kind}]` | {' | '.join(cells)} |")
    cells = [cell for side in sides for cell in _cells(side, list(KINDS))]
    lines.append(f"| all | | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cells(side: Measured, kinds: list[str]) -> Iterator[str]:
    for part, whole in ((side.caught, side.expected), (side.rightly, side.masked)):
        right, total = sum(part[kind] for kind in kinds), sum(whole[kind] for kind in kinds)
        yield f"{right} of {total}" if total else "–"
