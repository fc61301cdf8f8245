"""Who is told of a study, of what, and how: by letters and by a hook of theirs."""

import re
from collections.abc import Iterator
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Strict

from palaver.core.errors import InputError
from palaver.core.letters import checked_address
from palaver.core.studies.notices import EVENTS, NoticeEvent
from palaver.crowds.secrets import NOTICES, known_secret
from palaver.formats.key_problems import KeyProblem
from palaver.studies.stages.parts import Many, Part, Positive

MOST_RECIPIENTS = 20


def _mail(address: str) -> str:
    try:
        return checked_address(address)
    except InputError as error:
        raise ValueError(str(error)) from None


def _hook(url: str) -> str:
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        known = False
    if not known or len(url) > 2000 or not re.fullmatch(r"[!-~]+", url):
        raise ValueError(
            f"'hook' takes an address such as https://lab.example/palaver; got '{url[:80]}'."
        )
    if "@" in parts.netloc or parts.fragment:
        raise ValueError(
            "'hook' takes an address without a user and without '#'. What is sent is signed: that "
            "is how the other side knows it (docs/notices.md)."
        )
    return url


class Notify(Part):
    """Who is told when something happens that a person should know of."""

    mail: Many[Annotated[str, Strict(), AfterValidator(_mail)]] = ()
    hook: Annotated[str, Strict(), AfterValidator(_hook)] | None = None
    of: Many[NoticeEvent] = EVENTS
    # Open, with people wanted, and for so many hours nobody has finished.
    stuck_hours: Positive = 24.0

    @property
    def is_heard(self) -> bool:
        """Whether there is anybody to tell."""
        return bool(self.mail or self.hook)

    def key_problems(self) -> Iterator[KeyProblem]:
        """Notices that nobody gets."""
        if not self.is_heard:
            yield KeyProblem((), "Nobody is told: name addresses under 'mail', or a 'hook'.")
        if not self.of:
            yield KeyProblem(("of",), "Nothing is told: name what to tell of, or leave it out.")
        if len(self.mail) > MOST_RECIPIENTS:
            message = f"At most {MOST_RECIPIENTS} people are told; got {len(self.mail)}."
            yield KeyProblem(("mail",), message)
        if self.hook is not None and self.hook.startswith("http:"):
            message = "The hook is reached without encryption. Use https:// where it is possible."
            yield KeyProblem(("hook",), message, warning=True)
        if self.hook is not None and not _has_secret():
            message = (
                f"There is no secret to sign with here ({NOTICES}). Nothing is sent to the hook before "
                "the server has one; see docs/notices.md."
            )
            yield KeyProblem(("hook",), message, warning=True)


def _has_secret() -> bool:
    try:
        return known_secret(NOTICES) is not None
    except InputError:
        return False
