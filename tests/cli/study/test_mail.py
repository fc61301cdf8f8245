"""`palaver mail`: what waits, why, and sending it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import Connection

from palaver.cli.study.mail_command import command
from palaver.core.errors import InputError
from palaver.core.studies.notices import Occasion
from palaver.mail.post import MailServerError
from palaver.storage import Store
from palaver.storage.outbox.letters import enqueue_mail
from palaver.storage.studies.studies import register_study
from palaver.studies.file.definition import Study
from palaver.studies.file.notify_terms import Notify
from palaver.studies.notices.telling import tell
from palaver.studies.run.running_study import RunningStudy
from support.databases import new_sqlite
from support.mail_server import SmtpServer, smtp_server
from support.recruiting import write_study

NOW = 1_700_000_000.0


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("DATABASE_URL", "HOME", "SMTP_URL", "SMTP_PASSWORD", "MAIL_FROM"):
        monkeypatch.delenv(f"PALAVER_{name}", raising=False)
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    for name in ("ada", "bob"):
        store.write_now(
            lambda c, name=name: enqueue_mail(
                c,
                recipient=f"{name}@example.org",
                subject=f"To {name}",
                text="Hello.",
                about="challenge/cup",
                now=NOW,
            )
        )
    store.close()
    return tmp_path


@pytest.fixture
def post_office(monkeypatch: pytest.MonkeyPatch) -> Iterator[SmtpServer]:
    with smtp_server() as server:
        monkeypatch.setenv("PALAVER_SMTP_URL", server.url)
        monkeypatch.setenv("PALAVER_MAIL_FROM", "us@example.org")
        yield server


def mail(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(each) for each in arguments], catch_exceptions=False)


def test_without_a_mail_server_letters_wait_and_one_sentence_says_so(home: Path) -> None:
    listed = mail("list", "--home", home).output
    assert "To ada" in listed
    assert listed.splitlines()[-1].startswith("2 letters waiting; none is sent before this server")
    with pytest.raises(InputError, match="No mail server is set"):
        mail("send", "--home", home)


def test_letters_are_sent_and_listed(home: Path, post_office: SmtpServer) -> None:
    post_office.answers = lambda step, who: (
        "550 unknown" if (step, who) == ("rcpt", "bob@example.org") else None
    )
    assert mail("send", "--home", home).output.splitlines() == [
        "sent     1",
        "refused  1 (see: palaver mail list --state failed)",
    ]
    failed = mail("list", "--state", "failed", "--home", home).output
    assert "550 unknown." in failed
    post_office.answers = lambda step, who: None
    assert mail("send", "--failed", "--home", home).output == "sent  1\n"
    assert post_office.recipients == ["ada@example.org", "bob@example.org"]
    assert "No letters." in mail("list", "--about", "challenge/other", "--home", home).output


def test_a_server_that_cannot_be_used_is_an_error_and_all_letters_wait(
    home: Path, post_office: SmtpServer
) -> None:
    post_office.answers = lambda step, who: "554 closed" if step == "connect" else None
    with pytest.raises(MailServerError, match=r"cannot be reached.*2 letters waiting"):
        mail("send", "--home", home)
    assert "554" in mail("list", "--home", home).output


def test_the_settings_are_tried_with_one_letter(post_office: SmtpServer) -> None:
    said = mail("test", "ada@example.org").output
    assert said.endswith("took a letter from us@example.org to ada@example.org.\n")
    with pytest.raises(InputError, match=r"looks like name@example\.org"):
        mail("test", "ada")


def test_what_was_told_of_a_study_is_listed(tmp_path: Path) -> None:
    study = write_study(tmp_path)
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    running = RunningStudy(study, store.write_now(lambda c: registered(c, study)), {})
    done = Occasion(event="finished", subject="study", words="All is done.", path="/desk")
    notify = Notify(mail=("ada@example.org",), hook="https://lab.example/x?key=of-theirs")
    store.write_now(lambda c: tell(c, running, notify, [done], base="https://me", now=NOW))
    store.close()
    lines = mail("notices", tmp_path).output.splitlines()
    assert [line.split()[-3:] for line in lines[1:]] == [
        ["lab.example", "waiting", "0"],
        ["ada@example.org", "waiting", "0"],
    ]
    assert "the study is finished" in lines[1]
    assert "of-theirs" not in mail("notices", tmp_path, "--json").output


def registered(connection: Connection, study: Study) -> int:
    return register_study(
        connection, name=study.name, title=study.title, digest="d", definition="", now=NOW
    )
