"""Self-play: everybody hears the same words, points follow from what both mark, limits hold."""

from pathlib import Path

import pytest
import torch
from torch import Tensor

from palaver.games.deal_or_no_deal import splits as plain
from palaver.models.deal.contexts import made_contexts
from palaver.models.deal.figures import self_play_figures
from palaver.models.deal.kinds import network_of
from palaver.models.deal.lockstep import is_speaker_mark, other_view
from palaver.models.deal.network import CLASSES, ITEMS, SLOTS, DealNetwork
from palaver.models.deal.self_play import Negotiator, SelfPlayed, play, transcript
from palaver.models.deal.speech import (
    LEAST_MESSAGES,
    MOST_MESSAGES,
    MOST_WORDS,
    word_log_probs,
)
from palaver.models.deal.words import (
    END_NUMBER,
    PAD_NUMBER,
    SELECTION_NUMBER,
    UNKNOWN_NUMBER,
    as_sentence,
)
from palaver.models.sampling import drawn_words

from .toys import ALL, MAYBE, STOP, WORDS, Terse, ToyTalk, dice, talker, tiny_checkpoint

CPU = torch.device("cpu")
PILE = torch.tensor([[[1, 4, 2, 3, 3, 0], [1, 1, 2, 0, 3, 3]]])


