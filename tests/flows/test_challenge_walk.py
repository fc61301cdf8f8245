"""A team's way through a challenge on a real server: register to withdraw, with the commands it has."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from palaver.cli.main import palaver
from palaver.client import Client, ClientError
from palaver.core.audit import COMMAND
from palaver.core.errors import PalaverError
from palaver.evaluation.challenges.stored import add_challenge, find_challenge, set_challenge
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.home import open_evaluation
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.storage.people.accounts import create_account, create_token
from support.desks import PASSWORD, hashed
from support.dialeval import TRUTH, prediction
from support.mail_server import SmtpServer, smtp_server
from support.serving import start_server

NOW = 1_700_000_000.0
CHALLENGE = """\
name: desk
title: Help-desk dialogues
contact: desk@example.org
terms: Use the data for research only.
tracks:
  quality:
    task: dialogue-quality
    data: test
phases:
  only:
    submissions: 5
    scores: own
files:
  training:
    title: Training data
    file: train.jsonl
runs: 3
"""


@dataclass(frozen=True)
class Contest:
    """A served challenge, its owner, and a mail server that takes its letters."""

    url: str
    owner: Client
    post_office: SmtpServer
    folder: Path

    def palaver(self, *arguments: object, token: str = "", status: int = 0) -> str:
        """What a command prints; it must end as expected."""
        done = CliRunner().invoke(
            palaver, [str(each) for each in arguments], env={"PALAVER_TOKEN": token}
        )
        refusal = f"{done.exception}\n" if isinstance(done.exception, PalaverError) else ""
        assert done.exit_code == status, f"{done.output}{done.exception!r}"
        return done.output + refusal


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Contest]:
    folder = tmp_path_factory.mktemp("contest")
    home = folder / "home"
    home.mkdir()
    gold = folder / "test.jsonl"
    gold.write_text("".join(json.dumps(each) + "\n" for each in TRUTH), encoding="utf-8")
    (folder / "train.jsonl").write_bytes(gold.read_bytes())
    (folder / "challenge.yaml").write_text(CHALLENGE, encoding="utf-8")
    with open_evaluation(home, f"sqlite:///{home / 'palaver.db'}") as opened:
        store = opened.store
        row = store.write_now(lambda c: ensure_task(c, "dialogue-quality", now=NOW))
        add_dataset(
            opened, row, stored_task(row), name="test", source=str(gold), access="hidden", now=NOW
        )
        add_challenge(opened, folder / "challenge.yaml", by=COMMAND, now=NOW)
        store.write_now(
            lambda c: set_challenge(c, find_challenge(c, "desk"), public=True, by=COMMAND, now=NOW)
        )
        account = store.write_now(
            lambda c: create_account(
                c,
                name="olga",
                role="owner",
                password_hash=hashed(PASSWORD),
                one_time=False,
                now=NOW,
            )
        )
        token = store.write_now(
            lambda c: create_token(c, account_id=account.id, name="t", role="owner", now=NOW)
        ).secret
    with smtp_server() as post_office:
        settings = {"PALAVER_SMTP_URL": post_office.url, "PALAVER_MAIL_FROM": "us@example.org"}
        server = start_server(home, home=home, environment=settings)
        try:
            yield Contest(server.base, Client(server.base, token), post_office, folder)
        finally:
            server.stop()


def test_from_registering_to_withdrawing(contest: Contest, tmp_path: Path) -> None:
    address, run = f"{contest.url}/desk", contest.palaver
    made = Client(contest.url).register_team(
        "desk", "Otters", contact="otters@example.org", members=["Ada"]
    )
    token, team = made.token, Client(contest.url, made.token)
    assert "waits for the organisers" in run(
        "submit", address, "--download", tmp_path, token=token, status=1
    )
    (waiting,) = contest.owner.challenge_teams("desk")
    contest.owner.decide_team("desk", waiting.id)
    terms = run("submit", address, "--terms", token=token)
    digest = team.challenge("desk").terms_digest
    assert f"palaver submit {address} --accept {digest}" in terms
    assert "has accepted" in run("submit", address, "--accept", digest, token=token)

    loaded = run("submit", address, "--download", tmp_path, token=token)
    questions, training = tmp_path / "quality-questions.jsonl", tmp_path / "train.jsonl"
    assert str(questions) in loaded
    assert training.read_bytes() == (contest.folder / "train.jsonl").read_bytes()
    assert "annotations" not in questions.read_text(encoding="utf-8")

    mean = tmp_path / "mean.json"
    learnt = ("--baseline", "mean-of-training", "--training", training)
    baseline = (*learnt, "--task", "dq", "-o", mean)
    run("score", "dialeval", "--gold", questions, *baseline)
    offline = ("submit", address, mean, "--track", "quality", "--check")
    assert run(*offline, token=token) == "valid, 3 dialogues\n"
    unasked = ("--data", questions, "--task", "dialogue-quality")
    assert run(*offline, *unasked) == "valid, 3 dialogues\n"
    scored = run(*offline, "--gold", training)
    assert team.entries("desk") == []

    sent = run("submit", address, mean, "--track", "quality", "--run", 2, token=token)
    assert sent.startswith("mean.json is run 2 of quality in the phase only.\n")
    assert "4 of 5 submissions left." in sent
    (entry,) = team.entries("desk")
    # The same score here and there.
    assert [f"{value:.4f}" for value in entry.scores.values()] == [
        line.split()[1] for line in scored.splitlines()[1:]
    ]
    again = json.loads(
        run("submit", address, mean, "--track", "quality", "--run", 2, "--json", token=token)
    )
    assert again["key"] == entry.key
    (own,) = team.standings("desk", "quality").rows
    assert (own.name, own.is_own, own.rank) == ("Otters-run2", True, None)
    assert entry.key in run("submit", address, "--list", token=token)
    chosen = run("submit", address, "--final", entry.key, token=token)
    assert chosen == f"Run 2 of quality ({entry.key}) counts in the end.\n"
    assert "is no longer chosen" in run("submit", address, "--not-final", entry.key, token=token)
    gone = run("submit", address, "--withdraw", entry.key, token=token)
    assert "is withdrawn" in gone
    assert team.challenge_team("desk").entries[0].state == "withdrawn"


def test_a_team_and_those_who_run_it_use_the_client(contest: Contest, tmp_path: Path) -> None:
    owner = contest.owner
    made = Client(contest.url).register_team("desk", "Hares", contact="hares@example.org")
    (row,) = [each for each in owner.challenge_teams("desk") if each.team == "Hares"]
    assert owner.decide_team("desk", row.id, approve=False).state == "refused"
    owner.decide_team("desk", row.id)
    token = owner.renew_team_token("desk", row.id).token
    with pytest.raises(ClientError, match="valid token"):
        Client(contest.url, made.token).challenge_team("desk")
    team = Client(contest.url, token)
    assert team.change_challenge_team("desk", members=["Zoë"]).members == ("Zoë",)
    team.accept_challenge_terms("desk", team.challenge_team("desk").terms_digest)
    assert [each["uid"] for each in team.track_questions("desk", "quality")] == ["d1", "d2", "d3"]
    assert team.download_file("desk", "training", tmp_path).name == "train.jsonl"
    content = "".join(json.dumps(prediction(each)) + "\n" for each in TRUTH).encode()
    assert team.check_file("desk", "quality", content).valid
    sent: list[tuple[int, int]] = []
    entry = team.submit_file(
        "desk", "quality", content, progress=lambda done, whole: sent.append((done, whole))
    )
    assert sent == [(len(content), len(content))]
    assert team.choose_final("desk", entry.key).is_final
    assert team.withdraw_entry("desk", entry.key).state == "withdrawn"
    owner.announce("desk", "Hello", "To all teams.", public=False)
    assert [each.subject for each in team.announcements("desk")] == ["Hello"]
    assert Client(contest.url).announcements("desk") == []
    assert not owner.set_challenge("desk", public=False).public
    assert Client(contest.url).challenges() == []
    assert owner.set_challenge("desk", public=True).public
    assert [each.name for each in Client(contest.url).challenges()] == ["desk"]
    assert team.leave_challenge("desk").state == "left"


def test_letters_are_sent_by_the_server(contest: Contest) -> None:
    Client(contest.url).register_team("desk", "Newts", contact="newts@example.org")
    told = contest.post_office.wait_for("newts@example.org")
    assert told == ["[desk] Team Newts is registered"]


def test_what_goes_wrong_is_said_in_a_sentence(contest: Contest, tmp_path: Path) -> None:
    run, track = contest.palaver, ("--track", "quality")
    made = Client(contest.url).register_team("desk", "Voles", contact="voles@example.org")
    (waiting,) = [each for each in contest.owner.challenge_teams("desk") if each.team == "Voles"]
    contest.owner.decide_team("desk", waiting.id)
    token, address = made.token, f"{contest.url}/desk"
    file = tmp_path / "some.jsonl"
    file.write_text(
        "".join(json.dumps(prediction(each)) + "\n" for each in TRUTH[:2]) + '{"id": "d9"}\n'
    )
    faults = run(
        "submit",
        address,
        file,
        *track,
        "--check",
        "--gold",
        contest.folder / "test.jsonl",
        status=1,
    )
    assert faults.splitlines() == [
        "not valid, 2 faults",
        "  some.jsonl:3: the data set has no item 'd9'.",
        "  some.jsonl: no answer to 'd3'.",
    ]
    for arguments, words, secret in (
        ((f"{contest.url}/desc", file, *track, "--check"), "Near: 'desk'", ""),
        ((address, file, *track), "Set PALAVER_TOKEN to the token of your team", ""),
        ((address, file, *track), "Send your team's valid token", "ps_wrong"),
        ((address, file, *track), "Accept the terms of 'desk' first", token),
        ((address, file, "--track", "nuggets", "--check"), "has no track 'nuggets'", token),
        ((contest.url, "--list"), "the name of the challenge", token),
    ):
        assert words in run("submit", *arguments, token=secret, status=1)
    assert "Which track" in run("submit", address, file, status=2)
    assert "One thing at a time" in run("submit", address, "--list", "--terms", status=2)
    with pytest.raises(ClientError, match="is for the challenge 'desk', not for 'other'"):
        Client(contest.url, token).challenge_team("other")
