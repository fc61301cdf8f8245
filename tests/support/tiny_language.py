"""Language models that know nothing: tiny ones, weights by chance, with a tokenizer of a few sentences.

Nothing is fetched: the hub is switched off before its package is loaded.
"""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from tokenizers import decoders as decoders_of
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM
from transformers.utils import logging

from palaver.core.dialogue import Dialogue
from palaver.core.records import DialogueRecord, encode_lines
from palaver.evaluation.selfplay import play_many
from palaver.games.game import GAMES, Setting
from palaver.models.recipe import Recipe, read_recipe
from palaver.models.train import train
from palaver.models.training.plan import TrainingPlan
from palaver.studies.play.players import find_player

logging.set_verbosity_error()
logging.disable_progress_bar()

SENTENCES = (
    "You: I would like the hat and two books. Partner: then the ball is mine, deal?",
    "<select> 1 0 2 <quit> <offer> 120 <accept> <reject>",
    "Could you go lower? It has a scratch, and I must rent a van to fetch it.",
    "My kettle leaks. Customer: it drips at night. Help desk: please send it in.",
    "Title: Should I tell him? Advice: write it down first, then sleep over it.",
    "Do you have a friend who likes chess and works in the morning?",
)
GAME_NAMES = ("deal_or_no_deal", "craigslist_bargain", "mutual_friends")
END, PAD = "</s>", "<pad>"
CPU = torch.device("cpu")


def tiny_language(
    folder: Path, kind: str = "llama", *, width: int = 32, layers: int = 2, seed: int = 0
) -> Path:
    """A folder with a tiny model: `llama` or `gpt2`, which are causal, or `t5`."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = _pieces() if kind == "t5" else _bytes()
    tokenizer.save(str(folder / "tokenizer.json"))
    told = {"eos_token": END, "pad_token": PAD, "tokenizer_class": "PreTrainedTokenizerFast"}
    (folder / "tokenizer_config.json").write_text(json.dumps(told))
    marks = {"eos_token_id": tokenizer.token_to_id(END), "pad_token_id": tokenizer.token_to_id(PAD)}
    size = {"vocab_size": tokenizer.get_vocab_size(), **marks}
    heads = max(2, width // 32)
    shapes = {
        "llama": {
            "hidden_size": width,
            "intermediate_size": 2 * width,
            "num_hidden_layers": layers,
            "num_attention_heads": heads,
            "max_position_embeddings": 1024,
            "bos_token_id": None,
            "tie_word_embeddings": True,
        },
        "gpt2": {
            "n_embd": width,
            "n_layer": layers,
            "n_head": heads,
            "n_positions": 1024,
            "bos_token_id": marks["eos_token_id"],
        },
        "t5": {
            "d_model": width,
            "d_ff": 2 * width,
            "d_kv": width // heads,
            "num_layers": layers,
            "num_heads": heads,
        },
    }
    config = AutoConfig.for_model(kind, **shapes[kind], **size)
    make = AutoModelForSeq2SeqLM if kind == "t5" else AutoModelForCausalLM
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        make.from_config(config).save_pretrained(folder)
    return folder


def told_by_games() -> list[str]:
    """What our games tell a language model, so that it takes few tokens."""
    found = []
    for game in map(GAMES.get, GAME_NAMES):
        scenario = game.options_type().rules(Setting(), folder=game.folder).scenarios[0]
        found += [line for seat in (0, 1) for line in game.brief(scenario, seat)]
    return found


def _bytes() -> Tokenizer:
    """Pieces of bytes, as most causal models have them: every text can be written."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders_of.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1000,
        special_tokens=[PAD, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([*SENTENCES, *told_by_games()], trainer)
    return made


def _pieces() -> Tokenizer:
    """Pieces of words without angles or line breaks, as those of T5; a text ends with a mark."""
    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.normalizer = normalizers.Replace("\n", " ")
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders_of.Metaspace()
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:;?!'()[]$»-"
    trainer = trainers.BpeTrainer(
        vocab_size=1000,
        special_tokens=[PAD, END, "<unk>"],
        initial_alphabet=list(letters),
        show_progress=False,
    )
    given = [*SENTENCES, *told_by_games()]
    kept = [sentence.replace("<", "").replace(">", "") for sentence in given]
    made.train_from_iterator(kept, trainer)
    made.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", special_tokens=[(END, made.token_to_id(END))]
    )
    return made


def bots_talk(path: Path, name: str, count: int = 5, *, seed: int = 1) -> Path:
    """A file of dialogues that the rule bots of a game held."""

    async def held() -> list[DialogueRecord]:
        game = GAMES.get(name)
        rules = game.options_type().rules(Setting(), folder=game.folder)
        bots = [find_player("rule", game).build() for _ in range(2)]
        played = play_many(rules, bots, names=["a", "b"], seed=seed, count=count, max_turns=40)
        return [_record(each) async for each in played]

    path.write_bytes(encode_lines(asyncio.run(held())))
    return path


def language_recipe(base: Path, model: str = "language-game", **sections: Any) -> Recipe:
    """A recipe for a tiny model, which learns in a second."""
    data = {
        "language-game": {"longest": 700, "reply": 40, "folds": 3},
        "language-advice": {"longest": 96, "advice": 24, "folds": 3},
        "language-dialeval": {"turn": 20, "longest": 200, "folds": 3},
    }
    return read_recipe(
        {
            "model": model,
            "base": {"model": str(base)},
            **sections,
            "data": {**data[model], **sections.get("data", {})},
            "training": {"epochs": 2, "batch": 4, "rate": 0.01, **sections.get("training", {})},
        }
    )


def trained_language(recipe: Recipe, folder: Path, *files: Path, test: tuple[Path, ...] = ()):
    """The checkpoint of a training on files."""
    plan = TrainingPlan(recipe=recipe, train=files, test=test, folder=folder, device=CPU)
    return train(plan).checkpoint


def _record(dialogue: Dialogue) -> DialogueRecord:
    return DialogueRecord(
        id=dialogue.id,
        study="made",
        scenario=dialogue.scenario,
        seats=dialogue.seats,
        events=dialogue.events,
    )
