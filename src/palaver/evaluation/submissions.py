"""Models from outside: a team with a token brings an endpoint or predictions.

A stranger's submission never runs code here and never reads this machine's environment: only
endpoints and predictions are taken, `${VARIABLE}` is refused, and an endpoint must lie on a public
address unless the home allows private ones.
"""

import hashlib
import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Connection

from palaver.core.errors import AccessError, InputError
from palaver.core.words import listed
from palaver.storage.evaluation.submitters import Submitter, counted_submissions
from palaver.storage.evaluation.tasks import StoredTask

# What only asks over the network; everything else would run here.
REMOTE_KINDS = ("torchserve", "dynabench", "askbatch", "openai", "http")
HOUR = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """How many submissions a team has used of those it has, and when the next one is free."""

    used: int
    most: int
    hours: float
    next_at: float | None

    @property
    def left(self) -> int:
        """How many more are allowed now."""
        return max(0, self.most - self.used)


def terms_digest(terms: str) -> str:
    """Names a wording of the terms."""
    return hashlib.sha256(terms.strip().encode()).hexdigest()[:16]


def allowance(
    connection: Connection, submitter: Submitter, task: StoredTask, *, now: float
) -> Allowance:
    """What a team may still submit; failed and cancelled submissions are not counted."""
    window = task.submission_hours * HOUR
    made = counted_submissions(connection, submitter.id, since=now - window)
    is_full = len(made) >= task.most_submissions > 0
    return Allowance(
        used=len(made),
        most=task.most_submissions,
        hours=task.submission_hours,
        next_at=made[len(made) - task.most_submissions] + window if is_full else None,
    )


def check_terms(submitter: Submitter, task: StoredTask) -> None:
    """Raise AccessError unless the team accepted the terms as they stand now."""
    if task.terms.strip() and submitter.terms_digest != terms_digest(task.terms):
        raise AccessError(
            f"Accept the terms of '{task.name}' first; they are on its page and may have changed."
        )


def check_allowance(found: Allowance, *, now: float) -> None:
    """Raise AccessError if nothing is left."""
    if found.left:
        return
    when = ""
    if found.next_at is not None:
        minutes = max(1, round((found.next_at - now) / 60))
        when = f" The next is free in {minutes // 60} h {minutes % 60} min."
    raise AccessError(
        f"{found.used} of {found.most} submissions in {found.hours:g} hours are used."
        f"{when} Submissions whose runs fail are not counted."
    )


def check_endpoint(kind: str, options: Mapping[str, Any], *, private: bool = False) -> None:
    """Raise InputError unless a stranger's endpoint is one that may be asked from here."""
    if kind not in REMOTE_KINDS:
        raise InputError(
            f"A submission is predictions or an endpoint of kind {listed(REMOTE_KINDS, 'or')}; "
            f"got '{kind}'."
        )
    if "${" in repr(dict(options)):
        raise InputError("A submission cannot name variables of the server: '${…}' is refused.")
    address = str(options.get("url", ""))
    host = urlsplit(address).hostname
    if urlsplit(address).scheme not in ("http", "https") or not host:
        raise InputError(f"The endpoint needs 'url', an http or https address; got '{address}'.")
    if not private and not _is_public(host):
        raise InputError(
            f"The endpoint '{host}' is not on a public address. Whoever runs the server can allow "
            "private ones: 'private_endpoints: true' in palaver.yaml."
        )


def _is_public(host: str) -> bool:
    try:
        found = socket.getaddrinfo(host, None, proto=socket.IPPROTO_TCP)
    except OSError as error:
        raise InputError(f"The host '{host}' is not known ({error}).") from error
    return all(ipaddress.ip_address(entry[4][0]).is_global for entry in found)
