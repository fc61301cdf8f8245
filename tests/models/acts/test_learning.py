"""Act networks: what they compute, what they learn, and their checkpoints."""

from pathlib import Path
from typing import Any

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.acts.grammar import GO_NUMBER
from palaver.models.acts.kinds import ACT_KINDS, game_of, network_of
from palaver.models.acts.learner import ActLearner
from palaver.models.acts.tallies import read_logits
from palaver.models.acts.views import ActViewTensors
from palaver.models.bargain.dialogues import read_bargains
from palaver.models.checkpoints.folder import CheckpointError, open_checkpoint, write_checkpoint
from palaver.models.learner import LearnerMaterial
from palaver.models.registry import MODELS
from palaver.models.settings import read_settings
from support.deal_lines import write_made_lines

from .made import CPU, dice, game, tiny_checkpoint, tiny_network, write_bargains

KINDS = ("bargain-acts", "deal-acts")


def data(folder: Path, kind: str) -> Path:
    if kind == "bargain-acts":
        return write_bargains(folder / "bargains.json")
    return write_made_lines(folder / "deals.txt", 30)


def learner(folder: Path, kind: str, **given: Any) -> ActLearner:
    sections = {
        "data": {"folds": 4},
        "network": {"size": 16, "dropout": 0.0, "init": 0.0, **given.pop("network", {})},
    }
    torch.manual_seed(2)
    material = LearnerMaterial(train=(data(folder, kind),), seed=1, device=CPU, batch=12, **given)
    settings = read_settings(ACT_KINDS[kind].settings_type, sections)
    return ACT_KINDS[kind].learner(settings, material)


