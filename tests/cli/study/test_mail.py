"""`palaver mail`: what waits, why, and sending it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from palaver.cli.study.mail_command import command
from palaver.core.errors import InputError
from palaver.mail.post import MailServerError
from palaver.storage import Store
from palaver.storage.outbox import enqueue_mail
from support.databases import new_sqlite
from support.mail_server import SmtpServer, smtp_server

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
