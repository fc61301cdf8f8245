"""An endpoint on the command line: where a model is, how it is asked, and what is told of it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import click

from palaver.core.errors import InputError
from palaver.core.evaluation.challenge_entries import EndpointCard
from palaver.evaluation.challenges.endpoint_cards import read_parameters
from palaver.evaluation.challenges.endpoint_entries import TeamEndpoint
from palaver.evaluation.submissions.endpoints import REMOTE_KINDS, endpoint_options

# The options in the order in which they are listed.
_OPTIONS = (
    click.option("--endpoint", metavar="URL", help="The address of a model, in place of FILE."),
    click.option(
        "--kind",
        type=click.Choice(REMOTE_KINDS),
        default="askbatch",
        show_default=True,
        help="How the endpoint is asked.",
    ),
    click.option(
        "--option",
        "options",
        multiple=True,
        metavar="NAME=VALUE",
        help="An option of its kind; JSON or text. Several times.",
    ),
    click.option("--title", default="", help="What the board calls the system."),
    click.option(
        "--parameters", default="", metavar="COUNT", help="How many parameters it has, such as 11B."
    ),
    click.option("--link", default="", metavar="URL", help="An address with more about it."),
    click.option("--about", default="", metavar="TEXT", help="A sentence about it."),
)
NAMES = ("endpoint", "kind", "options", "title", "parameters", "link", "about")


@dataclass(frozen=True, slots=True)
class GivenEndpoint:
    """What the options say; without an address there is no endpoint."""

    endpoint: str | None
    kind: str
    options: tuple[str, ...]
    title: str
    parameters: str
    link: str
    about: str

    def read(self) -> TeamEndpoint:
        """The endpoint; InputError if an option cannot be read."""
        more = dict(map(_pair, self.options))
        card = EndpointCard(
            title=self.title,
            parameters=read_parameters(self.parameters),
            link=self.link,
            about=self.about,
        )
        options = endpoint_options(self.kind, self.endpoint or "", **more)
        return TeamEndpoint(kind=self.kind, options=options, card=card)


def takes_endpoint(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command with these options, which it gets as `given`, a GivenEndpoint."""

    def called(**values: Any) -> Any:
        given = GivenEndpoint(**{name: values.pop(name) for name in NAMES})
        return command(given=given, **values)

    called.__doc__ = command.__doc__
    called.__name__ = command.__name__
    called.__click_params__ = list(getattr(command, "__click_params__", []))  # type: ignore[attr-defined]
    for option in reversed(_OPTIONS):
        called = option(called)
    return called


def _pair(text: str) -> tuple[str, Any]:
    name, found, value = text.partition("=")
    if not found or not name:
        raise InputError(f"An option is NAME=VALUE, such as model=llama; got '{text[:80]}'.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def told_of(endpoint: TeamEndpoint) -> Mapping[str, Any]:
    """What is told of an endpoint, as the client takes it."""
    card = endpoint.card
    return {
        "title": card.title,
        "parameters": card.parameters,
        "link": card.link,
        "about": card.about,
    }
