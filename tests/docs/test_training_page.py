"""docs/training.md names every recipe, kind, option and file that there is, and its examples work."""

import dataclasses
import re
import shlex
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import torch
from ruamel.yaml import YAML

from palaver.cli.main import palaver
from palaver.models.__main__ import main
from palaver.models.checkpoints.folder import UNFINISHED
from palaver.models.connectors.checkpoint import CheckpointSystem
from palaver.models.deal.talk import TalkSettings
from palaver.models.dialeval.learner import LICENCE
from palaver.models.recipe import Recipe, RecipeFile, TrainingSettings, library_names, open_recipe
from palaver.models.registry import MODELS
from palaver.models.settings import described
from palaver.models.train import train
from palaver.models.training.plan import TrainingPlan
from support.toy_model import toy_points, toy_recipe

from .defaults import says
from .reading import CODE, own_section, page, rows, section

PAGE = page("training.md")
# Fences stand inside lists, too.
EXAMPLES = re.findall(r"^ *```yaml\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)
TYPED = re.findall(r"^\$ (palaver .*)$", PAGE, re.MULTILINE)
# Kinds that are made without a recipe of one's own, and have no options.
WITHOUT_OPTIONS = ("majority", "return-context")


def own_kinds() -> list[str]:
    """The kinds of this product; tests register others."""
    return [name for name in MODELS.names() if MODELS.get(name).__module__.startswith("palaver.")]


def examples() -> Iterator[dict[str, Any]]:
    for text in EXAMPLES:
        yield YAML(typ="safe", pure=True).load(textwrap.dedent(text))


def table(heading: str) -> str:
    """The table whose row of headings begins like this."""
    start = PAGE.index(heading)
    return PAGE[start : PAGE.index("\n\n", start)]


def words(cell: str) -> set[str]:
    return set(CODE.findall(cell))


def section_with_fences(title: str) -> str:
    """What stands under a heading, with its examples."""
    start = PAGE.index(f"\n## {title}\n")
    return PAGE[start : PAGE.index("\n## ", start + 1)]


def test_every_recipe_is_named_with_its_model() -> None:
    told = rows(table("| recipe | model |"))
    assert sorted(told) == library_names()
    for name, cells in told.items():
        assert words(cells[1]) == {open_recipe(name).given["model"]}, name


def test_every_key_of_a_recipe_is_described() -> None:
    told = rows(table("| key | meaning |"))
    fields = {each.name: each for each in dataclasses.fields(Recipe)}
    assert set(told) == set(fields) - {"settings"} | {"sweep"}
    for name in ("seed", "members"):
        assert says(told[name][2], fields[name].default)


def test_every_option_of_a_training_is_described_with_its_default() -> None:
    told = rows(table("| option | meaning | default |"))
    known = {each.name: each.default for each in dataclasses.fields(TrainingSettings)}
    assert set(told) == {name for name, _, _ in described(TrainingSettings)}
    for name, cells in told.items():
        default = known[name]
        text = ", ".join(map(str, default)) if isinstance(default, tuple) else str(default)
        assert cells[2].strip("`") == text, name


@pytest.mark.parametrize("kind", own_kinds())
def test_every_kind_is_described_with_its_sections(kind: str) -> None:
    told = rows(table("| kind | sections |"))
    own = {each.name for each in dataclasses.fields(MODELS.get(kind).settings_type)}
    if kind in WITHOUT_OPTIONS:
        assert own == set()
        assert f"`{kind}`" in section(PAGE, "Recipes")
        return
    text = told[kind][1]
    if text.startswith("the same"):
        above = list(told)[list(told).index(kind) - 1]
        text += told[above][1]
    assert own <= {name.partition(".")[0] for name in words(text)}


def test_the_examples_are_recipes_and_a_system() -> None:
    found = list(examples())
    recipes = [each for each in found if "model" in each]
    assert len(recipes) == 2
    for each in recipes:
        file = RecipeFile(each, Path())
        made = file.swept() if "sweep" in each else [("", file.recipe())]
        assert len(made) in (1, 4)
    [system] = [s for each in found for s in each.get("systems", {}).values()]
    assert system.pop("kind") == "checkpoint"
    assert CheckpointSystem.options_type(**system).model_dump()["rollouts"] == 5


def test_the_combinations_of_the_sweep_are_those_shown() -> None:
    [recipe] = [each for each in examples() if "sweep" in each]
    shown = re.findall(r"^(rate=\S+)", section_with_fences("Sweeps"), re.MULTILINE)
    assert sorted(shown) == sorted(name for name, _ in RecipeFile(recipe, Path()).swept())


def test_what_a_checkpoint_holds_is_what_a_training_writes(tmp_path: Path) -> None:
    recipe = dataclasses.replace(toy_recipe(training={"epochs": 1}), members=2)
    points = toy_points(tmp_path / "points.txt")
    train(
        TrainingPlan(
            recipe=recipe, train=(points,), folder=tmp_path / "made", device=torch.device("cpu")
        )
    )
    written = {path.name for path in (tmp_path / "made").rglob("*")} - {"member-2"}
    told = rows(section(PAGE, "What a checkpoint holds"))
    assert set(told) == written | {UNFINISHED}


def test_every_command_that_is_shown_exists_with_its_options() -> None:
    assert len(TYPED) >= 12
    for line in TYPED:
        name, *given = shlex.split(line)[1:]
        command = palaver.get_command(click.Context(palaver), name)
        if isinstance(command, click.Group):
            command = command.commands.get(given[0])
        assert command is not None, line
        known = {each for param in command.params for each in param.opts + param.secondary_opts}
        assert {each for each in given if each.startswith("-")} <= known, line


def test_the_options_without_the_rest_of_palaver(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    usage = capsys.readouterr().out.partition("\n\n")[0]
    known = set(re.findall(r"[\[ ](--?[a-z]+)\b", usage)) - {"-h", "-m"}
    text = own_section(PAGE, "Without the rest of Palaver")
    told = {name for name in words(text) if name.startswith("-")}
    assert told == known


def test_licences_are_those_that_cards_name() -> None:
    told = section(PAGE, "Data")
    assert "CC BY-NC 4.0" in told
    assert "CC BY-NC 4.0" in TalkSettings().licence
    assert "annotations CC BY 4.0" in told
    assert "annotations CC BY 4.0" in LICENCE
