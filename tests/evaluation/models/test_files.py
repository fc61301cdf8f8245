"""A model's files: what belongs to them, and that they come back as they were."""

from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.evaluation.models import files
from palaver.evaluation.models.files import keep_files, model_files, unpack, version_digest
from palaver.storage.objects import open_objects
from support.s3 import s3_server

PLACE = "models/nli/mine/0123456789abcdef"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model with code, weights, a program, and what does not belong to it."""
    made = tmp_path / "model"
    for name in ("code/__pycache__", ".git"):
        (made / name).mkdir(parents=True)
    (made / "handler.py").write_text("x = 1\n", encoding="utf-8")
    (made / "code" / "run.sh").write_text("#!/bin/sh\n", encoding="utf-8")
    (made / "code" / "run.sh").chmod(0o755)
    (made / "weights.bin").write_bytes(bytes(range(256)) * 50)
    (made / "empty").write_bytes(b"")
    for name in ("code/__pycache__/a.pyc", ".git/config", ".secret", "model.yaml"):
        (made / name).write_bytes(b"not the model")
    return made


def test_only_what_belongs_to_a_model_is_found(folder: Path) -> None:
    assert [each.path for each in model_files(folder)] == [
        "code/run.sh",
        "empty",
        "handler.py",
        "weights.bin",
    ]


def test_the_digest_follows_kind_options_content_and_mode(folder: Path) -> None:
    def digest(kind: str = "handler", **options: object) -> str:
        return version_digest(kind, {"handler": "handler:f", **options}, model_files(folder))

    first = digest()
    (folder / "model.yaml").write_text("# another comment\n", encoding="utf-8")
    (folder / ".secret").write_text("other", encoding="utf-8")
    assert digest() == first
    assert digest("command") != first
    assert digest(batch=2) != first
    (folder / "code" / "run.sh").chmod(0o644)
    assert digest() != first
    (folder / "code" / "run.sh").chmod(0o755)
    assert digest() == first
    (folder / "handler.py").write_text("x = 2\n", encoding="utf-8")
    assert digest() != first


def test_the_order_of_options_does_not_matter() -> None:
    assert version_digest("http", {"a": 1, "b": 2}, []) == version_digest(
        "http", {"b": 2, "a": 1}, []
    )


def test_files_come_back_as_they_were(folder: Path, tmp_path: Path) -> None:
    objects = open_objects("objects", folder=tmp_path)
    keep_files(objects, folder, model_files(folder), place=PLACE)

    found = unpack(objects, PLACE, tmp_path / "unpacked")

    assert model_files(found) == model_files(folder)
    assert (found / "weights.bin").read_bytes() == bytes(range(256)) * 50
    assert unpack(objects, PLACE, tmp_path / "unpacked") == found
    assert [path.name for path in found.parent.iterdir()] == [found.name]


def test_files_come_back_from_a_store_that_has_no_folders(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with s3_server(monkeypatch, "bucket"):
        objects = open_objects("s3://bucket/deep", folder=tmp_path)
        keep_files(objects, folder, model_files(folder), place=PLACE)

        found = unpack(objects, PLACE, tmp_path / "unpacked")

    assert model_files(found) == model_files(folder)


def test_a_file_that_was_damaged_is_not_run(folder: Path, tmp_path: Path) -> None:
    objects = open_objects("objects", folder=tmp_path)
    keep_files(objects, folder, model_files(folder), place=PLACE)
    objects.put(f"{PLACE}/handler.py", b"import os\n")

    with pytest.raises(InputError, match=r"handler\.py' in .* differs from what was stored"):
        unpack(objects, PLACE, tmp_path / "unpacked")

    assert list((tmp_path / "unpacked" / "models/nli/mine").iterdir()) == []


def test_a_folder_that_is_far_more_than_a_model(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_FILES", 3)

    with pytest.raises(InputError, match="contains more than 3 files"):
        model_files(folder)
