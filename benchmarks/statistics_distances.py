"""The four distances of shared tasks against a scorer that goes from turn to turn."""

from typing import Any

import numpy as np
from scipy import stats

from benchmarks.statistics_measuring import extrapolated, memory, seconds, side, speed, timed
from benchmarks.table import Figure
from palaver.metrics.distances import jsd, nmd, rnss, rsnod

HERE = __name__
# Turns of a dialogue, and the labels a turn and a scale can have.
TURNS, NUGGETS, POINTS, SCALES = 4, 4, 5, 3


def run(*, dialogues: int, done: int) -> tuple[list[Figure], Any]:
    """Dialogues per second: two distances of each turn, two of each of three scales."""
    ours = side(f"{HERE}:ours", dialogues=dialogues)
    scorer = side(f"{HERE}:turn_by_turn", dialogues=dialogues, done=done)
    plain = side(f"{HERE}:plain_loop", dialogues=dialogues, done=done)
    what = f"{dialogues:,} dialogues, from arrays"
    return [
        seconds(what, ours),
        speed(
            f"{what} (floor: numpy and scipy turn by turn, {done:,} of them)",
            dialogues,
            "/s",
            ours,
            scorer,
            least=500,
        ),
        speed(f"{what} (floor: plain Python, {done:,} of them)", dialogues, "/s", ours, plain),
        memory(f"{what}: peak memory", ours),
    ], {"ours": ours, "turn_by_turn": scorer, "plain": plain}


def ours(*, dialogues: int) -> dict[str, Any]:
    """All turns, then all scales, at once; then a mean per dialogue."""
    turns, gold_turns, scales, gold_scales = _given(dialogues)
    jsd(turns[:2], gold_turns[:2])

    def work() -> None:
        for distance in (jsd, rnss):
            distance(turns, gold_turns).mean(axis=1).mean()
        for distance in (nmd, rsnod):
            distance(scales, gold_scales).mean(axis=0)

    return timed(work, rounds=3)


def turn_by_turn(*, dialogues: int, done: int) -> dict[str, Any]:
    """A scorer as public ones are built: numpy and scipy called for each turn and each scale."""
    turns, gold_turns, scales, gold_scales = _given(done)

    def work() -> None:
        for n in range(done):
            for said, true in zip(turns[n], gold_turns[n], strict=True):
                p, q = said / np.sum(said), true / np.sum(true)
                middle = (p + q) / 2
                (stats.entropy(p, middle, base=2) + stats.entropy(q, middle, base=2)) / 2
                np.sqrt(np.sum((p - q) ** 2) / 2)
            for said, true in zip(scales[n], gold_scales[n], strict=True):
                p, q = said / np.sum(said), true / np.sum(true)
                np.sum(np.abs(np.cumsum(p) - np.cumsum(q))) / (POINTS - 1)
                _root_of_order_divergence(p, q)

    return extrapolated(timed(work), done=done, wanted=dialogues)


def _root_of_order_divergence(p: Any, q: Any) -> Any:
    places = np.arange(POINTS)
    weighted = [np.sum(np.abs(place - places) * (p - q) ** 2) for place in places]
    one = np.mean([w for w, share in zip(weighted, p, strict=True) if share > 0])
    other = np.mean([w for w, share in zip(weighted, q, strict=True) if share > 0])
    return np.sqrt((one + other) / 2 / (POINTS - 1))


def plain_loop(*, dialogues: int, done: int) -> dict[str, Any]:
    """The same without numpy, on lists."""
    from math import log2, sqrt

    turns, gold_turns, scales, gold_scales = (each.tolist() for each in _given(done))

    def shares(values: list[float]) -> list[float]:
        total = sum(values)
        return [value / total for value in values]

    def surprise(p: list[float], middle: list[float]) -> float:
        return sum(a * log2(a / m) for a, m in zip(p, middle, strict=True) if a > 0)

    def order(p: list[float], q: list[float], among: list[float]) -> float:
        squares = [(a - b) ** 2 for a, b in zip(p, q, strict=True)]
        kept = [
            sum(abs(i - j) * square for j, square in enumerate(squares))
            for i, share in enumerate(among)
            if share > 0
        ]
        return sum(kept) / len(kept)

    def work() -> None:
        for n in range(done):
            for said, true in zip(turns[n], gold_turns[n], strict=True):
                p, q = shares(said), shares(true)
                middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
                (surprise(p, middle) + surprise(q, middle)) / 2
                sqrt(sum((a - b) ** 2 for a, b in zip(p, q, strict=True)) / 2)
            for said, true in zip(scales[n], gold_scales[n], strict=True):
                p, q = shares(said), shares(true)
                carried = ahead = 0.0
                for a, b in zip(p, q, strict=True):
                    ahead += a - b
                    carried += abs(ahead)
                carried /= POINTS - 1
                sqrt((order(p, q, p) + order(p, q, q)) / 2 / (POINTS - 1))

    return extrapolated(timed(work), done=done, wanted=dialogues)


def _given(dialogues: int) -> tuple[Any, Any, Any, Any]:
    """Predictions as shares and gold as counts of nineteen annotators."""
    dice = np.random.default_rng(0)
    return (
        dice.dirichlet(np.ones(NUGGETS), (dialogues, TURNS)),
        dice.multinomial(19, np.full(NUGGETS, 1 / NUGGETS), (dialogues, TURNS)).astype(float),
        dice.dirichlet(np.ones(POINTS), (dialogues, SCALES)),
        dice.multinomial(19, np.full(POINTS, 1 / POINTS), (dialogues, SCALES)).astype(float),
    )
