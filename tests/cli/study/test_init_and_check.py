"""`palaver init` and `palaver check`, as a stranger meets them."""

from pathlib import Path

from ..conftest import Palaver


def test_init_says_what_it_wrote_and_what_comes_next(palaver: Palaver, tmp_path: Path) -> None:
    said = palaver("init", "pilot")
    assert said.status == 0
    assert "wrote pilot/study.yaml" in said.out
    assert "palaver check pilot\n  palaver serve pilot" in said.out
    assert (tmp_path / "pilot" / "study.yaml").is_file()


def test_init_never_overwrites(palaver: Palaver, study: Path) -> None:
    before = (study / "study.yaml").read_text()
    said = palaver("init", "first")
    assert said.status == 1
    assert "first/study.yaml" in said.err
    assert "would be overwritten" in said.err
    assert (study / "study.yaml").read_text() == before


def test_check_of_a_good_study(palaver: Palaver, study: Path) -> None:
    said = palaver("check", "first")
    assert (said.status, said.out) == (0, "1 study in order, 0 warnings.\n")


def test_check_names_file_line_and_near_match(palaver: Palaver, study: Path) -> None:
    file = study / "study.yaml"
    file.write_text(file.read_text().replace("kind: retrieval ", "kind: retreival "))
    said = palaver("check", "first")
    assert said.status == 1
    assert "first/study.yaml:" in said.out
    assert "Near: 'retrieval'" in said.out
    assert said.out.endswith("1 problem, 0 warnings.\n")


def test_check_finds_a_file_that_is_missing(palaver: Palaver, study: Path) -> None:
    (study / "exchanges.jsonl").unlink()
    said = palaver("check", "first")
    assert said.status == 1
    assert "exchanges.jsonl" in said.out


def test_check_of_a_folder_of_studies(palaver: Palaver, study: Path, tmp_path: Path) -> None:
    palaver("init", "second")
    said = palaver("check", ".")
    assert (said.status, said.out) == (0, "2 studies in order, 0 warnings.\n")


def test_check_of_an_empty_folder(palaver: Palaver) -> None:
    said = palaver("check", ".")
    assert said.status == 1
    assert "There is no study.yaml here" in said.out
