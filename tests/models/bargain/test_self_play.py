"""Self-play of many bargains: every move is one that our rules take, and both sides hear the same."""

import pytest
import torch

from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.events import Move, say
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.scenarios import scenario_of
from palaver.games.craigslist_bargain.margins import margin
from palaver.games.craigslist_bargain.rules import CraigslistBargain
from palaver.models.bargain.figures import played_figures, played_means, turns_of_side
from palaver.models.bargain.language import language_ratios, message_words
from palaver.models.bargain.marks import (
    ACCEPT_NUMBER,
    END_NUMBER,
    OFFER_NUMBER,
    QUIT_NUMBER,
    REJECT_NUMBER,
)
from palaver.models.bargain.network import TurnSpeaker
from palaver.models.bargain.own_turns import OwnTurns
from palaver.models.bargain.rewards import margins
from palaver.models.bargain.self_play import MOST_TURNS, Bargainer, BargainsPlayed, bargain
from palaver.models.bargain.speech import SpeechRoom, WordChoice, said_log_probs, stages
from palaver.models.bargain.transcripts import transcript
from support.cocoa import BARGAIN_SCENARIO

from .toys import CPU, HELLO, NO, OK, WORDS, ToySpeaker, dice, scenes, sides, tiny_network

ANSWERS = {ACCEPT_NUMBER: "accept", REJECT_NUMBER: "reject", QUIT_NUMBER: "quit"}
WARM = WordChoice(temperature=1.0)


def played(
    one: TurnSpeaker, other: TurnSpeaker | None = None, rows: int = 12, seed: int = 3
) -> BargainsPlayed:
    both = tuple(Bargainer(network=each, choice=WARM) for each in (one, other or one))
    return bargain((both[0], both[1]), scenes(rows), dice(seed), device=CPU)


def offering() -> ToySpeaker:
    return ToySpeaker({OFFER_NUMBER: 9.0, ACCEPT_NUMBER: 9.0})


def moves_of(found: BargainsPlayed, row: int) -> list[tuple[int, Move]]:
    """The moves of a dialogue as its game takes them."""
    moves: list[tuple[int, Move]] = []
    for turn, seat in enumerate(found.speakers()[row].tolist()):
        words = [word for word in found.turns[row, seat, turn].tolist() if word][1:]
        if not words:
            continue
        if text := " ".join(map(str, message_words(words, WORDS))):
            moves.append((seat, say(text)))
        if OFFER_NUMBER in words:
            price = words[words.index(OFFER_NUMBER) + 1] - WORDS.prices.start
            offered = {"price": float(found.scenes.dollars[row, seat, price])}
            moves.append((seat, Move(action="offer", data=offered)))
        moves += [(seat, Move(action=ANSWERS[word])) for word in words if word in ANSWERS]
    return moves


@pytest.mark.parametrize("seed", range(3))
def test_our_rules_take_every_move(seed: int) -> None:
    network = tiny_network(seed=seed, spread=0.3, ends=5.0)
    network.get_parameter("output_bias").data[END_NUMBER + 1 : WORDS.prices.start] += 3.0
    found = played(network, seed=seed)
    ended = 0
    for row in range(len(found)):
        about: Scenario = scenario_of(BARGAIN_SCENARIO)
        seats = [Seat(index=n, kind="system", occupant=str(n)) for n in (0, 1)]
        talk = Conversation(
            Dialogue(id="d", scenario=about, seats=seats), CraigslistBargain(scenarios=(about,))
        )
        moves = moves_of(found, row)
        for n, (seat, move) in enumerate(moves):
            talk.apply(talk.consider(seat, move, float(n)))
        assert int(found.ends.events[row]) == len(moves)
        assert talk.dialogue.is_over == bool(moves[-1][1].action not in ("message", "offer"))
        ended += talk.dialogue.is_over
    assert ended > 0


def test_an_offer_that_is_accepted_is_a_deal_at_its_price() -> None:
    found = played(offering())
    assert found.ends.is_agreed.all()
    assert found.ends.events.tolist() == [2] * len(found)
    own = margins(found.ends)
    for row in range(len(found)):
        # Whoever begins offers its own target, and has the whole margin.
        first = int(found.first[row])
        pair = sides(20 + row)
        assert float(found.ends.prices[row]) == pair[first].target
        for side in (0, 1):
            told = margin(pair[first].target, pair[side], pair[1 - side])
            assert float(own[row, side]) == pytest.approx(told)
    assert set(found.first.tolist()) == {0, 1}


def test_a_network_that_never_comes_to_an_end_has_twenty_turns() -> None:
    found = played(ToySpeaker({OK: 9.0}))
    assert found.turns.shape[2] == MOST_TURNS
    assert not found.ends.is_agreed.any()
    assert found.ends.events.tolist() == [MOST_TURNS] * len(found)
    assert transcript(found, 0, WORDS)[-1] == "No deal, after 20 messages and moves."


