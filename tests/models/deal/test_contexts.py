"""Contexts: read pair by pair, drawn by the published rule, refused with file and line."""

import random
from pathlib import Path

import pytest
import torch

from palaver.core.errors import InputError
from palaver.games.deal_or_no_deal.generator import DealGenerator
from palaver.models.deal.contexts import is_context_file, made_contexts, read_contexts
from support.shared import COCOA


def dice(seed: int = 3) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def write(folder: Path, text: str) -> Path:
    path = folder / "contexts.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_two_lines_are_a_pair_and_either_may_be_the_first_sides(tmp_path: Path) -> None:
    read = read_contexts(write(tmp_path, "1 0 4 1 1 6\n1 4 4 1 1 2\n\n2 2 1 6 3 0\n2 5 1 0 3 0\n"))
    assert read.pairs.tolist() == [
        [[1, 0, 4, 1, 1, 6], [1, 4, 4, 1, 1, 2]],
        [[2, 2, 1, 6, 3, 0], [2, 5, 1, 0, 3, 0]],
    ]
    drawn = {str(pair) for pair in read.draw(100, dice()).tolist()}
    assert drawn == {str(p) for pair in read.pairs.tolist() for p in (pair, pair[::-1])}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "has no contexts"),
        ("1 0 4 1 1 6\n", ":1: the line of the other side is missing"),
        ("1 0 4 1 1 6\n2 2 1 6 3 0\n", ":2: the counts differ"),
        ("1 0 4 1 1 6\n1 0 4 1 1\n", ":2: a context has six whole numbers"),
        ("1 0 4 1 1 six\n1 0 4 1 1 6\n", ":1: a context has six whole numbers"),
        ("1 0 40 1 1 6\n1 0 40 1 1 6\n", ":1: a context has six whole numbers from 0 to 10"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_contexts(write(tmp_path, text))


def test_a_file_that_is_not_there_or_not_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_contexts(tmp_path / "nothing.txt")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        read_contexts(tmp_path / "bytes.txt")


def test_a_file_of_contexts_is_told_from_one_of_dialogues(tmp_path: Path) -> None:
    assert is_context_file(write(tmp_path, "\n1 0 4 1 1 6\n"))
    assert not is_context_file(write(tmp_path, "<input> 1 0 4 1 1 6 </input>\n"))
    assert not is_context_file(write(tmp_path, ""))


def test_drawn_contexts_follow_the_published_rule() -> None:
    pairs = made_contexts().draw(500, dice())
    counts, values = pairs[..., ::2], pairs[..., 1::2]
    assert torch.equal(counts[:, 0], counts[:, 1])
    assert set(counts[:, 0].sum(1).tolist()) == {5, 6, 7}
    assert (counts * values).sum(2).eq(10).all()
    assert (values.sum(1) > 0).all()
    assert torch.equal(pairs, made_contexts().draw(500, dice()))


def test_they_are_the_contexts_that_the_game_makes() -> None:
    known = {tuple(pair.flatten().tolist()) for pair in made_contexts().pairs}
    for scenario in DealGenerator().generate(200, random.Random(4)):
        made = [n for kb in scenario.kbs for row in kb for n in (row["Count"], row["Value"])]
        assert tuple(made) in known


@pytest.mark.skipif(not (COCOA / "deal_selfplay.txt").is_file(), reason="no shared data here")
def test_the_published_contexts_are_read() -> None:
    read = read_contexts(COCOA / "deal_selfplay.txt")
    assert read.pairs.shape == (4086, 2, 6)