class Doubtful(ToyTalk):
    """Marks at random, but for ever the same after the same dialogue."""

    def choose(self, contexts: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
        return torch.randn(len(contexts), SLOTS, CLASSES, generator=dice(3)).log_softmax(-1)


class Babbler(ToyTalk):
    """Never ends a message."""

    def forward(self, contexts: Tensor, words: Tensor) -> Tensor:
        return self.likes.expand(*words.shape, -1)


def played(
    first: DealNetwork,
    second: DealNetwork,
    *,
    rows: int = 64,
    heat: float = 1.0,
    contexts: Tensor | None = None,
) -> SelfPlayed:
    pairs = made_contexts().draw(rows, dice()) if contexts is None else contexts
    sides = (
        Negotiator(network=first, temperature=heat),
        Negotiator(network=second, temperature=heat),
    )
    return play(sides, pairs, dice(), device=CPU)


def test_who_asks_for_all_gets_all_and_both_sides_see_it_alike() -> None:
    found = played(talker(all=9), talker(none=9))
    assert found.is_agreed.all()
    assert found.points[:, 0].eq(10).all()
    assert found.points[:, 1].eq(0).all()
    assert found.messages().eq(2).all()
    assert set(found.words[:, 0].tolist()) == {2, 3}, "either side begins in some"


def test_no_points_where_the_two_do_not_mark_the_same() -> None:
    found = played(talker(all=9), talker(all=9))
    assert found.has_selected.all()
    assert not found.is_agreed.any()
    assert found.points.eq(0).all()
    assert not found.is_pareto.any()


def test_each_side_hears_every_word_as_its_own_view_has_it() -> None:
    first, second = talker(all=2, none=2, maybe=2), talker(all=2, none=2)
    found = played(first, second)
    for side, network in enumerate((first, second)):
        heard = torch.stack(network.heard, dim=1)[:, : found.words.shape[1]]
        assert torch.equal(heard, found.view(side))
    assert torch.equal(other_view(other_view(found.words)), found.words)


@pytest.mark.parametrize("model", ["deal-talk", "deal-transformer"])
def test_every_word_is_the_likeliest_to_whoever_said_it_reading_from_the_start(
    tmp_path: Path, model: str
) -> None:
    sides = [
        Terse(network_of(tiny_checkpoint(tmp_path / str(seed), model, seed=seed)))
        for seed in (1, 2)
    ]
    found = played(*sides, rows=12, heat=0.0)
    seen = 0
    for side, network in enumerate(sides):
        words = found.view(side)
        logits = network(found.contexts[:, side], words[:, :-1])
        may_select = (words == END_NUMBER).cumsum(1)[:, :-1] >= LEAST_MESSAGES
        likeliest = word_log_probs(logits, is_speaker_mark(words[:, :-1]), may_select).argmax(2)
        said = found.is_said_by(side)[:, 1:]
        assert torch.equal(likeliest[said], words[:, 1:][said])
        seen += int(said.sum())
    marks = is_speaker_mark(found.words).sum()
    assert seen + marks == found.lengths.sum()


def test_points_and_pareto_are_those_of_the_game() -> None:
    found = played(Doubtful({ALL: 1.0, SELECTION_NUMBER: 1.0}), talker(none=9), rows=200)
    halves = played(talker(all=0.5, none=0.5), talker(all=0.5, none=0.5), rows=200)
    assert 0 < halves.is_agreed.sum() < 200
    for batch in (found, halves):
        for row in range(len(batch)):
            kbs = [
                [
                    {"Name": item, "Count": side[2 * n], "Value": side[2 * n + 1]}
                    for n, item in enumerate(ITEMS)
                ]
                for side in batch.contexts[row].tolist()
            ]
            takes = [dict(zip(ITEMS, s[:3], strict=True)) for s in batch.slots[row].tolist()]
            counts = {each["Name"]: each["Count"] for each in kbs[0]}
            agrees = all(takes[0][i] + takes[1][i] == n for i, n in counts.items())
            assert batch.is_agreed[row] == agrees
            points = [
                plain.points(t, kb) if agrees else 0 for t, kb in zip(takes, kbs, strict=True)
            ]
            assert batch.points[row].tolist() == points
            assert batch.is_pareto[row] == (agrees and plain.is_pareto_optimal(kbs, takes))


def test_nobody_says_a_mark_or_an_empty_message_or_marks_before_each_has_spoken(
    tmp_path: Path,
) -> None:
    one, other = (
        Terse(network_of(tiny_checkpoint(tmp_path / str(seed), seed=seed, spread=1.0)))
        for seed in (5, 6)
    )
    found = played(one, other)
    assert found.has_selected.any()
    for words in found.words.tolist():
        line = " ".join(str(word) for word in words if word != PAD_NUMBER)
        assert UNKNOWN_NUMBER not in words
        for number, word in enumerate(words):
            begins = number > 0 and words[number - 1] in (2, 3)
            assert (word in (2, 3)) == (number == 0 or words[number - 1] == END_NUMBER) or word == 0
            if word == SELECTION_NUMBER:
                assert begins
                assert words[:number].count(END_NUMBER) >= LEAST_MESSAGES
            if word == END_NUMBER:
                assert not begins, line


def test_a_dialogue_that_goes_on_for_too_long_is_no_deal() -> None:
    # The two would mark the same, but nobody marks anything.
    endless = played(talker(all=9, select=-30), talker(none=9, select=-30), rows=4)
    assert endless.messages().eq(MOST_MESSAGES).all()
    babbled = played(Babbler({MAYBE: 9.0, STOP: 9.0}), talker(none=9), rows=4)
    assert babbled.is_said_by(0).sum(1).eq(MOST_WORDS).all()
    for found in (endless, babbled):
        assert not found.has_selected.any()
        assert found.points.eq(0).all()


def test_a_network_that_is_not_finite_comes_to_an_end() -> None:
    broken = talker(all=float("nan"))
    assert not played(broken, broken, rows=4).has_selected.any()


def test_the_same_dice_hold_the_same_dialogues() -> None:
    one = played(talker(all=1, none=1, maybe=1, select=1), talker(all=1, maybe=1, select=1))
    again = played(talker(all=1, none=1, maybe=1, select=1), talker(all=1, maybe=1, select=1))
    assert torch.equal(one.words, again.words)
    assert len({str(row) for row in one.words.tolist()}) > 10


def test_words_come_as_often_as_the_temperature_says() -> None:
    found = played(
        talker(all=1, none=0), talker(none=9), rows=4000, heat=0.5, contexts=PILE.expand(4000, 2, 6)
    )
    said = found.words[found.is_said_by(0) & (found.words != END_NUMBER)]
    said = said[said != SELECTION_NUMBER]
    share = float((said == ALL).float().mean())
    assert share == pytest.approx(1 / (1 + 2.718281828**-2), abs=0.02)


def test_a_chance_at_the_very_edge_draws_a_word_that_may_be_said() -> None:
    nowhere = torch.zeros(2, dtype=torch.bool)
    log_probs = word_log_probs(torch.zeros(2, len(WORDS)), ~nowhere, nowhere)
    edges = torch.tensor([0.0, 1 - 2**-24])
    assert drawn_words(log_probs, edges).tolist() == [ALL, STOP]


def test_a_dialogue_can_be_read() -> None:
    found = played(talker(all=9), talker(none=9), contexts=PILE, rows=1)
    told = transcript(found, 0, WORDS)
    assert (
        told[0] == "1 × book (4 to A, 1 to B), 2 × hat (3 to A, 0 to B), 3 × ball (0 to A, 3 to B)"
    )
    assert sorted(told[1:3]) == ["A: all", "B: none"]
    assert told[3].endswith("(marks the deal)")
    assert told[4] == "A deal: 10 points for A, 0 for B."
    lost = transcript(played(talker(all=9), talker(all=9), contexts=PILE), 0, WORDS)
    assert lost[-1] == "No deal: the two marks do not fit together."


def test_figures_are_ratios_of_sums_with_intervals_around_them() -> None:
    # The first side gets all of 10 points where it says "all", which it does half the time.
    found = played(talker(all=1, none=1), talker(none=9), rows=300)
    figures = {figure.name: figure for figure in self_play_figures([found, found])}
    agreed = float(found.is_agreed.double().mean())
    assert figures["agreed"].value == pytest.approx(agreed)
    assert figures["score_all_first"].value == pytest.approx(10 * agreed)
    assert figures["score_agreed_first"].value == 10
    assert figures["words_per_message"].value == 1
    assert figures["dialogue_length"].value == 2
    # Two different messages in all.
    assert figures["distinct"].value == pytest.approx(2 / (2 * 600))
    # What is the same in all dialogues has no interval, which would have no width.
    agreed_scores = {"score_agreed_first", "score_agreed_second"}
    alike = {*agreed_scores, "score_all_second", "words_per_message", "dialogue_length"}
    for name, figure in figures.items():
        is_of_agreed = name in {"pareto", *agreed_scores}
        assert figure.n == (round(600 * agreed) if is_of_agreed else 600)
        assert figure.unit == "dialogues"
        if name in alike:
            assert (figure.low, figure.high) == (None, None)
        else:
            assert figure.low is not None
            assert figure.high is not None
            assert figure.low <= figure.value <= figure.high
    # A share of n draws: 1.96 standard errors on either side.
    wide = figures["agreed"]
    assert wide.high - wide.low == pytest.approx(4 * (agreed * (1 - agreed) / 600) ** 0.5, rel=0.15)


def test_what_needs_an_agreement_is_left_out_where_there_is_none() -> None:
    names = {f.name for f in self_play_figures([played(talker(all=9), talker(all=9))])}
    assert "agreed" in names
    assert not names & {"pareto", "score_agreed_first", "score_agreed_second"}


def test_the_words_of_a_batch_can_be_typed() -> None:
    found = played(talker(all=9), talker(none=9), rows=2)
    assert as_sentence(WORDS.words[word] for word in found.words[0].tolist()) in (
        "all none",
        "none all",
    )