def test_each_side_says_its_own_words_and_hears_those_of_the_other() -> None:
    found = played(ToySpeaker({HELLO: 9.0}), ToySpeaker({NO: 9.0}))
    for row in range(len(found)):
        for turn, side in enumerate(found.speakers()[row].tolist()):
            assert int(found.turns[row, side, turn, 1]) == (NO if side else HELLO)
    assert [turns_of_side(found, side)[0][0][0] for side in (0, 1)] == [HELLO, NO]
    both = found.said(0) | found.said(1)
    assert both.all()
    assert not (found.said(0) & found.said(1)).any()


def test_a_transcript_tells_dollars_and_moves() -> None:
    found = played(offering())
    about, offer, answer, end = transcript(found, 0, WORDS)
    price = "$20" if int(found.first[0]) == 0 else "$40"
    names = ("A", "B") if int(found.first[0]) == 0 else ("B", "A")
    assert about == "A furniture: A is the buyer and aims at $20, B the seller at $40"
    assert offer == f"{names[0]}: (offers {price})"
    assert answer == f"{names[1]}: (accepts)"
    assert end == f"A deal at {price}."


def test_the_same_dice_hold_the_same_dialogues() -> None:
    network = tiny_network(spread=0.3, ends=6.0)
    one, other = played(network, rows=5), played(network, rows=5)
    assert torch.equal(one.turns, other.turns)
    assert not torch.equal(one.turns, played(network, rows=5, seed=4).turns)


@pytest.mark.parametrize("side", [0, 1])
def test_what_was_said_is_read_again_as_likely_as_it_was(side: int) -> None:
    network = tiny_network(spread=0.3, ends=6.0)
    found = played(network, rows=4)
    own = OwnTurns.of(found, side, earlier=network.earlier)
    with torch.no_grad():
        log_probs = own.log_probs(network, WARM)
    turn, place = own.chosen()
    assert len(log_probs) == int((own.words > 0).sum())
    assert log_probs.isfinite().all()
    # The same word by word, a turn at a time.
    for number in range(min(4, len(own))):
        mine = own.words[number][own.words[number] > 0]
        situation = _alone(own, number)
        state = network.begin(situation)
        for word in own.given[number]:
            logits, state = network.step(word[None], state)
        before = own.given[number, 1:]
        expected = []
        for count, word in enumerate(mine):
            room = SpeechRoom(
                answers=own.room.answers[number : number + 1],
                prices=own.room.prices[number : number + 1],
            )
            stage = stages(before[None])[:, -1]
            log_prob = said_log_probs(logits, stage, torch.tensor([count]), room, WARM)
            expected.append(float(log_prob[0, word].detach()))
            logits, state = network.step(word[None], state)
            before = torch.cat([before, word[None]])
        assert log_probs[turn == number].tolist() == pytest.approx(expected, abs=1e-4)
    later = own.later()
    of_first = own.dialogues[turn] == own.dialogues[0]
    assert later[of_first].tolist() == list(range(int(of_first.sum())))[::-1]
    assert place[0] == 0


def _alone(own: OwnTurns, number: int):  # type: ignore[no-untyped-def]
    was = own.situation
    return type(was)(
        heard=was.heard[number : number + 1],
        lengths=was.lengths[number : number + 1],
        earlier=was.earlier[number : number + 1],
        title=was.title[number : number + 1],
        description=was.description[number : number + 1],
    )


def test_figures_of_self_play() -> None:
    found = played(offering(), rows=20)
    figures = {each.name: each for each in played_figures([found], WORDS, reward="margin")}
    means = played_means([found], WORDS, reward="margin")
    assert figures["agreed"].value == 1
    assert figures["dialogue_length"].value == 2
    assert figures["fairness"].value == pytest.approx(0.0)
    first = float(margins(found.ends)[:, 0].mean())
    assert figures["reward_first"].value == pytest.approx(first)
    assert means["margin_first"] == pytest.approx(first)
    assert "distinct_1" not in figures, "nobody has said a word"
    assert means["distinct_1"] == 0


def test_language_by_hand() -> None:
    price, other = WORDS.prices[3], WORDS.prices[9]
    dialogues = [
        [[HELLO, OK, END_NUMBER], [HELLO, price, OFFER_NUMBER, price, END_NUMBER]],
        [[HELLO, other, END_NUMBER], [ACCEPT_NUMBER, END_NUMBER]],
    ]
    found = language_ratios(dialogues, WORDS)
    means = {
        name: each.upper.sum() / each.lower.sum()
        for name, each in found.items()
        if each.lower.sum()
    }
    assert means["words_per_message"] == 2
    assert means["messages_with_price"] == pytest.approx(2 / 3)
    # hello, ok and a price among six words; hello-ok and hello-price among three pairs.
    assert means["distinct_1"] == pytest.approx(3 / 6)
    assert means["distinct_2"] == pytest.approx(2 / 3)
    assert found["distinct_3"].lower.sum() == 0
