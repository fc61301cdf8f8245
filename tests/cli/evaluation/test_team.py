"""`palaver team`: add, list, revoke, renew."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from palaver.cli.evaluation.task_command import command as task_command
from palaver.cli.evaluation.team_command import command
from palaver.core.errors import InputError, UnknownNameError
from palaver.storage import Store
from palaver.storage.evaluation.submitters import find_submitter


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command runs in an empty folder, with no home set."""
    monkeypatch.chdir(tmp_path)
    for name in ("PALAVER_DATABASE_URL", "PALAVER_HOME"):
        monkeypatch.delenv(name, raising=False)


def team(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False)


def speaks_for(folder: Path, secret: str) -> str | None:
    store = Store(f"sqlite:///{folder / 'palaver.db'}")
    try:
        found = store.read_now(lambda c: find_submitter(c, secret))
    finally:
        store.close()
    return None if found is None else found.team


def test_a_team_gets_a_token_that_is_shown_once(tmp_path: Path) -> None:
    said = team("add", "nli", "The Team", "--affiliation", "Uni", "--link", "https://t.org")
    assert said.output.startswith("Team 'The Team' may submit to nli.\n  token: ps_")
    secret = said.output.split("token: ")[1].split()[0]
    assert speaks_for(tmp_path, secret) == "The Team"
    listed = team("list", "nli").output
    assert "The Team" in listed
    assert "0 of 3 in 24 h" in listed
    assert "Uni" in listed
    assert secret not in listed
    (row,) = json.loads(team("list", "nli", "--json").stdout)["teams"]
    assert (row["team"], row["link"], row["used"]) == ("The Team", "https://t.org", 0)


def test_a_token_is_renewed_and_revoked(tmp_path: Path) -> None:
    first = json.loads(team("add", "nli", "A", "--json").stdout)["token"]
    second = json.loads(team("renew", "nli", "A", "--json").stdout)["token"]
    assert (speaks_for(tmp_path, first), speaks_for(tmp_path, second)) == (None, "A")
    assert "no longer works" in team("revoke", "nli", "A").output
    assert speaks_for(tmp_path, second) is None
    assert "revoked" in team("list", "nli").output
    assert "has been refused since" in team("revoke", "nli", "A").output
    assert "has a new token for nli" in team("renew", "nli", "A").output


def test_what_cannot_be_is_said_in_a_sentence() -> None:
    with pytest.raises(InputError, match="Nothing is stored"):
        team("list", "nli")
    with pytest.raises(UnknownNameError, match="No task 'nil' is stored here or built in"):
        team("add", "nil", "A")
    with pytest.raises(InputError, match="A team needs a name"):
        team("add", "nli", "  ")
    with pytest.raises(InputError, match="1 to 100 characters"):
        team("add", "nli", "x" * 101)
    team("add", "nli", "Alpha")
    with pytest.raises(InputError, match=r"already has a token for this task\. Renew it"):
        team("add", "nli", "Alpha")
    with pytest.raises(UnknownNameError, match=r"no team 'Alpa'\. Near: 'Alpha'"):
        team("renew", "nli", "Alpa")


def test_a_task_without_teams_says_what_to_do() -> None:
    team("add", "hs", "A")
    CliRunner().invoke(task_command, ["set", "nli", "--public"], catch_exceptions=False)
    assert "palaver team add nli TEAM" in team("list", "nli").output
