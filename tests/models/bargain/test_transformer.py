"""The Transformer of CraigslistBargain: it looks back at all there is, and at nothing else."""

import dataclasses
from pathlib import Path

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.bargain.kinds import SPEAKER_KINDS, speaker_of
from palaver.models.bargain.marks import PAD_NUMBER
from palaver.models.bargain.own_turns import OwnTurns
from palaver.models.bargain.self_play import Bargainer, bargain
from palaver.models.bargain.speech import WordChoice
from palaver.models.bargain.tensors import SpokenTurns
from palaver.models.bargain.transformer import TransformerSpeaker
from palaver.models.checkpoints.folder import open_checkpoint, write_checkpoint
from palaver.models.learner import LearnerMaterial
from palaver.models.settings import read_settings

from .toys import CPU, TINY, WORDS, dice, scenes, write_bargains

MODEL = "bargain-transformer"
SMALL = {"layers": 2, "width": 16, "heads": 2, "earlier": 3, "dropout": 0.0}


def sections(**options):
    return {"data": TINY["data"], "network": {**SMALL, **options}}


def network(words=WORDS, **options) -> TransformerSpeaker:
    kind = SPEAKER_KINDS[MODEL]
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return kind.network(read_settings(kind.settings_type, sections(**options)), words).eval()


def learner(folder: Path, **options):
    kind = SPEAKER_KINDS[MODEL]
    material = LearnerMaterial(
        train=(write_bargains(folder / "talks.json"),), seed=1, device=CPU, batch=16
    )
    torch.manual_seed(0)
    return kind.learner(read_settings(kind.settings_type, sections(**options)), material)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return learner(tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="module")
def spoken(made) -> SpokenTurns:
    """Turns of different lengths after situations of different lengths."""
    return made.learnt.taken(torch.arange(12))


@torch.no_grad()
def perplexity(made) -> float:
    made.network.eval()
    return made.measure()["perplexity"]


def alone(spoken: SpokenTurns, row: int) -> SpokenTurns:
    """A row by itself, without padding where there may be none."""
    situation = spoken.situation
    length = int(situation.lengths[row])
    return SpokenTurns(
        dataclasses.replace(
            situation,
            heard=situation.heard[row : row + 1, :length],
            lengths=situation.lengths[row : row + 1],
            earlier=situation.earlier[row : row + 1],
            title=situation.title[row : row + 1],
            description=situation.description[row : row + 1],
        ),
        spoken.said[row : row + 1, : int(spoken.lengths[row])],
        spoken.lengths[row : row + 1],
    )


@torch.no_grad()
@pytest.mark.parametrize("positions", ["none", "rotary"])
def test_word_by_word_it_says_the_same_as_all_at_once(made, spoken, positions):
    speaker = network(made.vocabulary, positions=positions)

    state, found = speaker.begin(spoken.situation), []
    for words in spoken.inputs.unbind(1):
        logits, state = speaker.step(words, state)
        found.append(logits)

    is_word = spoken.inputs != PAD_NUMBER
    together = speaker(spoken.situation, spoken.inputs)
    torch.testing.assert_close(torch.stack(found, dim=1)[is_word], together[is_word])


@torch.no_grad()
def test_rows_do_not_see_each_other_nor_padding(made, spoken):
    speaker = network(made.vocabulary)
    together = speaker(spoken.situation, spoken.inputs)

    for row in range(len(spoken)):
        one = alone(spoken, row)
        said = speaker(one.situation, one.inputs)[0]
        torch.testing.assert_close(said, together[row, : len(said)])


@torch.no_grad()
@pytest.mark.parametrize("part", ["heard", "earlier", "title", "description"])
def test_every_part_of_a_situation_matters(made, spoken, part):
    speaker = network(made.vocabulary)
    words = getattr(spoken.situation, part)
    other = torch.where(words > 1, words - 1, words)
    situation = dataclasses.replace(spoken.situation, **{part: other})
    is_changed = (words != other).flatten(1).any(1)

    said, otherwise = (speaker(each, spoken.inputs)[:, 0] for each in (spoken.situation, situation))

    assert is_changed.any()
    assert ((said - otherwise).abs().amax(1) > 1e-6).tolist() == is_changed.tolist()


