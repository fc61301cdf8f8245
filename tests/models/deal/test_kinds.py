"""Kinds of models that talk about a deal: from a recipe to a learner, and from a checkpoint back."""

import dataclasses

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.checkpoints.folder import (
    CheckpointError,
    open_checkpoint,
    write_checkpoint,
)
from palaver.models.deal.kinds import network_of, vocabulary_of
from palaver.models.learner import LearnerMaterial
from palaver.models.recipe import library_names, open_recipe, read_recipe
from support.deal_lines import random_contexts, write_made_lines
from support.deal_networks import random_words

NETWORKS = {
    "deal-talk": {"embedding": 8, "hidden": 10, "context": 4},
    "deal-transformer": {"layers": 1, "width": 8, "heads": 2},
}
HEAD = {"hidden": 6, "attention": 4, "layer": 6}


def tiny_recipe(model: str):
    sections = {"data": {"least": 1, "folds": 4}, "network": NETWORKS[model], "selection": HEAD}
    return read_recipe({"model": model, **sections})


def new_learner(folder, recipe, *, start=None):
    file = write_made_lines(folder / "deals.txt", 20)
    material = LearnerMaterial(
        train=(file,), seed=1, device=torch.device("cpu"), batch=8, start=start
    )
    torch.manual_seed(3)
    return recipe.kind().learner(recipe.settings, material)


def saved(folder, learner, recipe, *, model=None, told=None):
    settings = {"model": model or recipe.model, "recipe": told or recipe.as_json()}
    write_checkpoint(
        folder,
        settings=settings,
        words=learner.words(),
        weights=learner.network.state_dict(),
    )
    return open_checkpoint(folder)


@pytest.mark.parametrize("model", NETWORKS)
@torch.no_grad()
def test_a_checkpoint_gives_the_same_network_again(tmp_path, model):
    recipe = tiny_recipe(model)
    learner = new_learner(tmp_path, recipe)

    checkpoint = saved(tmp_path / "best", learner, recipe)

    contexts, words = random_contexts(2), random_words(2, 9)
    expected = learner.network.eval()(contexts, words)
    assert torch.equal(network_of(checkpoint)(contexts, words), expected)
    assert vocabulary_of(checkpoint).words == learner.vocabulary.words


@torch.no_grad()
def test_a_network_that_was_trained_further_is_found_in_what_it_inherited(tmp_path):
    recipe = tiny_recipe("deal-transformer")
    learner = new_learner(tmp_path, recipe)
    told = {
        "model": "deal-reinforce",
        "inherited": {"model": recipe.model, "recipe": recipe.as_json()},
    }

    checkpoint = saved(tmp_path / "best", learner, recipe, model="deal-reinforce", told=told)

    contexts, words = random_contexts(2), random_words(2, 9)
    expected = learner.network.eval()(contexts, words)
    assert torch.equal(network_of(checkpoint)(contexts, words), expected)


def test_training_can_start_from_a_checkpoint(tmp_path):
    recipe = tiny_recipe("deal-talk")
    first = new_learner(tmp_path, recipe)
    for weight in first.network.parameters():
        weight.data.add_(0.1)

    second = new_learner(tmp_path, recipe, start=saved(tmp_path / "best", first, recipe))

    for one, other in zip(first.network.parameters(), second.network.parameters(), strict=True):
        assert torch.equal(one, other)


def test_a_checkpoint_of_another_kind_size_or_vocabulary_is_refused(tmp_path):
    recipe = tiny_recipe("deal-talk")
    learner = new_learner(tmp_path, recipe)
    checkpoint = saved(tmp_path / "best", learner, recipe)

    with pytest.raises(CheckpointError, match="of kind 'dialeval-turns', which does not fit"):
        network_of(dataclasses.replace(checkpoint, model="dialeval-turns"))
    larger = {**recipe.as_json(), "network": {**NETWORKS["deal-talk"], "hidden": 11}}
    with pytest.raises(CheckpointError, match="does not fit the recipe"):
        network_of(dataclasses.replace(checkpoint, recipe=larger))
    with pytest.raises(CheckpointError, match="has no 'words'"):
        network_of(dataclasses.replace(checkpoint, words={}))
    with pytest.raises(InputError, match="begins with <pad>"):
        network_of(dataclasses.replace(checkpoint, words={"words": ["cat", "dog"]}))


@pytest.mark.parametrize("name", [name for name in library_names() if name.startswith("deal-")])
def test_recipes_of_the_library_are_whole_and_say_what_they_are(name):
    file = open_recipe(name)

    assert file.recipe().about
