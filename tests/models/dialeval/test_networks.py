"""The networks: who is asked for what, and that padding and other dialogues change nothing."""

from typing import Any

import pytest
import torch
from torch import nn

from palaver.models.dialeval.dialogues import HelpDialogue, read_dialogues
from palaver.models.dialeval.learner import DialEvalLoss, loss_of
from palaver.models.dialeval.tensors import as_tensors, vocabulary_of
from palaver.models.vocabulary import Vocabulary
from support.helpdesk import helpdesk_file, tiny_recipe

# Kinds of networks, and of a panel of both what makes it one.
KINDS = ["dialeval-bilstm", "dialeval-turns", "panel"]


@pytest.fixture(scope="module")
def dialogues(tmp_path_factory: pytest.TempPathFactory) -> list[HelpDialogue]:
    found = read_dialogues(helpdesk_file(tmp_path_factory.mktemp("data") / "h.jsonl", 8))
    # One in which nobody waits for an answer, begun by the help desk.
    last = found[0]
    turns = (last.turns[1], last.turns[1], last.turns[0])
    return [*found, HelpDialogue("odd", turns, (last.nugget[1], last.nugget[1], last.nugget[0]))]


@pytest.fixture(scope="module")
def vocabulary(dialogues: list[HelpDialogue]) -> Vocabulary:
    return vocabulary_of(dialogues, least=1, most=20)


def network_for(kind: str, words: Vocabulary, tasks: str = "both") -> nn.Module:
    torch.manual_seed(5)
    network: dict[str, Any] = {"dropout": 0.5}
    if kind == "panel":
        kind, network = "dialeval-turns", {**network, "recurrent": 6}
    recipe = tiny_recipe(kind, data={"tasks": tasks}, network=network)
    found: nn.Module = recipe.settings.new_network(len(words))
    return found.eval()


@pytest.mark.parametrize("kind", KINDS)
def test_each_turn_has_the_labels_of_who_speaks(
    kind: str, dialogues: list[HelpDialogue], vocabulary: Vocabulary
) -> None:
    batch = as_tensors(dialogues, vocabulary, most=20)
    said = network_for(kind, vocabulary)(batch)
    shares = said.nugget.exp()
    helpdesk = batch.senders == 1
    assert shares[helpdesk][:, 3].eq(0).all()
    assert shares[~helpdesk].gt(0).all()
    assert torch.allclose(shares.sum(dim=-1), torch.ones_like(shares[..., 0]))
    assert torch.allclose(said.quality.exp().sum(dim=-1), torch.ones(len(batch), 3))


@pytest.mark.parametrize("kind", KINDS)
def test_a_dialogue_is_judged_alike_alone_and_among_longer_ones(
    kind: str, dialogues: list[HelpDialogue], vocabulary: Vocabulary
) -> None:
    network = network_for(kind, vocabulary)
    among = network(as_tensors(dialogues, vocabulary, most=20))
    for row, dialogue in enumerate(dialogues):
        alone = network(as_tensors([dialogue], vocabulary, most=20))
        turns = len(dialogue.turns)
        assert torch.allclose(alone.nugget[0], among.nugget[row, :turns], atol=1e-5)
        assert torch.allclose(alone.quality[0], among.quality[row], atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_later_turn_changes_what_is_said_of_an_earlier_one(
    kind: str, dialogues: list[HelpDialogue], vocabulary: Vocabulary
) -> None:
    network, first = network_for(kind, vocabulary), dialogues[0]
    whole = network(as_tensors([first], vocabulary, most=20)).nugget[0, 0]
    begun = HelpDialogue("begun", first.turns[:1])
    alone = network(as_tensors([begun], vocabulary, most=20)).nugget[0, 0]
    assert not torch.allclose(whole, alone, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("task", ["nugget", "quality"])
def test_a_network_for_one_task_says_nothing_of_the_other(
    kind: str, task: str, dialogues: list[HelpDialogue], vocabulary: Vocabulary
) -> None:
    said = network_for(kind, vocabulary, task)(as_tensors(dialogues, vocabulary, most=20))
    assert (said.nugget is None) == (task == "quality")
    assert (said.quality is None) == (task == "nugget")


@pytest.mark.parametrize("kind", KINDS)
def test_dropout_is_by_chance_in_training_alone(
    kind: str, dialogues: list[HelpDialogue], vocabulary: Vocabulary
) -> None:
    network, batch = network_for(kind, vocabulary), as_tensors(dialogues, vocabulary, most=20)
    assert torch.equal(network(batch).quality, network(batch).quality)
    network.train()
    assert not torch.equal(network(batch).quality, network(batch).quality)


def test_a_panel_says_the_mean_and_each_member_learns_by_itself(
    dialogues: list[HelpDialogue], vocabulary: Vocabulary
) -> None:
    panel, batch = network_for("panel", vocabulary), as_tensors(dialogues, vocabulary, most=20)
    said = panel(batch)
    one, other = said.members
    assert torch.allclose(said.quality.exp(), (one.quality.exp() + other.quality.exp()) / 2)
    assert torch.allclose(said.nugget.exp(), (one.nugget.exp() + other.nugget.exp()) / 2)
    weights = DialEvalLoss(jsd=1.0, rsnod=1.0)
    alone = [loss_of(member, batch, weights).item() for member in said.members]
    assert loss_of(said, batch, weights).item() == pytest.approx(sum(alone) / 2)