@torch.no_grad()
def test_who_said_something_and_when_matters(made, spoken):
    speaker = network(made.vocabulary)
    situation = spoken.situation
    swapped = dataclasses.replace(situation, earlier=situation.earlier[:, [1, 0, 2]])
    has_two = (situation.earlier[:, :2, 0] != PAD_NUMBER).all(1)

    said, otherwise = (speaker(each, spoken.inputs)[:, 0] for each in (situation, swapped))

    assert has_two.any()
    assert ((said - otherwise).abs().amax(1) > 1e-6)[has_two].all()


@torch.no_grad()
def test_a_later_word_changes_nothing_before_it(made, spoken):
    speaker = network(made.vocabulary)
    other = spoken.inputs.clone()
    other[:, 3] = torch.where(other[:, 3] > 1, other[:, 3] - 1, other[:, 3])

    before, after = (speaker(spoken.situation, each) for each in (spoken.inputs, other))

    torch.testing.assert_close(before[:, :3], after[:, :3])
    assert not torch.allclose(before[:, 3], after[:, 3], atol=1e-6)


@torch.no_grad()
def test_what_it_looks_at_is_told_part_by_part(made, spoken):
    situation = spoken.situation
    parts = [situation.heard, *situation.earlier.unbind(1), situation.title, situation.description]

    looked = network(made.vocabulary).weights(situation, spoken.inputs)

    assert [each.shape[2] for each in looked] == [each.shape[1] for each in parts]
    for weights, words in zip(looked, parts, strict=True):
        assert (weights.masked_select((words == PAD_NUMBER)[:, None]) == 0).all()
    assert (looked[0][:, 0].sum(1) > 0).all()
    assert (sum(each.sum(2) for each in looked)[:, 0] < 1).all()


def test_its_loss_falls(tmp_path):
    made = learner(tmp_path, smooth_prices=True)
    optimizer = torch.optim.Adam(made.network.parameters(), lr=0.01)
    before = perplexity(made)

    for epoch in range(2):
        for batch in made.updates(epoch, dice(epoch)):
            optimizer.zero_grad()
            made.loss(batch).backward()
            optimizer.step()

    assert perplexity(made) < before / 2


def test_a_gradient_reaches_every_part(tmp_path):
    made = learner(tmp_path)
    made.loss(torch.arange(len(made.learnt))).backward()

    unmoved = [n for n, each in made.network.named_parameters() if not each.grad.abs().any()]
    assert unmoved == []
    # Every turn that is looked back at, oneself apart.
    assert made.network.turns.weight.grad.abs().sum(1).all()


@torch.no_grad()
def test_a_checkpoint_says_the_same_again(tmp_path, spoken, made):
    speaker = network(made.vocabulary)
    write_checkpoint(
        tmp_path / "kept",
        settings={"model": MODEL, "recipe": {"model": MODEL, **sections()}},
        words=made.words(),
        weights=speaker.state_dict(),
    )

    again = speaker_of(open_checkpoint(tmp_path / "kept"))

    said, once_more = (each(spoken.situation, spoken.inputs) for each in (speaker, again))
    assert torch.equal(said, once_more)


@torch.no_grad()
def test_it_plays_and_reads_again_what_it_said():
    speaker, choice = network(), WordChoice(temperature=1.0)
    sides = (Bargainer(network=speaker, choice=choice),) * 2

    played = bargain(sides, scenes(6), dice(), device=CPU)

    turns = OwnTurns.of(played, 0, earlier=speaker.earlier)
    log_probs = turns.log_probs(speaker, choice)
    # What was drawn was allowed, and is still.
    assert len(log_probs) > 6
    assert log_probs.isfinite().all()


@pytest.mark.parametrize(
    "options", [{"width": 30, "heads": 4}, {"width": 12, "heads": 4, "positions": "rotary"}]
)
def test_heads_that_do_not_fit_the_width_are_refused(options):
    with pytest.raises(InputError, match=r"multiple of 'network\.heads'"):
        network(**options)
