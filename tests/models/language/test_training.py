"""Training a language model: what changes, what is kept, and going on after a kill."""

import dataclasses
import json
import shutil
from pathlib import Path

import pytest
import torch
from torch import nn

from palaver.core.errors import InputError, MissingExtraError
from palaver.models.checkpoints.folder import CheckpointError, open_checkpoint
from palaver.models.language import packages
from palaver.models.language.adaptation import AdaptationSettings, adapt, merged_weights
from palaver.models.language.bases import BaseSettings, open_base
from palaver.models.language.fine_tuned import reopened_language
from palaver.models.language.games import game_matter
from palaver.models.language.kinds import LanguageGame
from palaver.models.language.learner import WritingLearner, read_tallies
from palaver.models.language.network import LanguageNetwork
from palaver.models.learner import LearnerMaterial
from palaver.models.recipe import Recipe
from palaver.models.train import train
from palaver.models.training.plan import TrainingPlan
from palaver.models.training.trainer import Trainer
from support.deal_lines import write_made_lines
from support.tiny_language import CPU, language_recipe, tiny_language, trained_language

LORA = {"method": "lora", "rank": 4, "alpha": 8, "dropout": 0.1}


@pytest.fixture(scope="session")
def deals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_made_lines(tmp_path_factory.mktemp("deals") / "deals.txt", dialogues=8)


def material(*files: Path, **more: object) -> LearnerMaterial:
    return LearnerMaterial(train=files, seed=1, device=CPU, batch=4, **more)


def learner(recipe: Recipe, *files: Path) -> WritingLearner:
    torch.manual_seed(recipe.seed)
    return LanguageGame().learner(recipe.settings, material(*files))


def test_a_killed_training_goes_on_as_if_nothing_had_been(
    bases: dict[str, Path], deals: Path, tmp_path: Path
) -> None:
    recipe = language_recipe(bases["gpt2"], adaptation=LORA)
    plan = TrainingPlan(recipe=recipe, train=(deals,), folder=tmp_path / "whole", device=CPU)
    whole = train(plan)
    other = dataclasses.replace(plan, folder=tmp_path / "cut")
    data = whole.checkpoint.data
    begun = Trainer(recipe, learner(recipe, deals), device=CPU, folder=other.folder, data=data)
    begun.run(until=1)
    cut = train(other)
    one, two = whole.checkpoint.weights(), cut.checkpoint.weights()
    assert one.keys() == two.keys()
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert whole.state is not None
    assert whole.state.rows[-1].loss < whole.state.rows[0].loss
    assert not any("lora" in name for name in one)


def test_a_checkpoint_needs_nothing_else_and_says_the_same(
    bases: dict[str, Path], deals: Path, tmp_path: Path
) -> None:
    base = shutil.copytree(bases["llama"], tmp_path / "base")
    recipe = language_recipe(base, training={"epochs": 1})
    held = write_made_lines(tmp_path / "dev.txt", dialogues=3, seed=5)
    made = trained_language(recipe, tmp_path / "made", deals, test=(held,))
    shutil.rmtree(base)
    figures = {each["name"]: each for each in made.measured["figures"]}
    assert figures["perplexity"]["n"] == 3
    assert figures["perplexity"]["low"] < figures["perplexity"]["value"]
    network, tuning = reopened_language(open_checkpoint(tmp_path / "made"))
    matter = game_matter(recipe.settings.data, tuning, material(deals))
    sums = read_tallies(network, matter.held, batch=4).sum(0)
    assert made.measured["best"] == pytest.approx(float(torch.tensor(sums[0] / sums[2]).exp()))
    assert made.words["game"] == ["deal_or_no_deal"]
    assert all(tag.startswith("<select>") for tag in made.words["tags"])
    # It can be what another training starts from, and is refused as a place for other things.
    start = {"start": str(made.folder), "training": {"epochs": 1}}
    further = language_recipe(Path("gone"), **start)
    again = trained_language(further, tmp_path / "further", deals)
    assert again.measured["best"] < made.measured["best"]
    adapter = language_recipe(Path("gone"), adaptation={**LORA, "keep": "adapter"}, **start)
    with pytest.raises(InputError, match="a start checkpoint is another one"):
        trained_language(adapter, tmp_path / "adapter", deals)


@pytest.mark.parametrize("kind", ["llama", "gpt2", "t5"])
def test_what_lora_adds_is_joined_with_each_weight(bases: dict[str, Path], kind: str) -> None:
    opened = open_base(BaseSettings(model=str(bases[kind])))
    plain = opened.load(torch.float32)
    before = {name: each.clone() for name, each in plain.state_dict().items()}
    adapt(plain, AdaptationSettings(method="lora", rank=4, alpha=8))
    with torch.no_grad():
        for name, weight in plain.named_parameters():
            if weight.requires_grad:
                assert "lora_" in name
                nn.init.normal_(weight, std=0.1)
    joined, adapted = merged_weights(plain), dict(plain.named_parameters())
    layer = next(n for n in adapted if n.endswith("lora_A.default.weight")).rpartition(".lora_A")[0]
    added = adapted[f"{layer}.lora_B.default.weight"] @ adapted[f"{layer}.lora_A.default.weight"]
    added = (8 / 4) * (added.T if kind == "gpt2" else added)
    assert torch.allclose(joined[f"{layer}.weight"], before[f"{layer}.weight"] + added, atol=1e-6)
    whole = opened.load(torch.float32)
    network = LanguageNetwork(whole, writes=opened.writes, start=0)
    network.load_state_dict({network.outer_name(f"model.{n}"): w for n, w in joined.items()})
    words = torch.tensor([[5, 9, 7, 8]])
    more = {"decoder_input_ids": words} if kind == "t5" else {}
    with torch.no_grad():
        one, other = (each.eval()(input_ids=words, **more).logits for each in (plain, whole))
    assert torch.allclose(one, other, atol=1e-4)


