"""The mail server of the settings: what is read from an address, and what is refused."""

import pytest

from palaver.core.errors import InputError
from palaver.mail.server import MailServer, mail_server, why_unsent


def test_an_address_names_host_port_and_user() -> None:
    found = mail_server("smtp://me%40lab.org@mail.example.org", password="p", sender="us@lab.org")
    assert found == MailServer(
        host="mail.example.org", port=587, sender="us@lab.org", user="me@lab.org", password="p"
    )
    assert "p'" not in repr(found)
    tls = mail_server("smtps://mail.example.org:1465/", sender="us@lab.org")
    assert tls == MailServer(host="mail.example.org", port=1465, sender="us@lab.org", is_tls=True)
    assert mail_server("") is None


@pytest.mark.parametrize(
    ("url", "given", "words"),
    [
        ("mail.example.org", {}, "PALAVER_SMTP_URL takes an address such as smtp://"),
        ("http://mail.example.org", {}, "PALAVER_SMTP_URL takes an address"),
        ("smtp://", {}, "PALAVER_SMTP_URL takes an address"),
        ("smtp://host:port", {}, "PALAVER_SMTP_URL takes an address"),
        ("smtp://me:secret@host", {}, "Put it into PALAVER_SMTP_PASSWORD"),
        ("smtp://host", {"sender": ""}, "PALAVER_MAIL_FROM must be, too"),
        ("smtp://host", {"sender": "Us <us@lab.org>"}, "PALAVER_MAIL_FROM takes an address"),
        ("smtp://host", {"password": "p"}, "names no user"),
    ],
)
def test_a_wrong_setting_is_named(url: str, given: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        mail_server(url, **({"sender": "us@lab.org"} | given))


def test_without_a_server_a_sentence_says_that_letters_wait() -> None:
    assert why_unsent(None, 3).startswith(
        "3 letters waiting; none is sent before this server knows"
    )
    assert why_unsent(None, 0).startswith("No letter is waiting;")
    assert why_unsent(MailServer(host="h", port=25, sender="us@lab.org"), 3) == ""
