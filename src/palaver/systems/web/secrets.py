"""Keys that a service is sent: taken from the environment, and hidden in whatever goes wrong."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import quote

from palaver.core.errors import InputError

_ENVIRONMENT = re.compile(r"\$\{(\w+)\}")
_TELLING_HEADER = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)


def from_environment(name: str, *, option: str) -> str:
    """The value of an environment variable that an option names."""
    value = os.environ.get(name, "").strip()
    if not value:
        raise InputError(
            f"Option '{option}' names the environment variable {name}, which is not set. "
            f"Set it before starting: export {name}=…"
        )
    return value


def expand(text: str, *, option: str, secrets: set[str]) -> str:
    """`text` with every ${VARIABLE} filled in; the values are added to `secrets`."""

    def value(match: re.Match[str]) -> str:
        found = from_environment(match[1], option=option)
        secrets.add(found)
        return found

    return _ENVIRONMENT.sub(value, text)


def hiding(headers: Mapping[str, str], secrets: Iterable[str]) -> Callable[[str], str]:
    """What takes the secrets, and the headers that hold keys, out of a text."""
    told = {
        word
        for name, value in headers.items()
        if _TELLING_HEADER.search(name)
        for word in (value, *value.split())
    }
    hidden = {secret for secret in {*secrets, *told} if len(secret) >= 4} - {"Bearer", "Basic"}
    longest_first = sorted({*hidden, *map(quote, hidden)}, key=len, reverse=True)

    def hide(text: str) -> str:
        for secret in longest_first:
            text = text.replace(secret, "***")
        return text

    return hide
