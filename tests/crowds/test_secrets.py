"""Secrets of panels: from the environment or one closed file, and never told again."""

import stat
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.crowds.secrets import (
    PROLIFIC_TOKEN,
    forget_secret,
    known_secret,
    read_secret,
    secrets_file,
    write_secret,
)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(PROLIFIC_TOKEN, raising=False)
    monkeypatch.setenv("PALAVER_SECRETS", str(tmp_path / "kept" / "secrets"))
    return tmp_path / "kept" / "secrets"


def test_a_secret_goes_into_a_file_that_only_its_owner_reads(file: Path) -> None:
    assert read_secret(PROLIFIC_TOKEN) is None
    assert "s3cret" not in repr(write_secret(PROLIFIC_TOKEN, " s3cret \n"))
    assert read_secret(PROLIFIC_TOKEN) == "s3cret"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    known = known_secret(PROLIFIC_TOKEN)
    assert known is not None
    assert known.source == "file"
    assert forget_secret(PROLIFIC_TOKEN)
    assert not forget_secret(PROLIFIC_TOKEN)
    assert list(file.parent.iterdir()) == [file]


def test_the_environment_wins_and_is_not_changed_from_here(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_secret(PROLIFIC_TOKEN, "old")
    monkeypatch.setenv(PROLIFIC_TOKEN, "newer")
    assert read_secret(PROLIFIC_TOKEN) == "newer"
    for change in (
        lambda: write_secret(PROLIFIC_TOKEN, "x"),
        lambda: forget_secret(PROLIFIC_TOKEN),
    ):
        with pytest.raises(InputError, match="wins over the file") as raised:
            change()
        assert "newer" not in str(raised.value)


def test_a_file_that_others_can_read_is_refused(file: Path) -> None:
    write_secret(PROLIFIC_TOKEN, "s3cret")
    file.chmod(0o644)
    with pytest.raises(InputError, match="chmod 600") as raised:
        read_secret(PROLIFIC_TOKEN)
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize("given", ["", "two words", "line\nbreak", "x" * 5000, "a\0b"])
def test_what_is_no_token_is_not_stored(file: Path, given: str) -> None:
    with pytest.raises(InputError, match="Nothing was stored"):
        write_secret(PROLIFIC_TOKEN, given)
    assert not file.exists()


def test_it_lies_in_the_configuration_of_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("PALAVER_SECRETS", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert secrets_file() == tmp_path / "palaver" / "secrets"
