"""Splits by writer: nobody is in two of them, and their shares come out as nearly as they can."""

import random
from collections.abc import Mapping, Sequence
from itertools import product

import pytest

from palaver.core.errors import InputError
from palaver.evaluation.rounds.splits import SHARES, split_examples
from support.written import by_writers, written


def sizes(splits: Mapping[str, str]) -> dict[str, int]:
    return {name: list(splits.values()).count(name) for name in ("train", "dev", "test")}


def least_off(counts: Sequence[int], shares: Mapping[str, float]) -> float:
    """The nearest that any filling comes to the shares, all of them tried."""
    total = sum(counts)
    found = []
    for places in product(range(len(shares)), repeat=len(counts)):
        held = [0] * len(shares)
        for place, count in zip(places, counts, strict=True):
            held[place] += count
        if all(held):
            off = sum(abs(n - s * total) for n, s in zip(held, shares.values(), strict=True))
            found.append(off)
    return min(found)


def test_no_writer_is_in_two_splits() -> None:
    examples = by_writers(*range(1, 30), contexts=40)
    found = split_examples(examples, seed="s")
    places: dict[str, set[str]] = {}
    for example in examples:
        places.setdefault(example.writer, set()).add(found.splits[example.uid])
    assert all(len(each) == 1 for each in places.values())
    assert sizes(found.splits) == {"train": 261, "dev": 87, "test": 87}
    assert found.shared_contexts > 0


def test_shares_are_as_near_as_any_filling_comes() -> None:
    # Independent: every one of the 3^n fillings is tried.
    draw = random.Random(7)
    for _ in range(25):
        counts = [draw.randint(1, 30) for _ in range(draw.randint(3, 8))]
        found = sizes(split_examples(by_writers(*counts), seed="s").splits)
        off = sum(abs(found[name] - SHARES[name] * sum(counts)) for name in SHARES)
        assert off == pytest.approx(least_off(counts, SHARES)), counts


def test_the_seed_decides_and_the_same_seed_gives_the_same() -> None:
    examples = by_writers(*[3] * 20)
    first = split_examples(examples, seed="a").splits
    assert split_examples(examples, seed="a").splits == first
    assert any(split_examples(examples, seed=seed).splits != first for seed in "bcd")


def test_contexts_are_kept_apart_where_that_is_asked() -> None:
    # Writers 0 and 1 share c0; writer 2 shares c1 with writer 3.
    shared = {0: "c0", 1: "c0", 2: "c1", 3: "c1", 4: "c2", 5: "c3"}
    examples = [
        written(10 * writer + n, writer=f"w{writer}", context=context)
        for writer, context in shared.items()
        for n in range(2)
    ]
    found = split_examples(examples, seed="s", apart=True)
    assert found.shared_contexts == 0
    assert found.groups == 4
    by_context: dict[str, set[str]] = {}
    for example in examples:
        by_context.setdefault(example.context, set()).add(found.splits[example.uid])
    assert all(len(each) == 1 for each in by_context.values())


def test_one_writer_is_in_one_split_and_that_is_said() -> None:
    found = split_examples(by_writers(5), seed="s")
    assert sizes(found.splits) == {"train": 0, "dev": 0, "test": 5}
    assert "One person wrote all of it, so all of it is in 'test'" in found.notes[0]


def test_two_writers_leave_no_dev_set() -> None:
    found = split_examples(by_writers(6, 4), seed="s")
    assert sizes(found.splits) == {"train": 6, "dev": 0, "test": 4}
    assert found.notes == ("With 2 writers nothing is left for dev.",)


def test_contexts_that_link_everybody_are_named() -> None:
    found = split_examples(by_writers(3, 3, 3, contexts=1), seed="s", apart=True)
    assert found.groups == 1
    assert "linked by contexts" in found.notes[0]


def test_a_split_with_no_share_gets_nothing() -> None:
    found = split_examples(by_writers(*[2] * 10), shares={"test": 1}, seed="s")
    assert sizes(found.splits) == {"train": 0, "dev": 0, "test": 20}
    assert found.notes == ()


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ({"training": 1.0}, "one of train, dev or test; got 'training'"),
        ({"test": -1.0}, "a number from 0; got -1"),
        ({"test": 0.0}, "must add up to 1; these add up to 0"),
        ({"train": 2.0}, "must add up to 1; these add up to 2"),
        ({"train": 0.6, "test": 0.2}, "these add up to 0.8"),
    ],
)
def test_shares_that_are_none_are_refused(shares: Mapping[str, float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        split_examples(by_writers(2), shares=shares, seed="s")