@pytest.mark.parametrize("kind", KINDS)
def test_the_loss_falls_and_every_part_gets_a_gradient(tmp_path: Path, kind: str) -> None:
    learning = learner(tmp_path, kind)
    before = learning.measure()
    optimizer = torch.optim.Adam(learning.network.parameters(), lr=0.02)
    learning.network.train()
    for epoch in range(3):
        for batch in learning.updates(epoch, dice(epoch)):
            optimizer.zero_grad()
            learning.loss(batch).backward()
            optimizer.step()
    graded = {
        n for n, w in learning.network.named_parameters() if w.grad is not None and w.grad.any()
    }
    assert graded == {name for name, _ in learning.network.named_parameters()}
    after = learning.network.eval() and learning.measure()
    assert after["perplexity"] < 0.5 * before["perplexity"]
    assert after["act_accuracy"] > before["act_accuracy"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("more", [{"layers": 2, "attention": "concatenated"}, {"numbers": False}])
def test_word_by_word_is_the_same_as_all_at_once(
    tmp_path: Path, kind: str, more: dict[str, Any]
) -> None:
    network, views = tiny_network(kind, **more), a_few_views(tmp_path, kind)
    with torch.no_grad():
        whole = network(views)
        memory = network.begin(views.knowledge)
        own = torch.zeros_like(views.own[:, 0])
        for pair in range(views.own.shape[1]):
            memory = network.hear(memory, own, views.heard[:, pair])
            own = views.own[:, pair]
            word = torch.where(own[:, 0] > 0, GO_NUMBER, 0)
            for n in range(own.shape[1]):
                logits, state = network.expect(memory, word)
                said = own[:, n] > 0
                assert torch.allclose(logits[said], whole[said, pair, n], atol=1e-5)
                memory = type(memory)(
                    state, memory.knowledge, memory.heard, memory.encoded,
                    memory.heard_before, memory.own_before,
                )  # fmt: skip
                word = torch.where(own[:, n] == 1, 0, own[:, n])


@pytest.mark.parametrize("kind", KINDS)
def test_padding_changes_nothing_and_both_turns_before_count(tmp_path: Path, kind: str) -> None:
    network, views = tiny_network(kind), a_few_views(tmp_path, kind)
    with torch.no_grad():
        whole = network(views)
        alone = network(views.taken(torch.tensor([0]), int(views.sizes[0])))
        assert torch.allclose(whole[0, : int(views.sizes[0])], alone[0], atol=1e-5)
        memory = network.begin(views.knowledge[:1])
        memory = network.hear(memory, views.own[:1, 0] * 0, views.heard[:1, 0])
        memory = network.hear(memory, views.own[:1, 0], views.heard[:1, 1])
        base, _ = network.expect(memory, torch.tensor([GO_NUMBER]))
        for name in ("heard_before", "own_before"):
            changed = {field: getattr(memory, field) for field in memory.__slots__}
            changed[name] = torch.where(changed[name] > 0, changed[name] + 1, 0)
            other, _ = network.expect(type(memory)(**changed), torch.tensor([GO_NUMBER]))
            assert not torch.allclose(base, other, atol=1e-3)


def a_few_views(folder: Path, kind: str) -> ActViewTensors:
    views = game(kind).views([data(folder, kind)], reads="parsed")[:10]
    return ActViewTensors.of(sorted(views, key=lambda view: len(view.own)), CPU)


@pytest.mark.parametrize("kind", KINDS)
def test_training_that_goes_on_from_saved_weights_is_the_same(tmp_path: Path, kind: str) -> None:
    def epoch(learning: ActLearner, number: int) -> list[float]:
        optimizer = torch.optim.SGD(learning.network.parameters(), lr=0.1)
        losses = []
        for batch in learning.updates(number, dice(number)):
            optimizer.zero_grad()
            loss = learning.loss(batch)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    whole = learner(tmp_path, kind)
    epoch(whole, 0)
    resumed = learner(tmp_path, kind)
    resumed.network.load_state_dict(whole.network.state_dict())
    assert epoch(resumed, 1) == epoch(whole, 1)
    assert resumed.measure() == whole.measure()


@pytest.mark.parametrize("kind", KINDS)
def test_a_checkpoint_holds_the_network_and_its_words(tmp_path: Path, kind: str) -> None:
    made = tiny_checkpoint(tmp_path / "model", kind)
    views = a_few_views(tmp_path, kind)
    network = network_of(made)
    with torch.no_grad():
        assert torch.equal(network(views), tiny_network(kind)(views))
    assert game_of(made).grammar.words == game(kind).grammar.words
    write_checkpoint(
        tmp_path / "other",
        settings={"model": kind, "recipe": {"model": kind}},
        words={"acts": ["<pad>", "dance"], "knowledge": []},
        weights=network.state_dict(),
    )
    with pytest.raises(CheckpointError, match="vocabulary is not one of the acts"):
        game_of(open_checkpoint(tmp_path / "other"))
    further = learner(tmp_path, kind, start=made, network={"size": 12})
    assert torch.equal(next(further.network.parameters()), next(tiny_network(kind).parameters()))


def test_perplexity_by_hand(tmp_path: Path) -> None:
    learning = learner(tmp_path, "bargain-acts")
    tables = learning.game.grammar.tables(CPU)
    nll, words, right, turns = 0.0, 0, 0, 0
    with torch.no_grad():
        for row in range(len(learning.held)):
            view = learning.held.taken(torch.tensor([row]), int(learning.held.sizes[row]))
            log_probs = read_logits(learning.network, view, tables).log_softmax(-1)[0]
            for pair, turn in enumerate(view.own[0].tolist()):
                for n, word in enumerate(turn):
                    if word:
                        nll, words = nll - float(log_probs[pair, n, word]), words + 1
                turns += 1
                right += int(log_probs[pair, 0].argmax()) == turn[0]
    measured = learning.measure()
    assert measured["perplexity"] == pytest.approx(torch.tensor(nll / words).exp().item(), rel=1e-4)
    assert measured["act_accuracy"] == pytest.approx(right / turns)


def test_figures_are_told_on_recorded_and_on_parsed_acts(tmp_path: Path) -> None:
    learning = learner(tmp_path, "bargain-acts")
    recorded = write_bargains(tmp_path / "recorded.json", 6, recorded=True)
    names = {figure.name for figure in learning.test([recorded])}
    assert {"act accuracy, recorded acts", "act accuracy, parsed acts"} <= names
    plain = {figure.name for figure in learning.test([data(tmp_path, "bargain-acts")])}
    assert {"perplexity", "act accuracy", "argument accuracy", "price error"} == plain
    assert learning.note().counts["dialogues"] == 18
    assert learning.note().counts["dialogues that were too short"] == 6
    assert not any(
        each.has_recorded_acts for each in read_bargains([data(tmp_path, "bargain-acts")])
    )


def test_kinds_are_found_by_name_and_refuse_the_other_game(tmp_path: Path) -> None:
    for kind in KINDS:
        assert MODELS.get(kind) is type(ACT_KINDS[kind])
        wrong = data(tmp_path, "deal-acts" if kind == "bargain-acts" else "bargain-acts")
        with pytest.raises(InputError):
            ACT_KINDS[kind].check_test(None, [wrong])  # type: ignore[attr-defined]
