"""Settings of a serving process, from the environment.

| variable | meaning | default |
|---|---|---|
| PALAVER_DATABASE_URL | a PostgreSQL address instead of the home's SQLite file | |
| PALAVER_HOME | the folder that holds the state | |
| PALAVER_PORT | the port to serve on | 8000 |
| PALAVER_PUBLIC_URL | the address people reach the server at, for links | |
| PALAVER_MOVES_PER_SECOND | how many moves one page may send a second | 20 |
| PALAVER_REQUESTS_PER_SECOND | how many requests one client may send a second | 40 |
| PALAVER_OIDC_ISSUER | the OpenID Connect provider that people sign in at | |
| PALAVER_OIDC_CLIENT_ID | what the provider calls this server | |
| PALAVER_OIDC_CLIENT_SECRET | what proves it to the provider | |
| PALAVER_OIDC_CLAIM | the claim that names the account | email |
| PALAVER_OIDC_ROLE | the role of accounts made for people who have none; empty makes none | |
| PALAVER_OIDC_NAME | what the button to sign in there says | your organisation |
| PALAVER_SMTP_URL | the mail server that letters to teams are handed to | |
| PALAVER_SMTP_PASSWORD | the password of the user in that address | |
| PALAVER_MAIL_FROM | the address that letters are from | |
| PALAVER_HOSTS | the names this server is reached by; others are refused | of PALAVER_PUBLIC_URL |
| PALAVER_CONNECTIONS | how many connections there may be in all | what its files allow |
| PALAVER_CONNECTIONS_PER_ADDRESS | how many of them may come from one address | 1000 |
| PALAVER_HEAD_SECONDS | how long the head of a request may take | 20 |
| PALAVER_BODY_SECONDS | how long a body or an answer may stand still | 60 |
"""

import os
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from palaver.accounts.openid import ProviderSettings, check_installed, check_issuer
from palaver.core.accounts import role_named
from palaver.core.errors import InputError
from palaver.mail.server import MailServer, mail_server
from palaver.web.connections import ConnectionLimits, places

DEFAULT_PORT = 8000


def _number(name: str, default: float) -> float:
    given = os.environ.get(name, "")
    try:
        return float(given) if given else default
    except ValueError as error:
        raise InputError(f"{name} takes a number; got '{given}'.") from error


def _at_least(name: str, default: float, least: float) -> float:
    number = _number(name, default)
    if not number >= least:
        raise InputError(f"{name} takes a number from {least:g}; got {number:g}.")
    return number


def _limits() -> ConnectionLimits:
    """As the environment says; the number in all is asked of the system when the server starts."""
    return ConnectionLimits(
        most=int(_at_least("PALAVER_CONNECTIONS", places(), 1)),
        per_address=int(_at_least("PALAVER_CONNECTIONS_PER_ADDRESS", 1000, 1)),
        head_seconds=_at_least("PALAVER_HEAD_SECONDS", 20.0, 0.1),
        body_seconds=_at_least("PALAVER_BODY_SECONDS", 60.0, 0.1),
    )


def _hosts() -> tuple[str, ...]:
    given = os.environ.get("PALAVER_HOSTS", "")
    named = [host.strip().lower() for host in given.split(",") if host.strip()]
    wrong = [host for host in named if "/" in host or " " in host]
    if wrong:
        raise InputError(
            f"PALAVER_HOSTS takes names such as talk.example.org, separated by commas; got "
            f"'{wrong[0]}'."
        )
    public = urlsplit(_public_url()).hostname
    return tuple(named) or ((public,) if public else ())


def _port() -> int:
    given = os.environ.get("PALAVER_PORT", "")
    if given and not given.isdecimal():
        raise InputError(f"PALAVER_PORT takes a number; got '{given}'.")
    return int(given) if given else DEFAULT_PORT


def _public_url() -> str:
    given = os.environ.get("PALAVER_PUBLIC_URL", "")
    if given and not given.startswith(("https://", "http://")):
        raise InputError(
            f"PALAVER_PUBLIC_URL takes an address with https:// or http://; got '{given}'."
        )
    return given


def _provider() -> ProviderSettings | None:
    issuer = os.environ.get("PALAVER_OIDC_ISSUER", "")
    if not issuer:
        return None
    check_installed()
    client = os.environ.get("PALAVER_OIDC_CLIENT_ID", "")
    if not client:
        raise InputError("PALAVER_OIDC_ISSUER is set; PALAVER_OIDC_CLIENT_ID must be, too.")
    role = os.environ.get("PALAVER_OIDC_ROLE", "")
    if role == "owner":
        raise InputError(
            "PALAVER_OIDC_ROLE cannot be 'owner': an owner decides who else becomes one."
        )
    return ProviderSettings(
        issuer=check_issuer(issuer),
        client_id=client,
        client_secret=os.environ.get("PALAVER_OIDC_CLIENT_SECRET", ""),
        claim=os.environ.get("PALAVER_OIDC_CLAIM", "") or "email",
        role=role_named(role) if role else None,
        name=os.environ.get("PALAVER_OIDC_NAME", "") or "your organisation",
    )


def mail_settings() -> MailServer | None:
    """The mail server that the environment names; None where letters are to wait."""
    return mail_server(
        os.environ.get("PALAVER_SMTP_URL", ""),
        password=os.environ.get("PALAVER_SMTP_PASSWORD", ""),
        sender=os.environ.get("PALAVER_MAIL_FROM", ""),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What one serving process was told."""

    port: int = field(default_factory=_port)
    public_url: str = field(default_factory=_public_url)
    moves_per_second: float = field(
        default_factory=lambda: _number("PALAVER_MOVES_PER_SECOND", 20.0)
    )
    requests_per_second: float = field(
        default_factory=lambda: _number("PALAVER_REQUESTS_PER_SECOND", 40.0)
    )
    # Where people sign in, too; None where passwords are all there is.
    provider: ProviderSettings | None = field(default_factory=_provider)
    # Where letters are handed over; None where they wait.
    mail: MailServer | None = field(default_factory=mail_settings)
    # None of them: whatever name it is reached by.
    hosts: tuple[str, ...] = field(default_factory=_hosts)
    connections: ConnectionLimits = field(default_factory=_limits)
