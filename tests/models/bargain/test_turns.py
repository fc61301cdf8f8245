"""Dialogues as turns in numbers: prices on one's own scale, and what our rules leave room for."""

import json
from pathlib import Path

import pytest
import torch

from palaver.core.errors import InputError
from palaver.games.craigslist_bargain.sides import BargainSide
from palaver.models.bargain.dialogues import BargainDialogue, read_bargains
from palaver.models.bargain.marks import (
    BargainWords,
    bargain_words,
    category_number,
    price_grid,
)
from palaver.models.bargain.pricing import PriceScale
from palaver.models.bargain.tensors import BargainTurns, learnt_turns
from palaver.models.bargain.turns import BargainView, ReadingLimits, read_turns, view_of
from palaver.models.vocabulary import Vocabulary
from support.cocoa import bargain_kb

from .toys import CPU, LIMITS, WORDS, example


def dialogue(folder: Path, *events: tuple[int, str, object]) -> BargainDialogue:
    path = folder / "talk.json"
    path.write_text(json.dumps([example(0, events)]))
    return read_bargains([path])[0]


def view(talk: BargainDialogue, seat: int, limits: ReadingLimits = LIMITS) -> BargainView:
    return view_of(read_turns(talk, seat), WORDS, limits)


def told(numbers: tuple[int, ...]) -> str:
    return " ".join(WORDS.said.words[number] for number in numbers)


def test_each_side_sees_prices_on_its_own_scale(tmp_path: Path) -> None:
    talk = dialogue(
        tmp_path,
        (0, "message", "Hello? $30"),
        (1, "message", "no, 40 dollars for the lamp"),
        (0, "offer", 35.0),
        (1, "accept", None),
    )
    # The buyer's scale goes from 40 to 20, the seller's from 28 to 40.
    assert [told(turn) for turn in view(talk, 0).turns] == [
        "<furniture> </s>",
        "<furniture> hello ? <price:0.50> </s>",
        "<furniture> no <unk> <price:0.00> for <unk> <unk> </s>",
        "<furniture> <offer> <price:0.25> </s>",
        "<furniture> <accept> </s>",
    ]
    assert [told(turn) for turn in view(talk, 1).turns] == [
        "<furniture> hello ? <price:0.25> </s>",
        "<furniture> no <unk> <price:1.00> for <unk> <unk> </s>",
        "<furniture> <offer> <price:0.50> </s>",
        "<furniture> <accept> </s>",
    ]
    assert [WORDS.listed.words[n] for n in view(talk, 1).title] == ["lamp"]
    assert [WORDS.listed.words[n] for n in view(talk, 1).description] == ["bright", "blue"]


def test_an_example_is_an_own_turn_and_what_was_before_it(tmp_path: Path) -> None:
    talk = dialogue(
        tmp_path,
        (0, "message", "hello"),
        (1, "message", "ok"),
        (0, "message", "no"),
        (1, "message", "great"),
        (0, "message", "price ?"),
    )
    turns = BargainTurns.of([view(talk, 0)], earlier=2, device=CPU)
    part = turns.taken(torch.tensor([2, 0]))
    assert told(tuple(part.said[0].tolist())) == "<go-b> <furniture> price ? </s>"
    assert told(tuple(part.situation.heard[0].tolist())) == "<furniture> great </s>"
    near, far = part.situation.earlier[0].tolist()
    assert (told(tuple(near)), told(tuple(far))) == (
        "<furniture> no </s>",
        "<furniture> ok </s>",
    )
    # Before its first turn the side has heard a turn without words, and nothing before that.
    assert told(tuple(part.situation.heard[1, :2].tolist())) == "<furniture> </s>"
    assert part.situation.earlier[1].eq(0).all()
    where, targets = part.targets()
    # The category is given: what is to be chosen are the words and the end.
    assert told(tuple(targets.tolist())) == "price ? </s> hello </s>"
    assert part.inputs.flatten()[where].tolist() == [
        *part.said[0, 1:4].tolist(),
        *part.said[1, 1:3].tolist(),
    ]


