"""Once a side has agreed to a proposal, that is what both mark."""

import torch

from palaver.models.acts.deal_game import DealActs

GAME = DealActs()
# Two books, one hat, three balls.
CONTEXT = torch.tensor([[[2, 1, 1, 4, 3, 1], [2, 3, 1, 1, 3, 1]]])


def turn(*words: str) -> torch.Tensor:
    numbers = GAME.grammar.numbers([*words, "<end>"])
    return torch.tensor([[*numbers, *[0] * (5 - len(numbers))]])


def counts_allowed(allowed: torch.Tensor) -> set[str]:
    return {word for n, word in enumerate(GAME.grammar.words) if "=" in word and allowed[0, n]}


def test_what_was_agreed_is_what_is_marked_unless_somebody_says_no() -> None:
    table = GAME.table(CONTEXT, patience=20)
    heard = table.tell(0, turn("propose", "book=0", "hat=1", "ball=1"))
    words = [GAME.grammar.words[n] for n in heard[0].tolist()]
    assert words == ["propose", "book=2", "hat=0", "ball=2", "<pad>"], "what is left"
    assert "ball=3" in counts_allowed(table.allowed(1))
    table.tell(1, turn("agree"))
    assert counts_allowed(table.allowed(0)) == {"book=0", "hat=1", "ball=1"}
    assert counts_allowed(table.allowed(1)) == {"book=2", "hat=0", "ball=2"}
    number = GAME.grammar.number
    assert not table.allowed(0)[0, number["propose"]]
    heard = table.tell(0, turn("select", "book=0", "hat=1", "ball=1"))
    assert heard[0].tolist() == [number["select"], 0, 0, 0, 0], "which one stays hidden"
    assert not table.allowed(1)[0, number["quit"]]
    table.tell(1, turn("select", "book=2", "hat=0", "ball=2"))
    assert table.is_over.all()
    assert table.rewards("points").tolist() == [[5.0, 8.0]]
    assert [round(n, 6) for n in table.rewards("fair")[0].tolist()] == [-0.3, -0.3]
    assert [round(n, 6) for n in table.rewards("length")[0].tolist()] == [0.4, 0.4]


def test_a_no_opens_it_again_and_what_does_not_fit_earns_nothing() -> None:
    table = GAME.table(CONTEXT, patience=20)
    table.tell(0, turn("propose", "book=0", "hat=1", "ball=1"))
    table.tell(1, turn("agree"))
    table.tell(0, turn("disagree"))
    assert "ball=3" in counts_allowed(table.allowed(1))
    table.tell(1, turn("select", "book=2", "hat=1", "ball=3"))
    table.tell(0, turn("select", "book=2", "hat=1", "ball=3"))
    assert table.is_over.all()
    assert table.rewards("points").tolist() == [[-1.0, -1.0]]
    assert not table.outcomes()["agreed"].any()
