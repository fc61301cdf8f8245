"""The options of a model as they may be shown: without keys that were written into them."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

HIDDEN = "…"
# Names of options and headers that hold keys; `…_env` names a variable, and a tokenizer is no token.
_KEY = re.compile(r"authorization|key|token(?!iz)|cookie|secret|password", re.IGNORECASE)
_VARIABLE = "_env"
# Options that hold addresses, which may hold a password.
_ADDRESSES = ("url", "base_url")


def shown_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options without keys and passwords; `${VARIABLE}` names one and stays."""
    return {name: _shown(str(name), value) for name, value in options.items()}


def key_notes(options: Mapping[str, Any]) -> list[str]:
    """Notes on headers whose keys were written down instead of being named."""
    headers = options.get("headers")
    given = headers.items() if isinstance(headers, Mapping) else ()
    return [
        f"The header '{name}' seems to contain a key, which is now stored in plain text. Write "
        "${VARIABLE} instead and put the key into the environment."
        for name, value in given
        if _holds_key(str(name), str(value))
    ]


def _shown(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        # A number in a header is a text there; elsewhere `max_tokens` is a number.
        named = value.items() if name == "headers" else ()
        keys = {each for each, text in named if _holds_key(str(each), str(text))}
        return {**shown_options(value), **dict.fromkeys(keys, HIDDEN)}
    if isinstance(value, list):
        return [_shown(name, each) for each in value]
    if isinstance(value, str) and _holds_key(name, value):
        return HIDDEN
    if name in _ADDRESSES and "@" in str(value):
        return _without_password(str(value))
    return value


def _holds_key(name: str, value: str) -> bool:
    return bool(_KEY.search(name)) and not name.endswith(_VARIABLE) and "${" not in value


def _without_password(address: str) -> str:
    parts = urlsplit(address)
    return parts._replace(netloc=f"{HIDDEN}@{parts.netloc.rpartition('@')[2]}").geturl()
