"""A sweep: pieces carry their data and bring back checkpoints; what is there is not trained again."""

import asyncio
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.engines.local import LocalEngine
from palaver.models.checkpoints.folder import open_checkpoint
from palaver.models.sweep import SweptRecipe, sweep
from palaver.models.training.places import held
from support.toy_model import toy_points, toy_recipe


def swept(
    folder: Path, rates: list[float], *, points: int = 40, overwrite: bool = False, **more: object
) -> list[SweptRecipe]:
    async def run() -> list[SweptRecipe]:
        engine = LocalEngine("1")
        recipes = [(f"rate={rate}", toy_recipe(training={"rate": rate}, **more)) for rate in rates]
        found = sweep(
            recipes,
            train_files=[toy_points(folder / "points.txt", points)],
            test_files=[toy_points(folder / "dev.txt", 5)],
            folder=folder / "sweep",
            device="cpu",
            engine=engine,
            overwrite=overwrite,
        )
        done = [each async for each in found]
        await engine.close()
        return done

    return asyncio.run(run())


def test_each_combination_becomes_a_checkpoint(tmp_path: Path) -> None:
    done = swept(tmp_path, [0.1, 0.001])
    assert {each.name for each in done} == {"rate=0.1", "rate=0.001"}
    best = min(done, key=lambda each: each.best)
    assert best.name == "rate=0.1"
    assert best.figures[0].n == 5
    assert open_checkpoint(tmp_path / "sweep" / "rate=0.1").recipe["training"]["rate"] == 0.1


def test_what_is_there_is_not_trained_again(tmp_path: Path) -> None:
    swept(tmp_path, [0.1])
    weights = tmp_path / "sweep" / "rate=0.1" / "weights.safetensors"
    before = weights.stat().st_mtime_ns
    again = swept(tmp_path, [0.1, 0.01])
    assert [each.name for each in again] == ["rate=0.1", "rate=0.01"]
    assert weights.stat().st_mtime_ns == before


def test_what_another_recipe_made_is_not_taken_for_this_one(tmp_path: Path) -> None:
    swept(tmp_path, [0.1])
    with pytest.raises(
        InputError, match=r"rate=0\.1 holds a model of something else \(seed: 1, not"
    ):
        swept(tmp_path, [0.1], seed=2)
    swept(tmp_path, [0.1], seed=2, overwrite=True)
    assert open_checkpoint(tmp_path / "sweep" / "rate=0.1").recipe["seed"] == 2


def test_what_is_to_be_replaced_stays_where_nothing_replaces_it(tmp_path: Path) -> None:
    swept(tmp_path, [0.1])
    failed = swept(tmp_path, [0.1], poison=1, overwrite=True)
    assert "not a number" in failed[0].problem
    assert open_checkpoint(tmp_path / "sweep" / "rate=0.1").recipe["poison"] == 0


def test_two_sweeps_do_not_share_a_folder(tmp_path: Path) -> None:
    with (
        held(tmp_path / "sweep", is_writer=True),
        pytest.raises(InputError, match="Another process is training into"),
    ):
        swept(tmp_path, [0.1])


def test_what_was_learnt_from_other_data_is_not_taken_for_this_one(tmp_path: Path) -> None:
    swept(tmp_path, [0.1])
    with pytest.raises(InputError, match=r"\(points\.txt: another content\)"):
        swept(tmp_path, [0.1], points=44)


def test_ensembles_travel_with_their_members(tmp_path: Path) -> None:
    swept(tmp_path, [0.1], members=2)
    assert len(open_checkpoint(tmp_path / "sweep" / "rate=0.1").members) == 2


def test_one_that_fails_does_not_take_the_others_along(tmp_path: Path) -> None:
    done = {each.name: each for each in swept(tmp_path, [0.1, 0.01], poison=1)}
    assert "not a number" in done["rate=0.1"].problem


def test_what_starts_from_a_checkpoint_does_not_travel(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="starts from another checkpoint"):
        swept(tmp_path, [0.1], start="model")
