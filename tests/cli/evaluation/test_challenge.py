"""`palaver challenge`: from a starter to entries of a baseline."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from palaver.cli.evaluation.challenge_command import command
from palaver.cli.evaluation.dataset_command import command as dataset_command
from palaver.core.errors import InputError, StudyError, UnknownNameError
from support.challenges import answers
from support.runs import records

ITEMS = records(4)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command runs in an empty folder, with no home set."""
    monkeypatch.chdir(tmp_path)
    for name in ("PALAVER_DATABASE_URL", "PALAVER_HOME"):
        monkeypatch.delenv(name, raising=False)


def challenge(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False)


def started() -> None:
    """A challenge whose practice phase is open, and its data."""
    lines = "".join(json.dumps(each) + "\n" for each in ITEMS)
    Path("data.jsonl").write_text(lines)
    for name in ("dev-en", "test-en"):
        arguments = ["add", "nli", name, "data.jsonl", "--access", "hidden", "--later"]
        CliRunner().invoke(dataset_command, arguments, catch_exceptions=False)
    challenge("init", "cup")
    file = Path("cup/challenge.yaml")
    text = file.read_text()
    opens = next(line for line in text.splitlines() if line.startswith("    opens: "))
    file.write_text(text.replace(opens, "    opens: 2020-01-01 00:00 AoE", 1))


def test_from_a_starter_to_an_entry() -> None:
    started()
    said = challenge("add", "cup/challenge.yaml")
    assert "The challenge 'cup' is stored in" in said.output
    assert "palaver challenge set cup --public" in said.output
    assert challenge("set", "cup", "--public").output == (
        "The challenge 'cup' is seen by everybody.\n"
    )
    made = challenge("add-team", "cup", "Uniform", "--baseline")
    assert made.output.startswith("Team 'Uniform' hands in baselines to cup.\n  token: ps_")
    Path("run.jsonl").write_bytes(answers(ITEMS, right=3))
    handed_in = challenge("submit", "cup", "uniform", "run.jsonl", "--track", "english")
    assert handed_in.output == (
        "run.jsonl is run 1 of 'Uniform' on english in the phase practice (scored).\n"
    )
    [entry] = json.loads(challenge("entries", "cup", "--json").output)["entries"]
    assert (entry["team"], entry["run"], entry["scores"]["accuracy"]) == ("Uniform", 1, 0.75)
    assert "accuracy 0.75" in challenge("entries", "cup", "--team", "Uniform").output
    shown = challenge("show", "cup").output
    assert "anywhere on earth" in shown
    assert "1 approved" in shown
    assert "1 entry" in shown
    assert "cup        public  practice" in challenge("list").output


def test_teams_are_decided_upon() -> None:
    started()
    challenge("add", "cup/challenge.yaml")
    assert "No teams yet" in challenge("teams", "cup").output
    challenge("add-team", "cup", "Otters", "--contact", "o@example.org", "--member", "Ada")
    assert "is refused" in challenge("refuse", "cup", "otters").output
    assert challenge("approve", "cup", "otters").output == "Team 'Otters' may hand in.\n"
    assert "the old one no longer works" in challenge("renew", "cup", "Otters").output
    [team] = json.loads(challenge("teams", "cup", "--json").output)["teams"]
    assert (team["state"], team["contact"], team["members"]) == (
        "approved",
        "o@example.org",
        ["Ada"],
    )
    assert "token" not in team
    with pytest.raises(UnknownNameError, match="Near: 'Otters'"):
        challenge("approve", "cup", "Otter")


def test_what_is_wrong_is_named_with_its_place() -> None:
    started()
    file = Path("cup/challenge.yaml")
    file.write_text(file.read_text().replace("{practice: dev-en", "{practice: dev-fr"))
    with pytest.raises(StudyError, match=r"cup/challenge.yaml:\d+:\d+: The task 'nli' has no data"):
        challenge("add", "cup/challenge.yaml")
    with pytest.raises(InputError, match="would be overwritten"):
        challenge("init", "cup")
    with pytest.raises(UnknownNameError, match="No challenge 'cop' is stored here"):
        challenge("show", "cop")


def test_no_challenges_yet() -> None:
    started()
    assert challenge("list").output.startswith("No challenges yet.")


def test_an_endpoint_is_registered_for_a_team() -> None:
    started()
    file = Path("cup/challenge.yaml")
    file.write_text(file.read_text().replace("    # takes: endpoints  ", "    takes: both # "))
    challenge("add", "cup/challenge.yaml")
    challenge("add-team", "cup", "Ours", "--baseline")
    given = ("submit", "cup", "Ours", "--track", "english", "--kind", "http", "--unprobed")
    with pytest.raises(InputError, match="not on a public address"):
        challenge(*given, "--endpoint", "http://127.0.0.1:9/")
    home = next(Path().rglob("palaver.db")).parent
    (home / "palaver.yaml").write_text("private_endpoints: true\n")
    said = challenge(*given, "--endpoint", "http://127.0.0.1:9/", "--title", "Ours 1B")
    assert (
        said.output
        == "The endpoint is run 1 of 'Ours' on english in the phase practice (running).\n"
    )
    assert "both" in challenge("show", "cup").output
    assert "Give FILE" in challenge(*given).output
