"""Writing token by token: alike alone and beside others, and as likely as the network says."""

from pathlib import Path

import pytest
import torch

from palaver.models.language.bases import BaseSettings, open_base
from palaver.models.language.network import LanguageNetwork
from palaver.models.language.tokens import base_tokens
from palaver.models.language.writing import LanguageWriter, Lot
from support.tiny_language import CPU

KINDS = ["llama", "gpt2", "t5"]
PROMPTS = ([11, 12, 13, 14, 15], [21], [31, 32, 33])


def writer(base: Path) -> tuple[LanguageWriter, LanguageNetwork]:
    opened = open_base(BaseSettings(model=str(base)))
    tokens = base_tokens(opened.folder, opened.config)
    model = opened.load(torch.float32)
    with torch.no_grad():  # weights of the size of a model that has learnt
        for weight in model.parameters():
            weight.mul_(4)
    network = LanguageNetwork(model, writes=opened.writes, start=tokens.start)
    return LanguageWriter(network, tokens, CPU), network


def dice(*seeds: int) -> list[torch.Generator]:
    return [torch.Generator().manual_seed(seed) for seed in seeds]


@pytest.mark.parametrize("kind", KINDS)
def test_a_prompt_is_answered_alike_alone_and_beside_others(
    bases: dict[str, Path], kind: str
) -> None:
    made, _ = writer(bases[kind])
    lot = Lot(temperature=1.0, most=6, top_p=0.9)
    together = made.written(PROMPTS, lot, dice(1, 2, 3))
    alone = [made.written([each], lot, dice(n))[0] for n, each in enumerate(PROMPTS, start=1)]
    assert together == alone
    assert len({tuple(each) for each in together}) == 3
    greedy = made.written(PROMPTS, Lot(temperature=0, most=4), dice(1, 2, 3))
    assert greedy == made.written(PROMPTS, Lot(temperature=0, most=4), dice(4, 5, 6))


@pytest.mark.parametrize("kind", KINDS)
def test_likelihoods_are_those_of_the_network(bases: dict[str, Path], kind: str) -> None:
    made, network = writer(bases[kind])
    prompt, texts = PROMPTS[0], ([41, 42, 43], [44], [41, 45])
    found = made.likelihoods(prompt, texts)
    for text, value in zip(texts, found.tolist(), strict=True):
        with torch.no_grad():
            if kind == "t5":
                begun = torch.tensor([[network.start, *text[:-1]]])
                logits = network.model(
                    input_ids=torch.tensor([prompt]), decoder_input_ids=begun
                ).logits[0]
            else:
                words = torch.tensor([[*prompt, *text]])
                logits = network.model(input_ids=words).logits[0, len(prompt) - 1 : -1]
        logs = logits.log_softmax(-1)
        assert value == pytest.approx(
            sum(float(logs[n, word]) for n, word in enumerate(text)), abs=1e-3
        )
