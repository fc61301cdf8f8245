"""Learning to talk from lines: what an epoch is, what is learnt, and what is measured."""

import math

import pytest
import torch

from palaver.models.deal.lines import read_lines
from palaver.models.deal.recurrent import RecurrentSettings, RecurrentTalk
from palaver.models.deal.selection import SelectionSettings
from palaver.models.deal.talk import TalkLearner, TalkSettings
from palaver.models.deal.transformer import MovesSettings, TransformerSettings, TransformerTalk
from palaver.models.deal.words import deal_vocabulary
from palaver.models.learner import LearnerMaterial
from support.deal_lines import made_lines, write_made_lines
from support.deal_networks import stepped

HEAD = {"hidden": 16, "attention": 8, "layer": 16}


def new_network(kind: str, words: int):
    torch.manual_seed(0)
    if kind == "gru":
        settings = RecurrentSettings(embedding=16, hidden=24, context=8)
        return RecurrentTalk(words, settings, SelectionSettings(**HEAD))
    small = TransformerSettings(layers=2, width=24, heads=2, dropout=0.0)
    return TransformerTalk(words, small, MovesSettings())


def new_learner(folder, *, kind: str = "gru", dialogues: int = 40, batch: int = 8, **options):
    lines = made_lines(folder, dialogues)
    vocabulary = deal_vocabulary(lines, least=1)
    return TalkLearner(
        new_network(kind, len(vocabulary)),
        vocabulary,
        lines,
        settings=TalkSettings(least=1, folds=5, **options),
        slots_weight=0.5,
        material=LearnerMaterial(train=(), seed=1, device=torch.device("cpu"), batch=batch),
    )


def epoch_of(learner: TalkLearner, seed: int = 0):
    return list(learner.updates(1, torch.Generator().manual_seed(seed)))


@torch.no_grad()
def measured(learner: TalkLearner) -> dict[str, float]:
    learner.network.eval()
    return learner.measure()


def trained(learner: TalkLearner, epochs: int) -> list[float]:
    """The mean loss of each epoch."""
    optimizer = torch.optim.Adam(learner.network.parameters(), lr=0.03)
    means = []
    for epoch in range(epochs):
        losses = []
        learner.network.train()
        for batch in epoch_of(learner, epoch):
            optimizer.zero_grad()
            loss = learner.loss(batch)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        means.append(sum(losses) / len(losses))
    return means


def test_an_epoch_shows_every_line_once_in_batches_of_equal_size(tmp_path):
    learner = new_learner(tmp_path, batch=10)

    batches = epoch_of(learner)

    rows = [row for batch in batches for row in batch.rows.tolist()]
    assert sorted(rows) == list(range(len(rows)))
    assert len(batches) == learner.steps == math.ceil(len(rows) / 10)
    assert {len(batch.rows) for batch in batches} <= {9, 10}


def test_the_dice_alone_say_what_an_epoch_is(tmp_path):
    learner = new_learner(tmp_path, permute=0.7)

    one, same, other = epoch_of(learner, 1), epoch_of(learner, 1), epoch_of(learner, 2)

    def as_lists(batches):
        return [(b.rows.tolist(), b.ways.tolist(), b.width) for b in batches]

    assert as_lists(one) == as_lists(same) != as_lists(other)


def test_lines_of_a_length_come_together_unless_they_are_mixed(tmp_path):
    def waste(mixing: float) -> float:
        learner = new_learner(tmp_path, dialogues=120, mixing=mixing)
        sizes = learner.learnt.sizes
        room = sum(len(batch.rows) * batch.width for batch in epoch_of(learner))
        return room / int(sizes.sum())

    assert 1 <= waste(0.0) < 1.02 < waste(5.0)


def test_items_change_names_as_often_as_is_asked(tmp_path):
    ways = [way for b in epoch_of(new_learner(tmp_path, dialogues=150)) for way in b.ways.tolist()]
    assert set(ways) == {0}

    learner = new_learner(tmp_path, dialogues=150, permute=0.6)
    ways = [way for batch in epoch_of(learner) for way in batch.ways.tolist()]
    assert set(ways) == set(range(6))
    assert 0.35 < sum(way != 0 for way in ways) / len(ways) < 0.65  # one way of six changes nothing


@pytest.mark.parametrize("kind", ["gru", "transformer"])
def test_the_loss_falls_and_held_out_lines_are_read_better(tmp_path, kind):
    learner = new_learner(tmp_path, kind=kind, dialogues=30, batch=16, permute=0.5)
    before = measured(learner)

    losses = trained(learner, 10)

    after = measured(learner)
    assert losses[-1] < 0.5 * losses[0]
    assert after["perplexity"] < 0.5 * before["perplexity"]
    assert after["token_accuracy"] > before["token_accuracy"]


@torch.no_grad()
def test_perplexity_counts_every_token_after_the_first(tmp_path):
    learner = new_learner(tmp_path, dialogues=20)
    learner.network.eval()
    test = write_made_lines(tmp_path / "test.txt", 5, seed=9)
    nll, right, tokens = 0.0, 0, 0
    for line in read_lines([test]):
        numbers = torch.tensor([learner.vocabulary.numbers(line.words)])
        logits = stepped(learner.network, torch.tensor([line.context]), numbers)[0, :-1]
        log_probs = logits.log_softmax(1)
        nll -= log_probs.gather(1, numbers[0, 1:, None]).sum().item()
        right += int((log_probs.argmax(1) == numbers[0, 1:]).sum())
        tokens += len(line.words) - 1

    figures = {figure.name: figure for figure in learner.test([test])}

    assert figures["perplexity"].value == pytest.approx(math.exp(nll / tokens), rel=1e-4)
    assert figures["token accuracy"].value == pytest.approx(right / tokens)


@torch.no_grad()
def test_figures_have_intervals_over_dialogues_and_say_what_they_count(tmp_path):
    learner = new_learner(tmp_path)
    learner.network.eval()
    test = write_made_lines(tmp_path / "test.txt", 30, seed=9)

    figures = learner.test([test])

    assert [figure.name for figure in figures] == [
        "perplexity",
        "token accuracy",
        "selection accuracy",
    ]
    # In three of the dialogues nothing was agreed, so that there is no outcome to tell.
    assert [(figure.n, figure.unit) for figure in figures] == [
        (30, "dialogues"),
        (30, "dialogues"),
        (27, "dialogues"),
    ]
    assert figures[0].low < figures[0].value < figures[0].high
    assert "marks included" in figures[0].about
    assert learner.test([test]) == figures


@torch.no_grad()
def test_without_a_deal_no_selection_is_measured(tmp_path):
    learner = new_learner(tmp_path)
    learner.network.eval()
    everything = write_made_lines(tmp_path / "all.txt", 40, seed=9).read_text().splitlines()
    failed = [line for line in everything if "<no_agreement>" in line]
    test = tmp_path / "failed.txt"
    test.write_text("\n".join(failed))

    assert [f.name for f in learner.test([test])] == ["perplexity", "token accuracy"]


def test_the_note_counts_lines_and_says_whose_they_are(tmp_path):
    note = new_learner(tmp_path, dialogues=30, licence="CC0").note()

    assert note.counts["lines"] == 60
    assert 0 < note.counts["lines held out"] < 30
    assert note.licence == "CC0"
    assert "CC BY-NC 4.0" in new_learner(tmp_path).note().licence
