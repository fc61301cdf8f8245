"""KEY=VALUE on the command line."""

from collections.abc import Sequence
from typing import Any

import click
import msgspec


def parsed_options(given: Sequence[str]) -> dict[str, Any]:
    """KEY=VALUE pairs; a value that is JSON (true, 3, ["a", "b"]) is read as such."""
    found: dict[str, Any] = {}
    for option in given:
        key, equals, value = option.partition("=")
        if not equals or not key:
            raise click.UsageError(f"--option takes KEY=VALUE; got '{option}'.")
        try:
            found[key] = msgspec.json.decode(value)
        except msgspec.DecodeError:
            found[key] = value
    return found
