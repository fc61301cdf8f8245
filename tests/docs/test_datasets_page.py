"""What docs/datasets.md says of readers, the folder and the bad file is so."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from palaver.cli.evaluation.dataset_command import command
from palaver.evaluation.datasets.declared_folder import Sidecar
from palaver.formats.datasets.mapping import read_field_map
from palaver.formats.datasets.registry import DATASET_READERS

from .reading import DOCS

PAGE = (DOCS / "datasets.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", DATASET_READERS.names())
def test_every_reader_has_its_row(name: str) -> None:
    tasks = ", ".join(DATASET_READERS.get(name).tasks) or "any"

    assert f"| `{name}` | {tasks} | " in PAGE


def test_the_file_beside_a_data_set_takes_the_keys_that_are_listed() -> None:
    (row,) = [line for line in PAGE.splitlines() if line.startswith("| `nli/anli-r1.yaml`")]

    assert set(row.split("`")[3::2]) == set(Sidecar.model_fields)


def test_the_mapping_that_is_shown_can_be_read(tmp_path: Path) -> None:
    shown = PAGE.split("```yaml\n")[1].split("```")[0]
    (tmp_path / "map.yaml").write_text(shown)

    assert read_field_map(tmp_path / "map.yaml").values["label"]["unsure"] is None


def test_the_message_that_is_shown_is_the_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.csv").write_text("uid,statement,label\n1,Hello,bad\n")

    done = CliRunner().invoke(command, ["add", "hs", "mine", "mine.csv", "--home", "home"])

    assert f"palaver: {done.exception}\n" in PAGE
