"""What a stranger's endpoint may be: an address that is asked from here, and nothing else.

A submission never runs code here and never reads this machine's environment: only kinds that ask
over the network are taken, options that name variables are refused, and the address must be a public
one unless the home allows private ones.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from palaver.core.errors import InputError
from palaver.core.tasks import Task
from palaver.core.words import listed
from palaver.systems.web.destinations import Inside, may_lie_inside, resolve

# What only asks over the network; everything else would run here.
REMOTE_KINDS = ("torchserve", "dynabench", "askbatch", "openai", "http")
# The options that hold the address of an endpoint.
ADDRESSES = ("url", "base_url")
# An option whose name ends so names a variable of the environment.
VARIABLE = "_env"
# What a stranger may ask of this server's patience: a model that hangs must not hold up others.
MOST: dict[str, float] = {"timeout": 600, "start_timeout": 600, "concurrency": 64, "backoff": 30}
# The kinds that are told which output of the task their text becomes.
SPEAKING = ("askbatch", "openai")


def endpoint_options(
    kind: str, url: str, *, model: str = "", prompt: str = "", key: str = "", **more: Any
) -> dict[str, Any]:
    """Options out of what a form or a command takes; `key` is sent as a bearer token."""
    given = {"base_url" if kind == "openai" else "url": url, "model": model, "prompt": prompt}
    options: dict[str, Any] = {**{name: value for name, value in given.items() if value}, **more}
    if key:
        headers = options.get("headers")
        known = dict(headers) if isinstance(headers, Mapping) else {}
        options["headers"] = {**known, "Authorization": f"Bearer {key}"}
    return options


def with_output(task: Task, kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options; a model that answers with one text is told which output that is."""
    whole = dict(options)
    is_object = whole.get("json") or whole.get("json_mode")
    if kind in SPEAKING and len(task.outputs) == 1 and not is_object:
        whole.setdefault("output", task.outputs[0].name)
    return whole


def check_endpoint(
    kind: str, options: Mapping[str, Any], *, private: Inside = False, variables: bool = False
) -> None:
    """Raise InputError unless an endpoint is one that may be asked from here for others.

    `private` allows addresses inside this network, `variables` the names of this server's variables.
    """
    if kind not in REMOTE_KINDS:
        raise InputError(
            f"A submission is predictions or an endpoint of kind {listed(REMOTE_KINDS, 'or')}; "
            f"got '{kind}'."
        )
    if not variables:
        _check_variables(options)
    if not any(name in options for name in ADDRESSES):
        raise InputError("The endpoint needs 'url', an http or https address; got none.")
    check_addresses(options, private=private)


def strangers_options(options: Mapping[str, Any], *, private: Inside = False) -> dict[str, Any]:
    """The options a stranger's endpoint is asked with, whatever it says of these itself."""
    return {**options, "inside": private, "quoted": False}


def check_patience(options: Mapping[str, Any]) -> None:
    """Raise InputError where a stranger's endpoint would hold up the models of others."""
    for name, most in MOST.items():
        value = options.get(name)
        if isinstance(value, int | float) and value > most:
            raise InputError(f"'{name}' of a submission must be at most {most:g}; got {value:g}.")


def check_addresses(options: Mapping[str, Any], *, private: Inside = False) -> None:
    """Raise InputError if an endpoint lies, by now, where it may not be asked.

    This is for the words of the refusal: what keeps a model from leading elsewhere a moment later
    is the client, which looks at the address that it connects to.
    """
    for name in ADDRESSES:
        if name in options:
            check_address(str(options[name]), private=private)


def check_address(address: str, *, private: Inside = False) -> None:
    """Raise InputError unless this is an http(s) address that may be asked from here."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError as error:
        raise InputError(f"'{address[:80]}' is not an address ({error}).") from error
    if parts.scheme not in ("http", "https") or not host:
        raise InputError(
            f"The address must be an http or https one, such as https://example.org/ask; got "
            f"'{address[:80]}'."
        )
    if not may_lie_inside(host, private):
        resolve(host, 0)


def _check_variables(options: Mapping[str, Any]) -> None:
    named = [name for name in options if name.endswith(VARIABLE) and options[name] is not None]
    if named:
        raise InputError(
            f"'{named[0]}' names a variable of the server, which is not allowed in a submission. "
            "Put the key "
            "into 'headers' instead, and replace it afterwards."
        )
    if "${" in repr(dict(options)):
        raise InputError("A submission cannot name variables of the server: '${…}' is refused.")
