"""PATH and `--home`: they mean the same in every command, and what is wrong is told alike."""

import shlex
from pathlib import Path

import pytest

from palaver.cli.options import raters
from palaver.studies.file.starter import write_starter
from palaver.studies.review.raters import KINDS

from .conftest import Palaver

# Commands that read what is stored, each with what it needs beside `--home`.
READING = (
    *("account list first", "account password first x", "account role first x owner"),
    *("agreement first", "aggregate first", "board nli", "compare first", "dataset list"),
    *("dataset set nli x --about y", "dataset show nli x", "evaluate", "export first"),
    *("link first", "model init x --task nli", "model list nli", "model publish nli x"),
    *("model show nli x", "rank first", "report first -o out", "rescore --metric mcc"),
    *("runs list", "runs show r_x", "runs cancel r_x", "task list", "task show nli"),
    *("team list nli", "team revoke nli x", "validity first --quality x"),
)
NUMBERS = ("agreement", "aggregate", "compare", "rank", "validity --quality x", "report -o out")


@pytest.mark.parametrize("words", READING)
@pytest.mark.parametrize("is_made", [True, False], ids=["empty", "missing"])
@pytest.mark.usefixtures("study")
def test_a_home_without_state_is_told_alike(
    words: str, is_made: bool, palaver: Palaver, tmp_path: Path
) -> None:
    if is_made:
        (tmp_path / "home").mkdir()
    said = palaver(*shlex.split(words), "--home", "home")
    assert (said.status, said.out) == (1, "")
    assert said.err.startswith("palaver: Nothing is stored at home/palaver.db yet. ")
    assert said.err.endswith(", or name the home with --home.\n")


@pytest.mark.parametrize("words", [*READING, "selfplay first --systems a b", "serve first"])
@pytest.mark.usefixtures("study")
def test_a_home_that_is_a_file_is_a_usage_error(
    words: str, palaver: Palaver, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    said = palaver(*shlex.split(words), "--home", "file")
    assert (said.status, said.out) == (2, "")
    assert "Invalid value for '--home': Directory 'file' is a file." in said.err


@pytest.mark.parametrize(
    "words",
    [
        *("account list nowhere", "check nowhere", "export nowhere", "link nowhere"),
        *("serve nowhere", "selfplay nowhere --systems a b", "dynascore nowhere", "tukey nowhere"),
        *("score dialeval --gold nowhere", "sharedtask dialeval . --gold nowhere"),
        *(
            "task add nowhere",
            "model serve nowhere",
            "model test nowhere",
            "model add nli x nowhere",
        ),
        *("import dch2 nowhere --study x", "import chateval nowhere --conf x -o y"),
        "import chateval-states nowhere --study x",
        *(f"{words} nowhere" for words in NUMBERS),
    ],
)
def test_what_is_not_there_is_a_usage_error(words: str, palaver: Palaver) -> None:
    said = palaver(*shlex.split(words))
    assert (said.status, said.out) == (2, "")
    assert "'nowhere' does not exist" in said.err


@pytest.mark.parametrize("words", NUMBERS)
@pytest.mark.parametrize("option", ["--home .", "--study x"])
def test_a_table_has_no_home_and_no_studies(
    words: str, option: str, palaver: Palaver, tmp_path: Path
) -> None:
    (tmp_path / "table.csv").write_text("unit,rater,value\n1,a,1\n")
    said = palaver(*shlex.split(words), "table.csv", *shlex.split(option))
    assert (said.status, said.out) == (2, "")
    assert f"{option.split()[0]} is for studies; table.csv is a table." in said.err


@pytest.mark.parametrize("words", NUMBERS)
def test_a_study_knows_its_columns(words: str, palaver: Palaver, played: Path) -> None:
    option = {"compare": "--value", "rank": "--a"}.get(words, "--rater")
    said = palaver(*shlex.split(words), "first", option, "x")
    assert (said.status, said.out) == (2, "")
    assert f"{option} is for tables; a study says this itself." in said.err


@pytest.mark.parametrize("words", NUMBERS)
def test_a_bundle_holds_its_state(words: str, palaver: Palaver, played: Path) -> None:
    assert palaver("export", "first", "--format", "bundle", "-o", "all.zip").status == 0
    said = palaver(*shlex.split(words), "all.zip", "--home", "first")
    assert (said.status, said.out) == (2, "")
    assert "--home is for studies; all.zip is a bundle, which holds its state." in said.err


def test_two_homes_are_refused(palaver: Palaver, played: Path, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (played / "palaver.db").rename(tmp_path / "state" / "palaver.db")
    assert palaver("export", "state", "-o", "one").status == 0
    assert palaver("export", "first", "--home", "state", "-o", "two").status == 0
    said = palaver("export", "state", "--home", "first", "-o", "three")
    assert (said.status, said.out) == (1, "")
    assert "state is a home, but --home names another one, first." in said.err


def test_a_folder_of_one_study_is_that_study(palaver: Palaver, played: Path) -> None:
    words = "selfplay . --systems friendly terse --count 1"
    assert palaver("link", ".", "--home", "first").status == 0
    assert palaver(*shlex.split(words), "--home", "first").status == 0
    write_starter(played.parent / "second")
    said = palaver(*shlex.split(words))
    assert (said.status, said.out) == (1, "")
    assert "There are several studies in .; give one of them: first, second." in said.err


def test_every_kind_of_rater_can_be_chosen() -> None:
    (option,) = raters()(lambda: None).__click_params__  # type: ignore[attr-defined]
    assert tuple(option.type.choices) == KINDS
