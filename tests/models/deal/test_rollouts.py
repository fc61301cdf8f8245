"""Rollouts: the message that promises most is said, by either side, and thinking disturbs nobody."""

from concurrent.futures import CancelledError
from pathlib import Path
from threading import Event

import pytest
import torch
from torch import Tensor

from palaver.core.errors import InputError
from palaver.models.answering import answer_unless
from palaver.models.deal.contexts import made_contexts
from palaver.models.deal.kinds import network_of
from palaver.models.deal.lockstep import NetworkView, WrittenWords
from palaver.models.deal.network import DealNetwork
from palaver.models.deal.rollouts import (
    Rollouts,
    TurnsBegun,
    best_messages,
    drawn_messages,
    expected_points,
)
from palaver.models.deal.self_play import Negotiator, SelfPlayed, play
from palaver.models.deal.splits import best_split, points
from palaver.models.deal.words import (
    END_NUMBER,
    PAD_NUMBER,
    SELECTION_NUMBER,
    THEM_NUMBER,
    YOU_NUMBER,
)

from .toys import ALL, MAYBE, NONE, WORDS, Terse, ToyTalk, dice, talker, tiny_checkpoint

CPU = torch.device("cpu")
PILE = torch.tensor([[1, 4, 2, 3, 3, 0]])
USUAL = Rollouts(candidates=5, continuations=2)


def begun(network: DealNetwork, *, rows: int = 1, messages: int = 0) -> TurnsBegun:
    """Rows in which nothing was said, and the own side has the floor."""
    contexts = PILE.expand(rows, 6)
    mark = torch.full((rows,), YOU_NUMBER)
    view = NetworkView.begin(network, contexts)
    view.hear(mark)
    written = WrittenWords(words=mark[:, None], lengths=torch.ones_like(mark))
    before = torch.full((rows,), messages)
    return TurnsBegun(contexts=contexts, view=view, written=written, messages=before)


def held(
    one: DealNetwork,
    other: DealNetwork,
    *,
    thinks: tuple[bool, bool],
    rows: int = 48,
    heat: float = 1.0,
    how: Rollouts = USUAL,
) -> SelfPlayed:
    first, second = (
        Negotiator(network=network, temperature=heat, rollouts=how if does else None)
        for network, does in zip((one, other), thinks, strict=True)
    )
    return play((first, second), made_contexts().draw(rows, dice()), dice(), device=CPU)


def share_of_all(found: SelfPlayed, side: int) -> float:
    said = found.is_said_by(side) & (found.words != END_NUMBER) & (found.words != SELECTION_NUMBER)
    return float((found.words[said] == ALL).float().mean())


def test_the_message_that_promises_points_is_said_although_it_is_unlikely() -> None:
    unlikely = talker(all=0, none=2)
    turns = begun(unlikely, rows=200)
    rollouts = Rollouts(candidates=8, continuations=3)
    said = best_messages(turns, rollouts, temperature=1.0, dice=dice())
    plain = drawn_messages(turns, temperature=1.0, dice=dice())
    # 0.12 of plain messages; of eight, one of them is worth it more often than not.
    assert float((plain[:, 0] == ALL).float().mean()) < 0.2
    assert float((said[:, 0] == ALL).float().mean()) > 0.5
    assert said[:, 1].eq(END_NUMBER).all()


