"""Letters sent to a mail server: what arrives, what is tried again, what is given up."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.core.clock import VirtualClock
from palaver.core.letters import Letter
from palaver.core.outbox import Sendings
from palaver.mail.post import MailServerError, Post, written_out
from palaver.mail.sender import MailSender, send_trial
from palaver.mail.server import MailServer
from palaver.storage import Store
from palaver.storage.outbox.box import postpone
from palaver.storage.outbox.letters import LETTERS, count_mails, enqueue_mail, find_mail
from support.databases import new_sqlite
from support.mail_server import SmtpServer, smtp_server

NOW = 1_700_000_000.0


@pytest.fixture
def post_office() -> Iterator[SmtpServer]:
    with smtp_server() as server:
        yield server


def put(
    store: Store,
    *keys: str,
    text: str = "A line.",
    subject: str = "Hello",
    domain: str = "example.org",
) -> None:
    for key in keys:
        store.write_now(
            lambda c, key=key: enqueue_mail(
                c,
                recipient=f"{key}@{domain}",
                subject=subject,
                text=text,
                about="",
                now=NOW,
                key=key,
            )
        )


def server_at(port: int, **options: str) -> MailServer:
    return MailServer(host="127.0.0.1", port=port, sender="us@example.org", **options)  # type: ignore[arg-type]


def send(store: Store, post_office: SmtpServer, *, now: float = NOW) -> Sendings:
    post = Post(server_at(post_office.port))
    return asyncio.run(MailSender(store, post, clock=VirtualClock(now)).send_due())


def test_letters_arrive_as_plain_text_in_one_conversation(
    store: Store, post_office: SmtpServer
) -> None:
    text = "Grüße.\n.\nFrom here on: 結果\n" + "x" * 2000
    put(store, "ada", "bob", subject="Prüfung – 結果", text=text)
    assert send(store, post_office) == Sendings(sent=2)
    assert post_office.connections == 1
    assert post_office.envelopes[0] == ("us@example.org", "ada@example.org")
    letter = post_office.letters[0]
    assert letter["Subject"] == "Prüfung – 結果"
    assert (letter["From"], letter["To"]) == ("us@example.org", "ada@example.org")
    assert letter["Auto-Submitted"] == "auto-generated"
    assert letter.get_content_type() == "text/plain"
    assert letter.get_content() == text + "\n"
    assert store.read_now(count_mails) == {"waiting": 0, "sent": 2, "failed": 0}
    assert send(store, post_office) == Sendings()


def test_an_address_that_is_not_ascii_needs_a_server_that_knows_such(
    store: Store, post_office: SmtpServer
) -> None:
    put(store, "ada", domain="universität.example")
    assert send(store, post_office) == Sendings(sent=1)
    assert post_office.recipients == ["ada@universität.example"]
    post_office.extensions = ("8BITMIME",)
    put(store, "bob", domain="universität.example")
    assert send(store, post_office) == Sendings(failed=1)
    assert "in ASCII alone" in store.read_now(lambda c: find_mail(c, "bob")).reason


def test_a_recipient_that_is_refused_for_good_stops_no_other(
    store: Store, post_office: SmtpServer
) -> None:
    post_office.answers = lambda step, who: (
        "550 nobody here" if (step, who) == ("rcpt", "ada@example.org") else None
    )
    put(store, "ada", "bob")
    assert send(store, post_office) == Sendings(sent=1, failed=1)
    failed = store.read_now(lambda c: find_mail(c, "ada"))
    assert (failed.state, failed.reason) == ("failed", "550 nobody here.")
    assert post_office.recipients == ["bob@example.org"]


def test_a_letter_that_is_not_taken_now_waits_longer_each_time(
    store: Store, post_office: SmtpServer
) -> None:
    post_office.answers = lambda step, who: "450 try later" if step == "data" else None
    put(store, "ada")
    assert send(store, post_office) == Sendings(postponed=1)
    assert store.read_now(lambda c: find_mail(c, "ada")).due == NOW + 60
    assert send(store, post_office, now=NOW + 59) == Sendings()
    assert send(store, post_office, now=NOW + 60) == Sendings(postponed=1)
    assert store.read_now(lambda c: find_mail(c, "ada")).due == NOW + 60 + 120
    post_office.answers = lambda step, who: None
    assert send(store, post_office, now=NOW + 180) == Sendings(sent=1)
    assert store.read_now(lambda c: find_mail(c, "ada")).attempts == 3


def test_a_letter_is_given_up_after_days_of_refusals(store: Store, post_office: SmtpServer) -> None:
    post_office.answers = lambda step, who: "450 try later" if step == "rcpt" else None
    put(store, "ada")
    before = store.read_now(lambda c: find_mail(c, "ada"))
    assert MailSender.most_attempts == 24
    tried = Letter(**{name: getattr(before, name) for name in before.__slots__} | {"attempts": 22})
    store.write_now(lambda c: postpone(c, LETTERS, tried, "", due=NOW))
    assert send(store, post_office) == Sendings(failed=1)
    failed = store.read_now(lambda c: find_mail(c, "ada"))
    assert failed.reason == "Not taken after 24 attempts: 450 try later."


@pytest.mark.parametrize(
    ("step", "answer", "words"),
    [
        ("mail", "550 not yours", "sends nothing from us@example.org: 550 not yours."),
        ("connect", "554 closed", "cannot be reached"),
        ("auth", "535 wrong", "refuses the user 'us': 535 wrong. Check PALAVER_SMTP_PASSWORD."),
    ],
)
def test_trouble_with_the_server_is_no_letters_fault(
    store: Store, post_office: SmtpServer, step: str, answer: str, words: str
) -> None:
    post_office.answers = lambda asked, who: answer if asked == step else None
    put(store, "ada", "bob")
    post = Post(server_at(post_office.port, user="us", password="secret"))
    done = asyncio.run(MailSender(store, post, clock=VirtualClock(NOW)).send_due())
    assert words in done.trouble
    assert (done.sent, done.postponed, done.failed) == (0, 0, 0)
    letter = store.read_now(lambda c: find_mail(c, "ada"))
    assert (letter.state, letter.attempts, letter.due) == ("waiting", 0, NOW)
    assert words in letter.reason


def test_nobody_at_the_port_is_trouble_and_a_clear_sentence(store: Store) -> None:
    with smtp_server() as gone:
        port = gone.port
    put(store, "ada")
    post = Post(server_at(port))
    done = asyncio.run(MailSender(store, post, clock=VirtualClock(NOW)).send_due())
    assert f"The mail server 127.0.0.1:{port} cannot be reached" in done.trouble


def test_a_letter_the_server_hangs_up_at_is_postponed_and_the_next_is_sent(
    store: Store, post_office: SmtpServer
) -> None:
    post_office.answers = lambda step, who: (
        "hang up" if (step, who) == ("data", "ada@example.org") else None
    )
    put(store, "ada", "bob")
    assert send(store, post_office) == Sendings(sent=1, postponed=1)
    assert "hung up" in store.read_now(lambda c: find_mail(c, "ada")).reason


def test_a_password_is_sent_to_a_server_on_this_machine(post_office: SmtpServer) -> None:
    send_trial(
        Post(server_at(post_office.port, user="us", password="secret")), "ada@example.org", now=NOW
    )
    assert len(post_office.log_ins) == 1
    assert post_office.letters[0]["Subject"] == "A letter from Palaver"


def test_a_password_never_goes_over_a_network_in_the_clear(
    post_office: SmtpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MailServer, "is_local", False)
    post = Post(server_at(post_office.port, user="us", password="secret"))
    with pytest.raises(MailServerError, match="offers no encryption, and a password is not sent"):
        send_trial(post, "ada@example.org", now=NOW)
    assert post_office.log_ins == []


def test_two_senders_share_the_letters(store: Store, post_office: SmtpServer) -> None:
    put(store, *(f"team{n}" for n in range(10)))

    async def both() -> tuple[Sendings, Sendings]:
        senders = [
            MailSender(store, Post(server_at(post_office.port)), clock=VirtualClock(NOW))
            for _ in range(2)
        ]
        first, second = await asyncio.gather(*(sender.send_due() for sender in senders))
        return first, second

    first, second = asyncio.run(both())
    assert first.sent + second.sent == 10
    assert sorted(post_office.recipients) == sorted(f"team{n}@example.org" for n in range(10))


def test_a_sender_that_is_stopped_notes_the_letter_under_way(
    store: Store, post_office: SmtpServer
) -> None:
    post_office.gate.clear()
    put(store, "ada")

    async def stop_while_sending() -> None:
        post = Post(server_at(post_office.port))
        sender = MailSender(store, post, clock=VirtualClock(NOW))
        running = asyncio.create_task(sender.run())
        await asyncio.to_thread(post_office.arrived.wait, 30)
        running.cancel()
        post_office.gate.set()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(stop_while_sending())
    assert store.read_now(lambda c: find_mail(c, "ada")).state == "sent"


def test_a_process_that_is_killed_loses_no_letter(tmp_path: Path, post_office: SmtpServer) -> None:
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    put(store, "ada", "bob")
    post_office.gate.clear()
    settings = {"PALAVER_SMTP_URL": post_office.url, "PALAVER_MAIL_FROM": "us@example.org"}
    process = subprocess.Popen(
        [sys.executable, "-m", "palaver", "mail", "send", "--home", str(tmp_path)],
        env=os.environ | settings,
    )
    assert post_office.arrived.wait(60)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(30)
    assert store.read_now(count_mails)["waiting"] == 2
    post_office.gate.set()
    assert send(store, post_office) == Sendings(sent=2)
    store.close()
    # The letter under way may have come twice; a mail program shows one.
    assert len({letter["Message-ID"] for letter in post_office.letters}) == 2


def test_a_letter_is_the_same_mail_whenever_it_is_written_out() -> None:
    letter = Letter(
        key="welcome/1",
        recipient="ada@example.org",
        subject="Hello",
        text="A line.\n",
        state="waiting",
        attempts=0,
        due=NOW,
        created=NOW,
    )
    first, second = (written_out(letter, "us@example.org") for _ in range(2))
    assert first.as_bytes() == second.as_bytes()
    assert str(first["Message-ID"]).endswith("@example.org>")
