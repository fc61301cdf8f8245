"""The mail server that letters are handed to, as the settings name it.

`smtps://` is encrypted from the first byte. `smtp://` becomes encrypted with STARTTLS: always, unless
the server is on this machine, or is one without a password that does not offer it. A password never
goes over the network in the clear.
"""

from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit

from palaver.core.errors import InputError
from palaver.core.letters import is_address
from palaver.core.words import counted

EXAMPLE = "smtp://user@mail.example.org:587 or smtps://user@mail.example.org"
PORTS = {"smtp": 587, "smtps": 465}
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    """Where letters are handed over, as whom, and whom they are from."""

    host: str
    port: int
    sender: str
    is_tls: bool = False
    user: str = ""
    password: str = field(default="", repr=False)

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine, so that nobody listens between."""
        return self.host.lower() in _HERE

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def mail_server(url: str, *, password: str = "", sender: str = "") -> MailServer | None:
    """The server of the settings; None where none is named, InputError where it is half named."""
    if not url:
        return None
    parts = _parts(url)
    if parts.password is not None:
        raise InputError(
            "PALAVER_SMTP_URL holds a password, and addresses are logged. Put it into "
            "PALAVER_SMTP_PASSWORD."
        )
    user = unquote(parts.username or "")
    if not sender:
        raise InputError(
            "PALAVER_SMTP_URL is set; PALAVER_MAIL_FROM must be, too: the address letters are from."
        )
    if not is_address(sender):
        raise InputError(
            f"PALAVER_MAIL_FROM takes an address such as challenge@example.org; got {sender[:80]!r}."
        )
    if password and not user:
        raise InputError(
            "PALAVER_SMTP_PASSWORD is set and PALAVER_SMTP_URL names no user: write "
            "smtp://user@host:587."
        )
    return MailServer(
        host=parts.hostname or "",
        port=parts.port or PORTS[parts.scheme],
        sender=sender,
        is_tls=parts.scheme == "smtps",
        user=user,
        password=password,
    )


def why_unsent(server: MailServer | None, waiting: int) -> str:
    """A sentence for whoever wonders why nothing arrives; empty where letters are sent."""
    if server is not None:
        return ""
    letters = f"{counted(waiting, 'letter')} waiting" if waiting else "No letter is waiting"
    return (
        f"{letters}; none is sent before this server knows a mail server: set PALAVER_SMTP_URL and "
        "PALAVER_MAIL_FROM, and serve again."
    )


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        known = parts.scheme in PORTS and parts.hostname and parts.port != 0
    except ValueError:
        known = False
    if not known or parts.path.strip("/") or parts.query or not url.isprintable():
        raise InputError(f"PALAVER_SMTP_URL takes an address such as {EXAMPLE}; got '{url[:200]}'.")
    return parts
