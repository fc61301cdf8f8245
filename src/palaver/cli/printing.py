"""How commands print for programs, and JSON within what they print for people."""

from typing import Any

import click
import msgspec

from palaver.core.serial import encode


def print_json(result: Any) -> None:
    """Print records, or anything made of records, as one JSON document."""
    click.echo(msgspec.json.format(encode(result)).decode())


def json_line(value: Any) -> str:
    """Plain data as JSON on one line; what JSON cannot say is shown as Python would.

    >>> json_line({"label": "yes", "p": 0.5})
    '{"label": "yes", "p": 0.5}'
    """
    return msgspec.json.format(msgspec.json.encode(value, enc_hook=repr), indent=0).decode()