@pytest.mark.parametrize(("rows", "continuations"), [(30, 1), (6, 9)])
def test_many_dialogues_are_imagined_in_parts(
    monkeypatch: pytest.MonkeyPatch, rows: int, continuations: int
) -> None:
    monkeypatch.setattr("palaver.models.deal.rollouts.ROWS_AT_ONCE", 20)
    asked: list[int] = []

    def judge(network: DealNetwork, contexts: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
        asked.append(len(contexts))
        return expected_points(network, contexts, words, lengths)

    monkeypatch.setattr("palaver.models.deal.rollouts.expected_points", judge)
    said = best_messages(
        begun(talker(all=0, none=0), rows=rows),
        Rollouts(candidates=5, continuations=continuations),
        temperature=1.0,
        dice=dice(),
    )
    assert said.shape == (rows, 2)
    assert float((said[:, 0] == ALL).float().mean()) > 0.7
    assert max(asked) == 20
    assert sum(asked) == rows * 5 * continuations


def test_a_deal_may_be_marked_instead_of_a_message() -> None:
    eager = talker(all=0)
    said = best_messages(begun(eager, rows=3, messages=2), Rollouts(), temperature=1.0, dice=dice())
    assert said[:, 0].eq(SELECTION_NUMBER).all()


def test_expected_points_are_the_mean_over_all_ways_to_end() -> None:
    network = talker()
    contexts = PILE.expand(3, 6)
    words = torch.tensor(
        [
            [YOU_NUMBER, ALL, END_NUMBER, THEM_NUMBER, NONE, END_NUMBER],
            [YOU_NUMBER, NONE, END_NUMBER, THEM_NUMBER, ALL, END_NUMBER],
            [YOU_NUMBER, MAYBE, END_NUMBER, THEM_NUMBER, NONE, END_NUMBER],
        ]
    )
    found = expected_points(network, contexts, words, torch.full((3,), 6))
    assert found.tolist() == pytest.approx([10, 0, 0], abs=0.01)


def test_a_head_in_doubt_promises_what_lies_between(tmp_path: Path) -> None:
    network = network_of(tiny_checkpoint(tmp_path))
    words, lengths = torch.tensor([[YOU_NUMBER, ALL, END_NUMBER]]), torch.tensor([3])
    with torch.no_grad():
        promised = expected_points(network, PILE, words, lengths)
        best = best_split(network.choose(PILE, words, lengths), PILE)
    assert 0 < float(promised) < 10
    assert float(promised) != float(points(best[:, :3], PILE))


@pytest.mark.parametrize("side", [0, 1])
def test_a_side_that_thinks_does_better_and_its_partner_speaks_as_before(side: int) -> None:
    network = talker(all=0, none=1)
    plain = held(network, network, thinks=(False, False), rows=200)
    thoughtful = held(network, network, thinks=(side == 0, side == 1), rows=200)
    assert share_of_all(thoughtful, side) > 0.6 > share_of_all(plain, side) + 0.2
    assert share_of_all(thoughtful, 1 - side) == pytest.approx(
        share_of_all(plain, 1 - side), abs=0.12
    )
    gain = thoughtful.points[:, side].float().mean() - plain.points[:, side].float().mean()
    assert gain > 1


@pytest.mark.parametrize("model", ["deal-talk", "deal-transformer"])
def test_thinking_without_chance_says_what_is_said_without_thinking(
    tmp_path: Path, model: str
) -> None:
    one, other = (
        Terse(network_of(tiny_checkpoint(tmp_path / str(seed), model, seed=seed)))
        for seed in (1, 2)
    )
    plain = held(one, other, thinks=(False, False), rows=4, heat=0.0)
    brief = Rollouts(candidates=2, continuations=1, most_words=4)
    thoughtful = held(one, other, thinks=(True, True), rows=4, heat=0.0, how=brief)
    assert torch.equal(plain.words, thoughtful.words)
    assert torch.equal(plain.slots, thoughtful.slots)


class Insatiable(ToyTalk):
    """Believes that whoever answers it asks for all, and says itself what it likes."""

    def forward(self, contexts: Tensor, words: Tensor) -> Tensor:
        greedy = torch.full((len(WORDS),), -30.0)
        greedy[ALL], greedy[SELECTION_NUMBER] = 0.0, 20.0
        said = super().forward(contexts, words)
        return torch.where((words == THEM_NUMBER)[..., None], greedy, said)


@pytest.mark.parametrize("side", [0, 1])
def test_what_is_imagined_is_what_the_own_side_believes_of_its_partner(side: int) -> None:
    resigned = Insatiable({ALL: 0.0, NONE: 0.0, SELECTION_NUMBER: 20.0})
    # To ask for all is in vain where the partner will do so as well: no more is said for it.
    found = held(resigned, resigned, thinks=(side == 0, side == 1), rows=200)
    first = found.words[found.words[:, 0] == (YOU_NUMBER, THEM_NUMBER)[side], 1]
    assert len(first) > 50
    assert float((first == ALL).float().mean()) < 0.65


@pytest.mark.parametrize("side", [0, 1])
def test_it_is_judged_by_what_the_own_side_knows_and_sees(
    monkeypatch: pytest.MonkeyPatch, side: int
) -> None:
    judged: list[tuple[Tensor, Tensor]] = []

    def judge(network: DealNetwork, contexts: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
        judged.append((contexts, words))
        return expected_points(network, contexts, words, lengths)

    monkeypatch.setattr("palaver.models.deal.rollouts.expected_points", judge)
    network = talker(all=0, none=0)
    found = held(network, network, thinks=(side == 0, side == 1), rows=6)
    own = {str(context) for context in found.contexts[:, side].tolist()}
    views = {str(words[:3]) for words in found.view(side).tolist()}
    for contexts, words in judged:
        assert {str(context) for context in contexts.tolist()} <= own
        # Who began is no matter of imagination where the partner did.
        answered = words[words[:, 0] == THEM_NUMBER]
        assert {str(row[:3]) for row in answered.tolist()} <= views
    assert judged


@pytest.mark.parametrize("model", ["deal-talk", "deal-transformer"])
def test_who_waits_forgets_nothing(tmp_path: Path, model: str) -> None:
    network = network_of(tiny_checkpoint(tmp_path, model))
    contexts = PILE.expand(2, 6)
    waits, goes_on = NetworkView.begin(network, contexts), NetworkView.begin(network, contexts)
    with torch.no_grad():
        for word in (YOU_NUMBER, ALL, END_NUMBER):
            waits.hear(torch.tensor([word, word]))
            goes_on.hear(torch.tensor([word, word]))
        before = waits.logits
        waits.hear(torch.tensor([PAD_NUMBER, THEM_NUMBER]))
        assert torch.equal(waits.logits[0], before[0])
        waits.hear(torch.tensor([THEM_NUMBER, NONE]))
        goes_on.hear(torch.tensor([THEM_NUMBER, THEM_NUMBER]))
    assert torch.allclose(waits.logits[0], goes_on.logits[0], atol=1e-5)


def test_thinking_that_was_given_up_stops() -> None:
    given_up, network = Event(), talker(all=0, none=0)

    def thought() -> Tensor:
        return best_messages(begun(network), USUAL, temperature=1.0, dice=dice())

    assert len(answer_unless(given_up, thought)) == 1
    given_up.set()
    with pytest.raises(CancelledError):
        answer_unless(given_up, thought)
    assert len(thought()) == 1, "what nobody can give up goes on"


def test_a_single_candidate_is_refused() -> None:
    with pytest.raises(InputError, match="2 candidates or more"):
        Rollouts(candidates=1)
