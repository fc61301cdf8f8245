"""Advice piece by piece: never empty, never a mark, the same for the same question, and likely."""

import dataclasses
from typing import Any

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.advice.adviser import Adviser
from palaver.models.advice.inputs import AdviceQuestion
from palaver.models.advice.joining import learnt_merges
from palaver.models.advice.network import EncoderDecoder, EncoderDecoderSettings
from palaver.models.advice.pieces import (
    BEGIN_NUMBER,
    BYTES,
    END_NUMBER,
    MARKS,
    PAD_NUMBER,
    WordPieces,
)
from palaver.models.advice.writing import (
    AdvicePanel,
    AdviceWriting,
    PieceRules,
    drawn,
    question_chances,
    searched,
)
from support.advice_models import CPU

PIECES = WordPieces(learnt_merges(["call them and ask them to come again"] * 2, 30))
RULES = PieceRules.of(PIECES, CPU)
DRAWN = AdviceWriting()


def new_network(seed: int = 1) -> EncoderDecoder:
    torch.manual_seed(seed)
    settings = EncoderDecoderSettings(layers=1, width=8, heads=2, dropout=0.0)
    return EncoderDecoder(len(PIECES), settings).eval()


def adviser(*networks: Any, target: int = 12, **writing: Any) -> Adviser:
    return Adviser(
        panel=AdvicePanel(networks or [new_network()]),
        pieces=PIECES,
        source=40,
        target=target,
        writing=dataclasses.replace(DRAWN, **writing),
        device=CPU,
    )


