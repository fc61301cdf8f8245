"""Settings of a serving process, from the environment.

| variable | meaning | default |
|---|---|---|
| PALAVER_DATABASE_URL | a PostgreSQL address instead of the home's SQLite file | |
| PALAVER_HOME | the folder that holds the state | |
| PALAVER_PORT | the port to serve on | 8000 |
| PALAVER_PUBLIC_URL | the address people reach the server at, for links | |
| PALAVER_MOVES_PER_SECOND | how many moves one page may send a second | 20 |
| PALAVER_REQUESTS_PER_SECOND | how many requests one client may send a second | 40 |
"""

import os
from dataclasses import dataclass, field

from palaver.core.errors import InputError

DEFAULT_PORT = 8000


def _number(name: str, default: float) -> float:
    given = os.environ.get(name, "")
    try:
        return float(given) if given else default
    except ValueError as error:
        raise InputError(f"{name} takes a number; got '{given}'.") from error


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
