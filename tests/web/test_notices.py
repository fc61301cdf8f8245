"""Notices at the desk and by the API: what was told to whom, for those who may know."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection

from palaver.core.studies.notices import Occasion
from palaver.studies.file.notify_terms import Notify
from palaver.studies.notices.telling import tell
from support.desks import Desk, open_desk
from support.noticing import BASE
from support.seeding import NOW

HOOK = "https://lab.example/palaver?key=secret-of-theirs"
PAGE = "/desk/studies/pilot-2"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk with a study of which one thing was told by letter and by hook."""
    monkeypatch.setenv("PALAVER_SECRETS", str(tmp_path / "secrets"))
    monkeypatch.delenv("PALAVER_SMTP_URL", raising=False)
    with open_desk(tmp_path) as opened:
        study = opened.deployment.studies["pilot-2"]
        stuck = Occasion(event="stuck", subject="quota", words="Nobody has finished.", path=PAGE)
        notify = Notify(mail=("ada@example.org",), hook=HOOK)

        def write(connection: Connection) -> int:
            return tell(connection, study, notify, [stuck], base=BASE, now=NOW)

        assert opened.store.write_now(write) == 2
        yield opened


def test_reviewers_see_who_was_told_and_viewers_do_not(desk: Desk) -> None:
    desk.sign_in("ruth")
    page = desk.client.get(PAGE).text
    assert page.count("Nobody has finished.") == 1
    assert "ada@example.org" in page
    assert "the hook at lab.example" in page
    assert "secret-of-theirs" not in page
    desk.client.cookies.clear()
    desk.sign_in("vera")
    page = desk.client.get(PAGE).text
    assert "Pilot 2" in page
    assert "ada@example.org" not in page


def test_the_api_tells_reviewers_what_was_told(desk: Desk) -> None:
    def get(name: str) -> tuple[int, str]:
        headers = {"authorization": f"Bearer {desk.token(name)}"}
        answer = desk.client.get("/api/v1/studies/pilot-2/notices", headers=headers)
        return answer.status_code, answer.text

    assert get("vera")[0] == 403
    status, text = get("ruth")
    assert status == 200
    assert "secret-of-theirs" not in text
    assert '"waiting":2' in text
    assert '"recipient":"lab.example"' in text
    assert desk.client.get("/api/v1/studies/pilot-2/notices").status_code == 401


def test_settings_tell_owners_whether_letters_and_hooks_leave(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.sign_in("olga")
    page = desk.client.get("/desk/settings").text
    assert "no mail server" in page
    assert "Set <code>PALAVER_NOTICES_SECRET</code>: nothing is sent unsigned." in page
    assert page.count("1 waiting, 0 sent, 0 failed") == 2
    monkeypatch.setenv("PALAVER_NOTICES_SECRET", "a-word-that-no-page-shows")
    monkeypatch.setenv("PALAVER_SMTP_URL", "smtp://localhost:2525")
    monkeypatch.setenv("PALAVER_MAIL_FROM", "us@example.org")
    page = desk.client.get("/desk/settings").text
    assert "signed with the secret of the environment" in page
    assert "localhost:2525" in page
    assert "a-word-that-no-page-shows" not in page
    desk.client.cookies.clear()
    desk.sign_in("ruth")
    assert "Letters and hooks" not in desk.client.get("/desk/settings").text