class Wishing(torch.nn.Module):
    """A network that wants some pieces and no others, whatever it is told."""

    def __init__(self, *wanted: int) -> None:
        super().__init__()
        self.logits = torch.full((len(PIECES),), -9.0)
        self.logits[list(wanted)] = 20.0

    def begin(self, sources: torch.Tensor) -> torch.Tensor:
        return sources

    def step(self, pieces: torch.Tensor, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.logits.expand(len(pieces), -1), state


def sources(rows: int) -> torch.Tensor:
    return torch.randint(3, len(PIECES), (rows, 5), generator=torch.Generator().manual_seed(0))


def chances(rows: int, most: int) -> torch.Tensor:
    return torch.rand(rows, most, generator=torch.Generator().manual_seed(1))


def test_no_mark_and_no_control_character_is_written_and_nothing_is_empty() -> None:
    wide = torch.nn.Module.eval(new_network())
    with torch.no_grad():
        wide.embedding.weight.mul_(0.01)  # about all pieces alike
    written = drawn(
        AdvicePanel([wide]),
        sources(300),
        chances(300, 20),
        RULES,
        dataclasses.replace(DRAWN, nucleus=1.0),
    )
    ends = (written == END_NUMBER).int().argmax(1)
    assert not (written == BEGIN_NUMBER).any()
    unseen = {len(MARKS) + byte for byte in (*range(0x20), 0x7F)}
    assert not unseen & set(written.flatten().tolist())
    assert int((written == END_NUMBER).any(1).sum()) > 0
    for row, end in zip(written.tolist(), ends.tolist(), strict=True):
        assert any(each.isalnum() for each in PIECES.text(row))
        if end:
            assert set(row[end + 1 :]) <= {PAD_NUMBER}


@pytest.mark.parametrize("wanted", [(END_NUMBER,), (PAD_NUMBER, BEGIN_NUMBER), (0xE6,)])
def test_even_what_wants_to_say_nothing_says_something(wanted: tuple[int, ...]) -> None:
    said = adviser(Wishing(*wanted)).advise([AdviceQuestion(title="A", text="B")] * 2)
    assert said[0] == said[1]
    assert any(each.isalnum() for each in said[0])


def test_temperature_nothing_is_the_likeliest_and_a_small_nucleus_as_well() -> None:
    network = new_network()
    likeliest = drawn(
        AdvicePanel([network]),
        sources(4),
        chances(4, 8),
        RULES,
        dataclasses.replace(DRAWN, temperature=0.0),
    )
    small = dataclasses.replace(DRAWN, nucleus=1e-6)
    assert torch.equal(
        drawn(AdvicePanel([network]), sources(4), chances(4, 8), RULES, small), likeliest
    )
    state, word = network.begin(sources(4)[:1]), torch.tensor([BEGIN_NUMBER])
    for n, expected in enumerate(likeliest[0].tolist()):
        with torch.no_grad():
            logits, state = network.step(word, state)
        allowed = RULES.allowed(logits, torch.tensor([n > 0]), n)
        if n == 0 or RULES.lettered[word]:
            assert int(allowed.argmax()) == expected
        word = torch.tensor([expected])
        if expected == END_NUMBER:
            break


def test_a_question_is_answered_alike_alone_and_among_others() -> None:
    questions = [
        AdviceQuestion(title=f"Case {n}", text="They come again. " * n) for n in range(1, 12)
    ]
    model = adviser()
    together = model.advise(questions)
    assert [model.advise([each])[0] for each in questions] == together
    assert model.advise(questions[::-1]) == together[::-1]
    assert len(set(together)) > 8


def test_chances_belong_to_what_is_asked() -> None:
    asked = AdviceQuestion(title="A", text="B")
    dated = dataclasses.replace(asked, date="May 1, 2020")
    assert torch.equal(question_chances(asked, 5), question_chances(dated, 9)[:5])
    other = dataclasses.replace(asked, title="AB", text="")
    assert not torch.equal(question_chances(asked, 5), question_chances(other, 5))


@torch.no_grad()
def test_beams_find_the_likeliest_of_all_texts() -> None:
    network, most = new_network(3), 2
    source = sources(1)
    panel = AdvicePanel([network])
    found = searched(panel, source, most, RULES, beams=len(PIECES))[0].tolist()

    begin, numbers = torch.tensor([BEGIN_NUMBER]), torch.arange(len(PIECES))
    logits, state = network.step(begin, network.begin(source))
    first = RULES.allowed(logits.log_softmax(-1), RULES.lettered[begin], 0)[0]
    logits, _ = network.step(numbers, state.pick(torch.zeros_like(numbers)))
    second = RULES.allowed(logits.log_softmax(-1), RULES.lettered, 1)
    best = int((first[:, None] + second).argmax())
    assert found == [best // len(PIECES), best % len(PIECES)]


def test_beams_advise_without_chance() -> None:
    asked = [AdviceQuestion(title=f"Case {n}", text="Come.") for n in range(3)]
    said = adviser(beams=3, target=6).advise(asked)
    assert said == adviser(beams=3, target=6).advise(asked)
    assert all(any(each.isalnum() for each in text) for text in said)


@torch.no_grad()
def test_several_networks_say_the_mean_of_their_probabilities() -> None:
    one, other = new_network(1), new_network(2)
    given = torch.tensor([[BEGIN_NUMBER, 9]])
    both = AdvicePanel([one, other]).read(sources(1), given).exp()
    mean = (one(sources(1), given).softmax(-1) + other(sources(1), given).softmax(-1)) / 2
    assert torch.allclose(both, mean, atol=1e-6)
    said = adviser(one, other).advise([AdviceQuestion(title="A", text="B")])
    assert said[0]


def test_weights_that_are_not_finite_are_told() -> None:
    spoilt = new_network()
    with torch.no_grad():
        spoilt.embedding.weight.fill_(float("nan"))
    with pytest.raises(InputError, match="numbers that are not finite"):
        adviser(spoilt).advise([AdviceQuestion(title="A", text="B")])


def test_bytes_have_a_visible_name_each() -> None:
    assert len(set(BYTES)) == 256
    assert all(each.isprintable() and each != " " for each in BYTES)
