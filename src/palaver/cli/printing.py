"""How commands print a result for programs: the records of a service as JSON."""

from typing import Any

import click
import msgspec

from palaver.core.serial import encode


def print_json(result: Any) -> None:
    """Print records, or anything made of records, as one JSON document."""
    click.echo(msgspec.json.format(encode(result)).decode())
