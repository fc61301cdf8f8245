"""`model.yaml`: options as they are written, and problems that name line and column."""

from pathlib import Path

import pytest

from palaver.core.errors import InputError, StudyError
from palaver.evaluation.models.files import read_description


def test_what_is_no_option_is_taken_out_and_secrets_stay_as_written(tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text(
        "task: nli\nkind: http\nabout: Ours.\ntags: [small]\n"
        "url: http://x.example/a\nheaders: {Authorization: 'Bearer ${KEY}'}\n",
        encoding="utf-8",
    )

    found = read_description(tmp_path)

    assert found.kind == "http"
    assert found.options == {
        "url": "http://x.example/a",
        "headers": {"Authorization": "Bearer ${KEY}"},
    }
    assert (found.task, found.about, found.tags) == ("nli", "Ours.", ("small",))
    assert found.files is None


def test_a_handler_brings_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "other.yaml"
    file.write_text("kind: handler\nhandler: m:f\n", encoding="utf-8")

    assert read_description(file).files == tmp_path


def test_a_missing_kind_is_named_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text("url: http://x.example\ntags: small\n", encoding="utf-8")

    with pytest.raises(StudyError) as failed:
        read_description(tmp_path)

    assert "'kind' is missing" in str(failed.value)
    assert "model.yaml:2" in str(failed.value)


def test_a_folder_without_a_description(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"There is no .*model\.yaml.*palaver model init"):
        read_description(tmp_path)
