"""Who is in which split: examples go to train, dev and test writer by writer.

No writer is in two splits, so that no model is tested on the habits of somebody it was trained on.
Where contexts are to be apart too, writers who share one are kept together. Such groups are put into
splits so that the shares come out as nearly as they can: several fillings, each in an order that the
seed decides, are improved by moving and swapping groups, and the best is taken. The same examples and
the same seed give the same splits.
"""

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from palaver.core.errors import InputError
from palaver.core.evaluation.rounds import WrittenExample
from palaver.core.words import listed

TRAIN, DEV, TEST = "train", "dev", "test"
SPLITS = (TRAIN, DEV, TEST)
SHARES: Mapping[str, float] = {TRAIN: 0.6, DEV: 0.2, TEST: 0.2}
# How far from 1 shares may add up: 0.33, 0.33 and 0.33 are thirds.
ROUNDED = 0.011
# So many fillings are tried; each is improved until no move or swap helps.
FILLINGS = 24
# With more groups than this swapping pairs takes long, and moves alone come as near.
MOST_SWAPPED = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Splitting:
    """The split of each example by uid, and what is to be known of it."""

    splits: Mapping[str, str]
    # Contexts with examples in more than one split.
    shared_contexts: int = 0
    groups: int = 0
    notes: tuple[str, ...] = ()

    def of(self, split: str) -> tuple[str, ...]:
        """The uids of one split, in the order of the examples."""
        return tuple(uid for uid, place in self.splits.items() if place == split)


def split_examples(
    examples: Sequence[WrittenExample],
    *,
    shares: Mapping[str, float] = SHARES,
    seed: str,
    apart: bool = False,
) -> Splitting:
    """The split of every example; with `apart` no context is in two splits either."""
    wanted = checked_shares(shares)
    groups = _groups(examples, apart=apart)
    if not groups:
        return Splitting(splits={})
    placed = _best_filling([len(group) for group in groups], wanted, seed)
    place = {
        example.uid: split for group, split in zip(groups, placed, strict=True) for example in group
    }
    splits = {example.uid: place[example.uid] for example in examples}
    return Splitting(
        splits=splits,
        shared_contexts=_shared_contexts(examples, splits),
        groups=len(groups),
        notes=tuple(_notes(examples, groups, wanted, placed, apart=apart)),
    )


def checked_shares(shares: Mapping[str, float]) -> dict[str, float]:
    """The shares that are above 0, made to add up to 1; InputError unless they nearly do."""
    unknown = sorted(set(shares) - set(SPLITS))
    if unknown:
        raise InputError(f"A split is one of {listed(SPLITS, 'or')}; got '{unknown[0][:40]}'.")
    wrong = next((name for name in shares if not 0 <= shares[name] < float("inf")), None)
    if wrong is not None:
        raise InputError(f"The share of '{wrong}' is a number from 0; got {shares[wrong]:g}.")
    total = sum(shares.values())
    if abs(total - 1) > ROUNDED:
        raise InputError(
            f"The shares of the splits must add up to 1; these add up to {total:g}. For one split alone "
            "write, for example, test=1."
        )
    return {name: shares[name] / total for name in SPLITS if shares.get(name)}


