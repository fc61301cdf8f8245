"""What is counted of reading and of answers, against slow and plain counts."""

import math
import random

import numpy as np
import pytest
import sacrebleu
import torch

from palaver.models.friends.bleu import bleu, bleu_counts, bleu_figure
from palaver.models.friends.speech import Wording
from palaver.models.friends.tallies import (
    AnswerTallies,
    answer_figures,
    answer_tallies,
    by_dialogue,
    read_measures,
    view_figures,
    view_tallies,
)
from palaver.models.friends.tensors import ViewTensors
from palaver.models.friends.words import END_NUMBER, GO_NUMBER

from .toys import CPU, made_views, tiny_network


def test_bleu_is_that_of_sacrebleu() -> None:
    dice = random.Random(4)
    answers = [[dice.randrange(4) for _ in range(dice.randrange(5, 12))] for _ in range(9)]
    references = [[dice.randrange(4) for _ in range(dice.randrange(5, 12))] for _ in range(9)]
    counts = np.array([bleu_counts(*each) for each in zip(answers, references, strict=True)])

    for longest in (4, 3, 2):
        texts = [
            [" ".join(f"w{n}" for n in each) for each in side] for side in (answers, references)
        ]
        theirs = sacrebleu.metrics.BLEU(
            tokenize="none", smooth_method="none", max_ngram_order=longest, force=True
        ).corpus_score(texts[0], [texts[1]])
        assert 100 * bleu(counts.sum(0), longest) == pytest.approx(theirs.score)


def test_bleu_has_an_interval_over_dialogues_and_is_0_where_nothing_is_right() -> None:
    same, other = bleu_counts([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]), bleu_counts([1, 2], [3, 4, 5, 6])
    figure = bleu_figure(np.array([same, other, *[same] * 8]), 2, seed=1)
    assert 0 < figure.low < figure.value < figure.high <= 1
    assert float(bleu(np.array(other))) == 0.0
    assert float(bleu(np.array(same))) == 1.0


@torch.no_grad()
def test_loss_is_the_mean_over_turns_and_perplexity_that_over_words(tmp_path) -> None:
    views, words = made_views(tmp_path, 4)
    network = tiny_network(words)
    means, nll, right, count = [], 0.0, 0, 0
    for number in range(len(views)):
        batch = ViewTensors.of(views, words, CPU).taken(torch.tensor([number]))
        state = network.begin(batch.graphs)
        for heard, said in batch.exchanges:
            if int(heard.sizes[0]):
                state = network.hear(heard, state)
            if not int(said.sizes[0]):
                continue
            draft, own = network.draft(state), []
            for place, target in enumerate(said.targets(len(words))[0].tolist()):
                logits, draft = network.step(said.words[:, place], said.nodes[:, place], draft)
                own.append(-logits.log_softmax(1)[0, target].item())
                right += int(logits.argmax()) == target
            means.append(sum(own) / len(own))
            nll, count = nll + sum(own), count + len(own)
            _, state = network.say(said, state)

    tensors = ViewTensors.of(views, words, CPU)
    found = read_measures(view_tallies(network, tensors))

    assert found["loss"] == pytest.approx(sum(means) / len(means), rel=1e-4)
    assert found["perplexity"] == pytest.approx(math.exp(nll / count), rel=1e-4)
    assert found["token_accuracy"] == pytest.approx(right / count)
    figures = {f.name: f for f in view_figures(views, view_tallies(network, tensors), seed=1)}
    assert figures["perplexity"].value == pytest.approx(found["perplexity"])
    assert figures["perplexity"].n == 4


class Parrot:
    """Says one value that it has, then ends, whatever it hears; which one, it was told."""

    def __init__(self, vocabulary: int, nodes: dict[int, int]) -> None:
        self.vocabulary, self.nodes = vocabulary, nodes

    def begin(self, graphs):
        return (torch.arange(len(graphs.kinds)), graphs.kinds)

    def hear(self, turn, state):
        return state

    def say(self, turn, state):
        return torch.empty(0), state

    def draft(self, state):
        return state

    def step(self, words, nodes, draft):
        rows, kinds = draft
        logits = torch.full((len(rows), self.vocabulary + kinds.shape[1]), -30.0)
        for row in rows.tolist():
            first = self.vocabulary + self.nodes[row]
            logits[row, first if words[row] == GO_NUMBER else END_NUMBER] = 30.0
        return logits, draft


def test_precision_and_recall_are_not_swapped(tmp_path) -> None:
    views, words = made_views(tmp_path, 1)
    tensors = ViewTensors.of(views, words, CPU)
    batch = tensors.taken(torch.tensor([0, 1]))
    said = batch.exchanges[0][1]
    named = [sorted({n for n in row.tolist() if n >= 0}) for row in said.nodes]
    # One of the values that the first turn names, and nothing else.
    parrot = Parrot(len(words), {0: named[0][-1], 1: named[1][-1]})

    found = answer_tallies(
        parrot, tensors, Wording.of(words, 0.0), torch.Generator().manual_seed(1)
    )

    wanted = np.zeros(3)
    for _, turn in batch.exchanges:
        for row in range(2):
            asked = {n for n in turn.nodes[row].tolist() if n >= 0}
            if asked:
                own = {parrot.nodes[row]}
                wanted += [len(own & asked), len(own), len(asked)]
    assert found.entities.sum(0).tolist() == wanted.tolist()
    figures = {f.name: f.value for f in answer_figures(views, found, seed=1)}
    both, own, asked = wanted
    assert figures["entity precision"] == pytest.approx(both / own)
    assert figures["entity recall"] == pytest.approx(both / asked)
    assert figures["entity precision"] != pytest.approx(figures["entity recall"])
    assert figures["entity F1"] == pytest.approx(2 * both / (own + asked))


def test_answers_that_are_the_turns_themselves_are_perfect(tmp_path) -> None:
    views, words = made_views(tmp_path, 3)
    tensors = ViewTensors.of(views, words, CPU)
    counts = [bleu_counts([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])] * len(views)
    same = AnswerTallies(entities=np.ones((len(views), 3)), bleu=np.array(counts, float))
    figures = {f.name: f.value for f in answer_figures(views, same, seed=1)}
    assert figures == dict.fromkeys(figures, pytest.approx(1.0))
    assert by_dialogue(views, same.entities).tolist() == [[2.0] * 3] * 3
    assert len(tensors) == 6