def test_rules_leave_room_for_an_answer_alone_and_for_nothing_after_a_move(
    tmp_path: Path,
) -> None:
    talk = dialogue(
        tmp_path,
        (0, "message", "hello"),
        (1, "message", "ok"),
        (1, "offer", 30.0),
        (1, "message", "great ?"),
        (0, "message", "great ."),
        (1, "message", "ok ?"),
        (0, "message", "ok"),
        (0, "accept", None),
    )
    buyer, seller = view(talk, 0), view(talk, 1)
    by_rules = [(told(t.words), t.answers_offer) for t in learnt_turns(buyer, by_rules=True)]
    assert by_rules == [
        ("<furniture> hello </s>", False),
        ("<furniture> <accept> </s>", True),
    ]
    as_held = [told(turn.words) for turn in learnt_turns(buyer, by_rules=False)]
    assert as_held == [
        "<furniture> hello </s>",
        "<furniture> great . </s>",
        "<furniture> ok <accept> </s>",
    ]
    # The seller has offered, and waits from then on.
    assert [told(turn.words) for turn in learnt_turns(seller, by_rules=True)] == [
        "<furniture> ok <offer> <price:0.25> </s>"
    ]


def test_a_long_turn_is_cut_off_before_its_move(tmp_path: Path) -> None:
    talk = dialogue(
        tmp_path,
        (0, "message", "hello " * 500),
        (0, "offer", 30.0),
        (1, "reject", None),
    )
    (said, _) = view(talk, 1, ReadingLimits(turn=4, title=1, description=1)).turns
    assert told(said) == "<furniture> hello hello <offer> <price:0.25> </s>"


def test_what_was_typed_as_padding_is_unknown(tmp_path: Path) -> None:
    words = BargainWords(Vocabulary([*WORDS.said.words, "pad"]), WORDS.listed)
    talk = dialogue(tmp_path, (0, "message", "<pad> </s>"), (1, "message", "ok"))
    said = view_of(read_turns(talk, 1), words, LIMITS).turns[0]
    assert 0 not in said
    assert said.count(said[-1]) == 1


@pytest.mark.parametrize("step", [0.01, 0.05, 0.25, 1.0])
def test_prices_have_the_numbers_of_the_scale(step: float) -> None:
    words = bargain_words([["hello"]], [["lamp"]], price_step=step, least=1, most=9, least_listed=1)
    scale = PriceScale(worst=100.0, target=200.0)
    assert words.step == pytest.approx(step)
    for number in (words.prices[0], words.prices[len(words.prices) // 2], words.prices[-1]):
        scaled = words.scaled(number)
        assert scaled is not None
        assert words.price_number(100 + 100 * scaled, scale) == number
    assert words.price_number(1e9, scale) == words.prices[-1]
    assert words.price_number(-1e9, scale) == words.prices[0]
    assert words.scaled(words.prices[-1] + 1) is None
    assert price_grid(step)[0] == -4.0


def test_a_category_that_nobody_knows_has_a_mark_of_its_own() -> None:
    boat = BargainSide(role="buyer", target=1, price=2, category="boat")
    assert WORDS.said.words[category_number(boat)] == "<other>"


@pytest.mark.parametrize(
    ("said", "listed", "told"),
    [
        (["a", "b"], WORDS.listed.words, r"begins with <pad> <unk>"),
        (WORDS.said.words, ["a"], r"begins with <pad> <unk>"),
        ([*WORDS.said.words[:20], "word"], WORDS.listed.words, "not those of a scale"),
    ],
)
def test_a_vocabulary_of_something_else_is_refused(
    said: list[str], listed: list[str], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        BargainWords(Vocabulary(said), Vocabulary(listed))


def test_a_dialogue_has_both_roles(tmp_path: Path) -> None:
    wrong = example(1, [(0, "message", "hi")])
    wrong["scenario"]["kbs"] = [bargain_kb("buyer", 1), bargain_kb("buyer", 2)]
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps([wrong]))
    with pytest.raises(InputError, match="two of the role 'buyer'"):
        read_bargains([path])
