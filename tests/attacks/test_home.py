"""Somebody else on the machine looks into a home; a key that became known is replaced."""

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from palaver.cli.main import palaver
from palaver.core.errors import LinkError, StoreVersionError
from palaver.crowds.links import read_link, sign_link
from palaver.storage import Store
from palaver.storage.engine.database import REVISION
from support.chains import verified
from support.seeding import write_study


def run(*arguments: str, umask: int = 0o022) -> "subprocess.CompletedProcess[str]":
    """A command as somebody with an open umask runs it."""
    return subprocess.run(
        [sys.executable, "-m", "palaver", *arguments],
        capture_output=True,
        text=True,
        preexec_fn=lambda: os.umask(umask),
        timeout=60,
    )


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home that a command has made."""
    studies = write_study(tmp_path / "studies", "pilot")
    done = run(
        "account", "add", str(studies), "ada", "--role", "owner", "--home", str(tmp_path / "h")
    )
    assert done.returncode == 0, done.stderr
    return tmp_path / "h"


def studies_of(home: Path) -> str:
    return str(home.parent / "studies")


def test_what_a_command_makes_is_closed_to_others(home: Path) -> None:
    assert mode(home) == 0o700
    assert {path.name: mode(path) for path in home.iterdir() if path.is_file()} == {
        "palaver.db": 0o600
    }


def test_a_home_that_is_open_is_named_with_the_command_that_closes_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALAVER_HOME", str(home))
    closed = CliRunner().invoke(palaver, ["check", studies_of(home)])
    home.chmod(0o755)
    (home / "palaver.db").chmod(0o644)
    open_ = CliRunner().invoke(palaver, ["check", studies_of(home)])

    assert "Others on this machine" not in closed.output
    assert f"chmod -R go-rwx {home}" in open_.output
    command = open_.output[open_.output.index("chmod") :].splitlines()[0]
    subprocess.run(command.split(), check=True)
    assert "Others on" not in CliRunner().invoke(palaver, ["check", studies_of(home)]).output


def secrets_of(home: Path) -> tuple[str, list[str], str]:
    store = Store(f"sqlite:///{home / 'palaver.db'}")
    try:
        return store.secret(), store.readable_secrets(now=0.0), store.lasting_secret()
    finally:
        store.close()


def test_a_replaced_key_opens_nothing_and_what_must_last_stays(home: Path) -> None:
    old, _, lasting = secrets_of(home)
    stolen = sign_link(old, study="pilot", person="eve")
    done = run("key", "rotate", studies_of(home), "--home", str(home))
    new, readable, still = secrets_of(home)

    assert done.returncode == 0, done.stderr
    assert new != old
    assert still == lasting
    with pytest.raises(LinkError):
        read_link(readable, stolen, study="pilot", hours=1)
    assert verified(f"sqlite:///{home / 'palaver.db'}").kinds["audit"] == 2


def test_links_can_be_let_work_for_some_days_more(home: Path) -> None:
    link = sign_link(secrets_of(home)[0], study="pilot", person="ann")
    done = run("key", "rotate", studies_of(home), "--home", str(home), "--keep-old", "2")
    readable = secrets_of(home)[1]
    store = Store(f"sqlite:///{home / 'palaver.db'}")
    later = store.readable_secrets(now=4e9)
    store.close()

    assert "for 2 days" in done.stdout
    assert read_link(readable, link, study="pilot", hours=1).person == "ann"
    assert later == readable[-1:]


def old_version(home: Path) -> bytes:
    """Let a home look as if an older Palaver had written it; its bytes."""
    database = sqlite3.connect(home / "palaver.db")
    database.execute("UPDATE alembic_version SET version_num = '0005'")
    for statement in (
        "DROP TABLE chains",
        "DROP TABLE chain_links",
        "DROP TABLE checkpoints",
        "DROP TABLE audit_entries",
        "ALTER TABLE events DROP COLUMN link",
        "ALTER TABLE events DROP COLUMN proof",
        "ALTER TABLE labels DROP COLUMN link",
        "ALTER TABLE labels DROP COLUMN proof",
    ):
        database.execute(statement)
    database.commit()
    database.execute("VACUUM")
    database.close()
    return (home / "palaver.db").read_bytes()


def dump(file: Path) -> list[str]:
    """Everything that a database holds."""
    database = sqlite3.connect(file)
    lines = list(database.iterdump())
    database.close()
    return lines


@pytest.mark.parametrize(
    "command", [["account", "list"], ["audit"], ["export"], ["verify"], ["link"]]
)
def test_no_command_migrates_a_home_by_the_way(home: Path, command: list[str]) -> None:
    before = old_version(home)

    done = CliRunner().invoke(palaver, [*command, studies_of(home), "--home", str(home)])

    assert isinstance(done.exception, StoreVersionError)
    assert "palaver migrate" in str(done.exception)
    assert (home / "palaver.db").read_bytes() == before


def test_migrating_makes_a_copy_first_and_starts_the_chains(home: Path) -> None:
    old_version(home)
    before = dump(home / "palaver.db")

    done = run("migrate", studies_of(home), "--home", str(home))

    (copy,) = home.glob("palaver-0005-*.db")
    assert done.returncode == 0, done.stderr
    assert f"from schema 0005 to {REVISION}" in done.stdout
    assert mode(copy) == 0o600
    assert dump(copy) == before
    found = verified(f"sqlite:///{home / 'palaver.db'}")
    assert (found.links, found.kinds["audit"]) == (1, 1)
    assert "is up to date" in run("migrate", studies_of(home), "--home", str(home)).stdout