def _groups(examples: Iterable[WrittenExample], *, apart: bool) -> list[tuple[WrittenExample, ...]]:
    """The examples that must stay together: those of one writer, or linked by a context too."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        leader.setdefault(name, name)
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    found: dict[str, list[WrittenExample]] = defaultdict(list)
    for example in examples:
        writer = find(f"writer:{example.writer}")
        if apart:
            leader[find(f"context:{example.context}")] = writer
    for example in examples:
        found[find(f"writer:{example.writer}")].append(example)
    return [tuple(group) for group in found.values()]


@dataclass(frozen=True, slots=True, order=True)
class _Cost:
    """How far a filling is from what is wanted; the smaller is better, in this order.

    Where there are too few groups, a test set is wanted more than the others.
    """

    empty: int
    no_test: bool
    off: float


def _best_filling(sizes: Sequence[int], shares: Mapping[str, float], seed: str) -> list[str]:
    names = list(shares)
    targets = [share * sum(sizes) for share in shares.values()]
    best: tuple[_Cost, list[int]] | None = None
    for attempt in range(FILLINGS):
        placed = _filled(sizes, targets, f"{seed}:{attempt}")
        _improve(placed, sizes, targets, names)
        cost = _cost(_totals(placed, sizes, len(names)), targets, names)
        if best is None or cost < best[0]:
            best = cost, placed
        if cost == _least_cost(targets):
            break
    assert best is not None
    return [names[place] for place in best[1]]


def _filled(sizes: Sequence[int], targets: Sequence[float], seed: str) -> list[int]:
    """Each group where most is missing: in the first attempt the large ones first, then by lot."""
    by_lot = sorted(range(len(sizes)), key=lambda n: _draw(seed, n))
    if seed.endswith(":0"):
        by_lot.sort(key=lambda n: -sizes[n])
    missing = list(targets)
    placed = [0] * len(sizes)
    for group in by_lot:
        placed[group] = max(range(len(missing)), key=lambda split: missing[split])
        missing[placed[group]] -= sizes[group]
    return placed


def _improve(
    placed: list[int], sizes: Sequence[int], targets: Sequence[float], names: Sequence[str]
) -> None:
    """Move and swap groups until neither makes the filling better."""
    totals = _totals(placed, sizes, len(targets))
    cost = _cost(totals, targets, names)
    swaps = len(sizes) <= MOST_SWAPPED
    is_better = True
    while is_better:
        is_better = False
        for changed in _changes(placed, len(targets), swaps=swaps):
            after = list(totals)
            for group, split in changed:
                after[placed[group]] -= sizes[group]
                after[split] += sizes[group]
            new = _cost(after, targets, names)
            if new < cost:
                for group, split in changed:
                    placed[group] = split
                totals, cost, is_better = after, new, True
                break


def _changes(
    placed: Sequence[int], splits: int, *, swaps: bool
) -> Iterable[tuple[tuple[int, int], ...]]:
    """Every group in another split; then every two groups in each other's."""
    groups = range(len(placed))
    for group in groups:
        yield from (((group, to),) for to in range(splits) if to != placed[group])
    for one in groups if swaps else ():
        for other in groups[one + 1 :]:
            if placed[one] != placed[other]:
                yield ((one, placed[other]), (other, placed[one]))


def _totals(placed: Sequence[int], sizes: Sequence[int], splits: int) -> list[int]:
    totals = [0] * splits
    for split, size in zip(placed, sizes, strict=True):
        totals[split] += size
    return totals


def _cost(totals: Sequence[int], targets: Sequence[float], names: Sequence[str]) -> _Cost:
    off = sum(abs(total - target) for total, target in zip(totals, targets, strict=True))
    no_test = TEST in names and not totals[names.index(TEST)]
    # What differs by rounding alone is the same.
    return _Cost(sum(not total for total in totals), no_test, round(off, 6))


def _least_cost(targets: Sequence[float]) -> _Cost:
    """What no filling can be better than: whole numbers as near to the targets as they come."""
    down = [math.floor(target) for target in targets]
    by_rest = sorted(range(len(targets)), key=lambda n: down[n] - targets[n])
    for split in by_rest[: round(sum(targets)) - sum(down)]:
        down[split] += 1
    off = sum(abs(total - target) for total, target in zip(down, targets, strict=True))
    return _Cost(0, False, round(off, 6))


def _draw(seed: str, number: int) -> bytes:
    return hashlib.sha256(f"{seed}:{number}".encode()).digest()


def _shared_contexts(examples: Iterable[WrittenExample], splits: Mapping[str, str]) -> int:
    places: dict[str, set[str]] = defaultdict(set)
    for example in examples:
        places[example.context].add(splits[example.uid])
    return sum(len(found) > 1 for found in places.values())


def _notes(
    examples: Sequence[WrittenExample],
    groups: Sequence[Sequence[WrittenExample]],
    shares: Mapping[str, float],
    placed: Sequence[str],
    *,
    apart: bool,
) -> Iterable[str]:
    writers = len({example.writer for example in examples})
    if len(shares) > 1 and writers == 1:
        yield (
            f"One person wrote all of it, so all of it is in '{placed[0]}': a writer is never in "
            "two splits."
        )
    elif apart and len(shares) > 1 and len(groups) == 1:
        yield (
            f"The {writers} writers are linked by contexts that they share, so everything is in "
            f"'{placed[0]}'. Without --contexts-apart writers alone are kept apart."
        )
    elif len(groups) < len(shares):
        empty = [name for name in shares if name not in placed]
        what = "writers" if not apart else "groups of writers and contexts"
        yield f"With {len(groups)} {what} nothing is left for {listed(empty)}."
