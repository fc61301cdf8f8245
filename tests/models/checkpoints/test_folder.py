"""Checkpoints as folders: what is refused, and why."""

import os
import pickle
from pathlib import Path

import pytest
import torch

from palaver.models.checkpoints import folder as folders
from palaver.models.checkpoints.folder import (
    CheckpointError,
    check_model,
    open_checkpoint,
    read_tensors,
    write_checkpoint,
    write_together,
)

SETTINGS = b'{"format": 1, "model": "toy", "recipe": {}, %s}'


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


@pytest.mark.parametrize(
    "name", ["pytorch_model.bin", "model.pt", "old.ckpt", "x.PKL", "x.npz", "x.th"]
)
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
        (
            {"settings.json": SETTINGS % b'"members": ["member-1", "member-1"]'},
            "'members' are folders such as member-1",
        ),
        ({"settings.json": SETTINGS % b'"measured": [1]'}, "'measured' and 'data' hold values"),
        ({"settings.json": b"[" * 100_000}, "settings.json is nested too deeply"),
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


def test_a_member_is_a_folder_inside_with_weights_of_its_own(folder: Path) -> None:
    """One that leads back would be opened without end, a link out of the folder somebody else's."""
    ensemble = SETTINGS % b'"members": ["member-1"]'
    inside = folder / "member-1"
    inside.symlink_to(folder)
    (folder / "settings.json").write_bytes(ensemble)
    with pytest.raises(CheckpointError, match="member-1 is no member"):
        open_checkpoint(folder)
    inside.unlink()
    inside.mkdir()
    (inside / "settings.json").write_bytes(ensemble)
    with pytest.raises(CheckpointError, match="member-1 is no member"):
        open_checkpoint(folder)


def test_a_file_that_is_too_large_is_not_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "_MOST_BYTES", 10)
    with pytest.raises(CheckpointError, match=r"settings\.json is too large"):
        open_checkpoint(folder)


def test_what_a_kill_left_half_written_is_replaced(folder: Path) -> None:
    (folder / ".weights.safetensors.part").write_bytes(b"half")
    before = sorted(path.name for path in folder.iterdir() if path.suffix != ".part")
    write_together(folder, {"weights.safetensors": b"whole"})
    assert (folder / "weights.safetensors").read_bytes() == b"whole"
    assert sorted(path.name for path in folder.iterdir()) == before


def test_cut_off_weights_are_told(folder: Path) -> None:
    path = folder / "weights.safetensors"
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(CheckpointError, match="not a whole safetensors file"):
        open_checkpoint(folder).weights()


def test_a_model_of_another_kind_is_told(folder: Path) -> None:
    with pytest.raises(CheckpointError, match="a model of kind 'toy', which does not fit here"):
        check_model(open_checkpoint(folder), ("deal-talk",))


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="There is no checkpoint folder"):
        open_checkpoint(tmp_path / "nothing")


@pytest.mark.parametrize("name", ["settings.json", "vocabulary.json", "weights.safetensors"])
def test_a_pipe_is_not_waited_for(folder: Path, name: str) -> None:
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with pytest.raises(CheckpointError, match=f"{name} is not a file"):
        open_checkpoint(folder)
