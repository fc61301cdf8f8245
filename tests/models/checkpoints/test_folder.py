"""Checkpoints as folders: what is refused, and why."""

import pickle
from pathlib import Path

import pytest
import torch
from torch import nn

from palaver.models.checkpoints.folder import (
    CheckpointError,
    check_model,
    fill,
    open_checkpoint,
    read_tensors,
    write_checkpoint,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_checkpoint(
        tmp_path / "model",
        settings={"model": "toy", "recipe": {"model": "toy"}},
        words={"words": ["a", "b"]},
        weights={"weight": torch.arange(3.0)},
    )
    return tmp_path / "model"


def test_what_was_written_is_read(folder: Path) -> None:
    found = open_checkpoint(folder)
    assert found.model == "toy"
    assert found.words == {"words": ["a", "b"]}
    assert torch.equal(found.weights()["weight"], torch.arange(3.0))


def test_tied_weights_are_written_twice_and_read_alike(tmp_path: Path) -> None:
    shared = torch.ones(2, 2)
    write_checkpoint(
        tmp_path / "model",
        settings={"model": "toy", "recipe": {}},
        words={},
        weights={"one": shared, "other": shared},
    )
    found = open_checkpoint(tmp_path / "model").weights()
    assert torch.equal(found["one"], found["other"])


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "old.ckpt", "x.PKL"])
def test_a_folder_with_a_pickle_is_refused(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"")
    with pytest.raises(CheckpointError, match="can run code when it is loaded"):
        open_checkpoint(folder)


class Bomb:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return pytest.fail, ("it was unpickled",)


def test_a_pickle_under_the_name_of_weights_is_refused_and_never_loaded(folder: Path) -> None:
    (folder / "weights.safetensors").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(CheckpointError, match="can run code when it is loaded"):
        open_checkpoint(folder)
    torch.save({"weight": torch.ones(3)}, folder / "weights.safetensors")
    with pytest.raises(CheckpointError, match="can run code when it is loaded"):
        open_checkpoint(folder)
    with pytest.raises(CheckpointError, match="is a pickle"):
        read_tensors(folder / "weights.safetensors")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"settings.json": None}, "it has no settings.json"),
        ({"settings.json": b"{"}, "cannot be read"),
        ({"settings.json": b'{"format": 9, "palaver": "7.0"}'}, "format 9.*reads format 1.*7.0"),
        ({"settings.json": b'{"format": 1}'}, "'model' and 'recipe' are missing"),
        (
            {"settings.json": b'{"format": 1, "model": "toy", "recipe": {}, "members": ["../x"]}'},
            "'members' are folders such as member-1",
        ),
        ({"vocabulary.json": b'{"words": "abc"}'}, "'words' is not a list of words"),
    ],
)
def test_a_broken_folder_is_told_in_a_sentence(
    folder: Path, change: dict[str, bytes | None], told: str
) -> None:
    for name, content in change.items():
        if content is None:
            (folder / name).unlink()
        else:
            (folder / name).write_bytes(content)
    with pytest.raises(CheckpointError, match=told):
        open_checkpoint(folder)


def test_cut_off_weights_are_told(folder: Path) -> None:
    path = folder / "weights.safetensors"
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(CheckpointError, match="not a whole safetensors file"):
        open_checkpoint(folder).weights()


def test_weights_of_another_network_do_not_fit(folder: Path) -> None:
    with pytest.raises(CheckpointError, match="does not fit the recipe"):
        fill(nn.Linear(2, 2), open_checkpoint(folder))


def test_a_model_of_another_kind_is_told(folder: Path) -> None:
    with pytest.raises(CheckpointError, match="a model of kind 'toy', which does not fit here"):
        check_model(open_checkpoint(folder), ("deal-talk",))


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="There is no checkpoint folder"):
        open_checkpoint(tmp_path / "nothing")
