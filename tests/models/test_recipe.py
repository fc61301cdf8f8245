"""Recipes: every value is checked, changed on the command line, swept, and compared."""

import json
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.models.recipe import RecipeFile, differences, library_names, open_recipe, read_recipe
from palaver.models.settings import described
from support.toy_model import Toy, ToySettings, toy_recipe

assert Toy.settings_type is ToySettings


@pytest.mark.parametrize("name", library_names())
def test_every_recipe_of_the_library_is_valid_and_says_what_it_is(name: str) -> None:
    recipe = open_recipe(name).recipe()
    assert len(recipe.about) > 20
    assert read_recipe(json.loads(json.dumps(recipe.as_json()))) == recipe


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "A recipe names its kind of 'model'"),
        ({"model": "toi"}, r"No kind of model 'toi'.*'toy'"),
        ({"model": "toy", "dropuot": 0.1}, r"has no option 'dropuot'. Near: 'dropout'"),
        ({"model": "toy", "dropout": "much"}, r"'dropout' is a number; got 'much'"),
        ({"model": "toy", "dropout": 1.5}, r"'dropout' is from 0 to 0.95; got 1.5"),
        ({"model": "toy", "training": {"epochs": 0}}, r"'training.epochs' is 1 or more; got 0"),
        ({"model": "toy", "training": {"epochs": True}}, r"'training.epochs' is a whole number"),
        ({"model": "toy", "training": {"optimizer": "adm"}}, r"one of adam, adamw, adagrad, sgd"),
        ({"model": "toy", "training": {"rate": 0}}, r"'training.rate' is more than 0; got 0"),
        ({"model": "toy", "training": {"rate": float("nan")}}, r"'training.rate' is more than 0"),
        ({"model": "toy", "training": [1]}, r"'training' holds options by name; got \[1\]"),
        ({"model": "toy", "seed": -1}, r"'seed' is a whole number from 0 to 1e\+15; got -1"),
        ({"model": "toy", "seed": 10**30}, r"'seed' is a whole number from 0 to 1e\+15; got 1000"),
        ({"model": "toy", "members": "two"}, r"'members' is a whole number from 1 to 999"),
        ({"model": "toy", "members": 1000}, r"'members' is a whole number from 1 to 999; got 1000"),
        ({"model": "toy", "training": {"epochs": 10**400}}, r"'training.epochs' is a whole number"),
        (
            {"model": "toy", "training": {"rate": 10**400}},
            r"'training.rate' is more than 0; got inf",
        ),
        ({"model": "toy", "training": {"betas": [0.9]}}, r"'training.betas' is a list of 2; got"),
        (
            {"model": "toy", "training": {"betas": [0.9, 1]}},
            r"'training.betas' is from 0 to 0.99999",
        ),
    ],
)
def test_what_is_wrong_is_named(given: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_recipe(given)


def test_yaml_that_takes_a_number_for_a_text_is_understood(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text("model: toy\ntraining: {rate: 1e-3}\n")
    assert open_recipe(str(tmp_path / "r.yaml")).recipe().training.rate == 0.001


def test_options_are_set_by_their_path(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text('{"model": "toy"}')
    file = open_recipe(str(tmp_path / "r.json")).with_options(["training.epochs=3", "seed=7"])
    assert (file.recipe().training.epochs, file.recipe().seed) == (3, 7)
    with pytest.raises(InputError, match="Expected OPTION=VALUE"):
        file.with_options(["seed"])


def test_a_sweep_is_every_combination_with_a_name_for_each(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text(
        "model: toy\nsweep: {training.rate: [0.1, 0.01], seed: [1, 2]}\n"
    )
    file = open_recipe(str(tmp_path / "r.yaml"))
    with pytest.raises(InputError, match="give --sweep"):
        file.recipe()
    swept = file.swept()
    assert [name for name, _ in swept] == [
        "rate=0.1,seed=1",
        "rate=0.1,seed=2",
        "rate=0.01,seed=1",
        "rate=0.01,seed=2",
    ]
    assert {(recipe.training.rate, recipe.seed) for _, recipe in swept} == {
        (0.1, 1),
        (0.1, 2),
        (0.01, 1),
        (0.01, 2),
    }


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("nothing.yaml", "There is no recipe at nothing.yaml"),
        ("deal-gur", "No recipe 'deal-gur'. Near: 'deal-gru'"),
    ],
)
def test_a_recipe_that_is_not_there_is_told(named: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        open_recipe(named)


def test_a_folder_of_the_name_of_a_recipe_is_not_taken_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checkpoint may be called as the recipe: the same command must go on."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deal-tiny").mkdir()
    assert open_recipe("deal-tiny").recipe().model == "deal-talk"


def test_an_empty_start_is_none(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text("model: toy\nstart: old\n")
    file = open_recipe(str(tmp_path / "r.yaml"))
    assert [file.with_options([f"start={none}"]).recipe().start for none in ("", "null")] == [
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("model: toy\nabout: 2024-01-01\n", "r.yaml: a recipe holds texts.*Write a date in quotes"),
        ("model: &a [*a]\n", "r.yaml: a recipe holds texts, numbers, lists and sections"),
        ("model: " + "[" * 5000, "r.yaml cannot be read: .*recursion"),
        (f"model: toy\nseed: {'1' * 5000}\n", "r.yaml cannot be read: .*4300 digits"),
    ],
)
def test_what_no_recipe_holds_is_told(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text(text)
    with pytest.raises(InputError, match=told):
        open_recipe(str(tmp_path / "r.yaml"))


def test_a_number_too_long_to_be_read_is_told() -> None:
    file = RecipeFile({"model": "toy"}, Path())
    with pytest.raises(InputError, match="'seed' is a whole number"):
        file.with_options([f"seed={'1' * 5000}"]).recipe()


def test_broken_files_are_told_with_their_place(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text("model: [toy\n")
    (tmp_path / "r.json").write_text('{"model": }')
    (tmp_path / "list.yaml").write_text("- toy\n")
    with pytest.raises(InputError, match=r"r\.yaml:2:1"):
        open_recipe(str(tmp_path / "r.yaml"))
    with pytest.raises(InputError, match=r"r\.json:1:11"):
        open_recipe(str(tmp_path / "r.json"))
    with pytest.raises(InputError, match="holds options by name"):
        open_recipe(str(tmp_path / "list.yaml"))


def test_what_differs_is_named_by_its_path() -> None:
    other = toy_recipe(dropout=0.1).as_json()
    assert differences(toy_recipe(), other) == ["dropout: 0.1, not 0.3"]
    assert differences(toy_recipe(), json.loads(json.dumps(toy_recipe().as_json()))) == []


def test_options_are_described() -> None:
    assert ("dropout", "0.3", "of the inputs") in described(ToySettings)
