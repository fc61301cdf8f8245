"""A language model that judges help-desk dialogues: what it sees of a turn, and what it says."""

import json
from pathlib import Path

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.diagnosis.record import DiagnosisRequest, diagnose
from palaver.models.dialeval.dialogues import NUGGETS, read_dialogues
from palaver.models.language.judge_responder import LanguageJudgeResponder
from palaver.models.language.kinds import LanguageDialEval
from support.helpdesk import helpdesk_file, material_of
from support.tiny_language import CPU, language_recipe, trained_language

LORA = {"method": "lora", "rank": 4, "alpha": 8, "keep": "adapter"}


@pytest.mark.parametrize(("kind", "adaptation"), [("t5", {}), ("llama", LORA)])
def test_it_learns_how_annotators_are_divided(
    bases: dict[str, Path], tmp_path: Path, kind: str, adaptation: dict[str, object]
) -> None:
    file, other = (helpdesk_file(tmp_path / f"{n}.jsonl", 12, seed=n) for n in (1, 2))
    recipe = language_recipe(
        bases[kind],
        "language-dialeval",
        adaptation=adaptation,
        loss={"jsd": 1.0},
        training={"epochs": 3, "rate": 0.01},
    )
    made = trained_language(recipe, tmp_path / "made", file, test=(other,))
    figures = {each["name"]: each["value"] for each in made.measured["figures"]}
    responder = LanguageJudgeResponder([made], CPU)
    found = responder.submission(other)
    for record, dialogue in zip(found, read_dialogues(other), strict=True):
        assert record["id"] == dialogue.id
        for shares, turn in zip(record["nugget"], dialogue.turns, strict=True):
            assert tuple(shares) == NUGGETS[turn.sender]
            assert sum(shares.values()) == pytest.approx(1)
        assert all(sum(each.values()) == pytest.approx(1) for each in record["quality"].values())
    looked = diagnose(DiagnosisRequest(checkpoint=made, device=CPU, files=(other,), samples=1))
    told = looked.tables[0].rows[0].figures
    assert told["jsd"].value == pytest.approx(figures["jsd"])
    assert told["rsnod"].value == pytest.approx(figures["rsnod"])
    losses = [row["loss"] for row in json.loads((made.folder / "curve.json").read_text())["rows"]]
    assert losses[-1] < losses[0]


def test_a_turn_is_judged_by_its_end_and_every_part_learns(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    file = helpdesk_file(tmp_path / "h.jsonl", 12)
    recipe = language_recipe(bases["llama"], "language-dialeval")
    made = LanguageDialEval().learner(recipe.settings, material_of(file))
    batch = next(iter(made.updates(1, torch.Generator().manual_seed(1))))
    turns = batch.truth.present.sum(1).tolist()
    tokens = made._tokens.tokens
    for row, count in enumerate(turns):
        ends = batch.ends[row, :count]
        assert (batch.inputs[row, ends] == tokens.end).all()
        assert int(ends[-1]) == int(batch.last[row])
        assert int((batch.inputs[row][batch.mask[row] == 1] == tokens.end).sum()) == count
    made.network.train()
    made.loss(batch).backward()
    assert all(each.grad is not None for each in made.network.parameters())


def test_what_cannot_be_learnt(bases: dict[str, Path], tmp_path: Path) -> None:
    file = helpdesk_file(tmp_path / "h.jsonl", 2)
    with pytest.raises(InputError, match="fewer than the 3 parts"):
        trained_language(language_recipe(bases["t5"], "language-dialeval"), tmp_path / "made", file)
    with pytest.raises(InputError, match="'loss' lowers nothing of quality"):
        trained_language(
            language_recipe(bases["t5"], "language-dialeval", loss={"quality": 0}),
            tmp_path / "made",
            helpdesk_file(tmp_path / "g.jsonl", 12),
        )