def test_every_part_learns_and_with_lora_the_base_stays(
    bases: dict[str, Path], deals: Path
) -> None:
    for adaptation in ({}, LORA):
        recipe = language_recipe(bases["llama"], adaptation=adaptation)
        made = learner(recipe, deals)
        made.network.train()
        if adaptation:
            nn.init.normal_(made.network.state_dict()[_first(made, "lora_B")], std=0.1)
        batch = next(iter(made.updates(1, torch.Generator().manual_seed(1))))
        made.loss(batch).backward()
        named = dict(made.network.named_parameters())
        learnt = {name: each for name, each in named.items() if each.requires_grad}
        assert all(each.grad is not None for each in learnt.values())
        assert all("lora" in name for name in learnt) == bool(adaptation)
        assert len(made.network.state_dict()) == len(learnt)
        kept = made.kept_weights(made.network.state_dict())
        assert not any("lora" in name or "base_layer" in name for name in kept)


def _first(made: WritingLearner, part: str) -> str:
    return next(name for name in made.network.state_dict() if part in name)


def test_an_adapter_wants_the_base_it_was_trained_on(
    bases: dict[str, Path], deals: Path, tmp_path: Path
) -> None:
    base = shutil.copytree(bases["llama"], tmp_path / "base")
    recipe = language_recipe(base, adaptation={**LORA, "keep": "adapter"}, training={"epochs": 1})
    made = trained_language(recipe, tmp_path / "made", deals)
    assert made.recipe["inherited"]["base"]["model"] == str(base)
    assert all("lora" in name for name in made.weights())
    reopened_language(made)
    tiny_language(base, "llama", seed=3)
    with pytest.raises(CheckpointError, match="whose weights had the SHA-256"):
        reopened_language(made)
    shutil.rmtree(base)
    with pytest.raises(CheckpointError, match=r"needs the model .* There is no folder"):
        reopened_language(made)


def test_bases_that_cannot_be_used(bases: dict[str, Path], tmp_path: Path) -> None:
    def refused(folder: object, told: str, **more: str) -> None:
        with pytest.raises(InputError, match=told):
            open_base(BaseSettings(model=str(folder), **more))

    refused("", "does not say which language model")
    refused(tmp_path / "nowhere", "There is no folder")
    refused("some-owner/some-model", "could be fetched from the hub .* base.model=FOLDER")
    refused("some-owner/some-model", "at 'v2' could be fetched", revision="v2")
    refused(bases["t5"], "base.kind is causal, and .* a seq2seq model", kind="causal")
    refused(tmp_path, "it has no config.json")
    pickled = shutil.copytree(bases["gpt2"], tmp_path / "pickled")
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    refused(pickled, r"pickled \(pytorch_model.bin\), which can run code")
    (pickled / "config.json").write_text('{"model_type": 3}')
    refused(pickled, "names no 'model_type'")


def test_recipes_that_cannot_be_trained(
    bases: dict[str, Path], deals: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(told: str, base: Path = bases["llama"], **sections: object) -> None:
        with pytest.raises(InputError, match=told):
            trained_language(language_recipe(base, **sections), tmp_path / "made", deals)

    refused(
        "no layer of the model ends in 'q_porj'. Near: 'q_proj'",
        adaptation={
            **LORA,
            "targets": ["q_porj"],
        },
    )
    refused("'members' is 1; got 2", members=2)
    both = shutil.copytree(bases["gpt2"], tmp_path / "both")
    (both / "tokenizer.json").write_text("{}")
    refused("is not a tokenizer", base=both)
    (both / "tokenizer.json").unlink()
    refused("has no tokenizer.json", base=both)
    unknown = shutil.copytree(bases["gpt2"], tmp_path / "unknown")
    config = json.loads((unknown / "config.json").read_text())
    code = {"model_type": "mine", "auto_map": {"AutoConfig": "code.Mine"}}
    (unknown / "config.json").write_text(json.dumps({**config, **code}))
    refused("holds no language model that can be used here", base=unknown)
    assert not (tmp_path / "made").exists()
    monkeypatch.setattr(packages.importlib.util, "find_spec", lambda name: None)
    plan = TrainingPlan(
        recipe=language_recipe(bases["llama"]),
        train=(tmp_path / "not-read.txt",),
        folder=tmp_path / "made",
        device=CPU,
    )
    with pytest.raises(MissingExtraError, match=r"pip install 'palaver\[language\]'"):
        train(plan)


def test_a_model_that_reads_both_ways_is_refused(tmp_path: Path, deals: Path) -> None:
    from transformers import AutoConfig, BertForMaskedLM

    base = tiny_language(tmp_path / "bert", "llama")
    config = json.loads((base / "config.json").read_text())
    bert = AutoConfig.for_model(
        "bert",
        vocab_size=config["vocab_size"],
        eos_token_id=config["eos_token_id"],
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
    )
    BertForMaskedLM(bert).save_pretrained(base)
    with pytest.raises(CheckpointError, match="'bert', which reads both ways"):
        trained_language(language_recipe(base), tmp_path / "made", deals)
