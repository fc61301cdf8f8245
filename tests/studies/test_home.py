"""Which folder holds the state: what `--home`, a path and the environment say."""

from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.studies.file.starter import write_starter
from palaver.studies.home import DATABASE, existing_home, find_home


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PALAVER_DATABASE_URL", "PALAVER_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    write_starter(tmp_path / "first")
    return tmp_path / "first"


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A home without a study."""
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / DATABASE).touch()
    return tmp_path / "state"


def test_a_study_may_have_its_state_elsewhere(study: Path, bare: Path) -> None:
    (study / DATABASE).touch()
    assert find_home(study).folder == study
    assert find_home(study, bare).folder == bare


def test_a_path_that_is_a_home_comes_before_the_environment(
    study: Path, bare: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PALAVER_HOME", str(tmp_path / "set"))
    assert find_home(bare).folder == bare
    assert find_home(study).folder == tmp_path / "set"
    assert find_home(None).folder == tmp_path / "set"


def test_two_homes_are_refused(bare: Path, tmp_path: Path) -> None:
    assert find_home(bare, bare).folder == bare
    with pytest.raises(InputError, match=r"state is a home, but --home names another one"):
        find_home(bare, tmp_path / "other")


def test_the_current_folder_is_no_path(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bare)
    assert find_home(None).folder.resolve() == bare
    assert find_home(None, tmp_path / "other").folder == tmp_path / "other"


@pytest.mark.parametrize("is_made", [True, False])
def test_an_empty_folder_and_none_are_told_alike(is_made: bool, tmp_path: Path) -> None:
    folder = tmp_path / "home"
    if is_made:
        folder.mkdir()
    with pytest.raises(InputError, match=r"Nothing is stored at .*home/palaver.db yet\. Serve"):
        existing_home(tmp_path, folder)


def test_a_file_is_no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("PALAVER_HOME", str(tmp_path / "file"))
    with pytest.raises(InputError, match=r"A home is a folder; .*file is a file\."):
        find_home(tmp_path)
