"""The terms on which people take part: consent, pay, where they come from, what is shown."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from string import Formatter
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import AfterValidator, BeforeValidator, Field, Strict, StrictBool

from palaver.core.registry import near
from palaver.core.studies.outcomes import Outcome
from palaver.core.studies.stops import StoppingRule, Until, rule_words
from palaver.core.words import listed
from palaver.crowds.panels import PANELS, PLACEHOLDERS, Panel
from palaver.formats.key_problems import KeyProblem
from palaver.studies.file.recruiting_terms import Bonuses
from palaver.studies.stages.parts import Count, FileChoice, Number, Part, Positive, Text

# How a moment stands in a study file; nothing here happened before that year.
CLOCK, EARLIEST = "%Y-%m-%d %H:%M", 2000
# People come by signed links of ours, and by no panel.
LINK = "link"


def _currency(code: str) -> str:
    if not re.fullmatch(r"[A-Z]{3}", code):
        raise ValueError(
            f"'currency' takes a code of three capital letters like GBP; got '{code[:40]}'."
        )
    return code


def _address(url: str, key: str, placeholders: Sequence[str]) -> str:
    """An address with placeholders behind its host, and nowhere else."""
    if not re.fullmatch(r"https?://\S+", url):
        raise ValueError(f"'{key}' takes an address with https://; got '{url[:80]}'.")
    try:
        fields = [part[1:] for part in Formatter().parse(url) if part[1] is not None]
    except ValueError:
        fields = [("", "", None)]
    if any(name not in placeholders or spec or conversion for name, spec, conversion in fields):
        listed = ", ".join(f"'{{{name}}}'" for name in placeholders)
        only = "The only placeholder that" if len(placeholders) == 1 else "The placeholders that"
        raise ValueError(
            f"{only} '{key}' takes {'is' if listed.count('{') == 1 else 'are'} {listed}."
        )
    if "{" in re.split(r"[/?#]", url.partition("://")[2], maxsplit=1)[0]:
        raise ValueError(f"A placeholder of '{key}' stands behind the host; got '{url[:80]}'.")
    return url


def _clock_time(given: Any) -> Any:
    """The time that clocks show, as people write it; None where nothing is said."""
    if given is None:
        return None
    if isinstance(given, str):
        for form in (CLOCK, "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d"):
            try:
                read = datetime.strptime(given.strip(), form)
            except ValueError:
                continue
            if read.year >= EARLIEST:
                return read
    raise ValueError(
        f"A date here is written like 2026-11-20 09:00, without a zone ('zone' says it); got "
        f"'{str(given)[:40]}'."
    )


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        hint = near(name, available_timezones()) or " Write it like Europe/Berlin, or UTC."
        raise ValueError(f"There is no zone '{name[:40]}'.{hint}") from None
    return name


def _completion_url(url: str) -> str:
    return _address(url, "completion_url", ("code",))


def _way_back(url: str) -> str:
    return _address(url, "returns", PLACEHOLDERS)


def _credit(url: str) -> str:
    checked = _address(url, "credit", ("participant", "session", "study"))
    if "{participant}" not in url:
        raise ValueError("'credit' names the person: write {participant} where the id belongs.")
    return checked


def _crowd_kind(name: str) -> str:
    known = [LINK, *PANELS.names()]
    if name not in known:
        raise ValueError(
            f"'kind' takes {listed([repr(each) for each in known], 'or')}; got '{name[:40]}'."
            f"{near(name, known)}"
        )
    return name


def _points(within: float) -> float:
    if not 1 <= within <= 49:
        raise ValueError(
            "'within' is in points, 1 to 49: with 5, two systems whose win rate is surely between "
            f"45 and 55 % count as equal; got {within:g}."
        )
    return within


class Consent(Part):
    """What people agree to before anything else; a new version is asked anew."""

    version: Text
    text: Text


class Dates(Part):
    """From when to when a study takes people in, on the clocks of a zone.

    Before `opens` people are told when it opens; after `closes` it is closed.
    """

    opens: Annotated[datetime | None, BeforeValidator(_clock_time)] = None
    closes: Annotated[datetime | None, BeforeValidator(_clock_time)] = None
    zone: Annotated[str, Strict(), AfterValidator(_zone)] = "UTC"

    @property
    def opening(self) -> float | None:
        """When it opens, in seconds since 1970; None where it is open at once."""
        return self._moment(self.opens)

    @property
    def closing(self) -> float | None:
        """When it closes, in seconds since 1970; None where it stays open."""
        return self._moment(self.closes)

    def _moment(self, clock: datetime | None) -> float | None:
        return None if clock is None else clock.replace(tzinfo=ZoneInfo(self.zone)).timestamp()

    def key_problems(self, now: float) -> Iterator[KeyProblem]:
        """Dates that let nobody in."""
        opening, closing = self.opening, self.closing
        if opening is not None and closing is not None and closing <= opening:
            message = (
                f"'closes' ({self.closes:{CLOCK}}) is not after 'opens' ({self.opens:{CLOCK}}): "
                "nobody could take part. Put a later one."
            )
            yield KeyProblem(("closes",), message)
        elif closing is not None and closing <= now:
            message = (
                f"'closes' ({self.closes:{CLOCK}}, {self.zone}) is in the past: nobody is let in."
            )
            yield KeyProblem(("closes",), message, warning=True)


class Pay(Part):
    """What taking part is worth, what a part of it is worth, and what a minute of waiting adds.

    What of this is due at which end is decided in `studies/run/dues.py`.
    """

    amount: Number
    currency: Annotated[str, Strict(), AfterValidator(_currency)]
    waiting_per_minute: Number = 0.0
    # For those who stop, or are stopped, in the middle.
    early: Number = 0.0
    # For those who practise and get no further.
    practice: Number = 0.0
    # For those who come when nothing is open to them.
    over_quota: Number = 0.0
    # What is paid on top by a rule, and what the study may cost in all, the panel's fees included.
    bonuses: Bonuses | None = None
    budget: Positive | None = None

    def key_problems(self) -> Iterator[KeyProblem]:
        """Parts that are worth more than the whole."""
        for key in ("early", "practice", "over_quota"):
            part = getattr(self, key)
            if part > self.amount:
                message = f"'{key}' pays {part:g} for a part, more than 'amount' pays for all."
                yield KeyProblem((key,), message, warning=True)


class Crowd(Part):
    """Where people come from, and how they are sent back."""

    kind: Annotated[str, Strict(), AfterValidator(_crowd_kind)] = LINK
    participant: Text = "worker_id"
    assignment: Text | None = "assignment_id"
    study: Text | None = None
    # The panel's code and the address that leads back, for each outcome that it tells apart.
    codes: dict[Outcome, Text] = Field(default_factory=dict)
    returns: dict[Outcome, Annotated[str, Strict(), AfterValidator(_way_back)]] = Field(
        default_factory=dict
    )
    completion_code: Text | None = None
    # The panel's codes for those who are paid in part, and for those who are not paid.
    part_code: Text | None = None
    return_code: Text | None = None
    completion_url: Annotated[str, Strict(), AfterValidator(_completion_url)] | None = None
    # An address of the panel that we call for each person who completes.
    credit: Annotated[str, Strict(), AfterValidator(_credit)] | None = None
    link_hours: Positive = 72.0
    # Whether one person may take part several times, once for each piece of work.
    repeats: StrictBool = False
    # With what somebody from a panel goes on in another browser: a code, or their ids alone.
    rejoin: Literal["code", "open"] = "code"
    # Prolific signs its parameters with keys that it publishes; other panels with a shared secret.
    signed: StrictBool = False
    keys: FileChoice | None = None
    secret_from: Text | None = None
    blocked: FileChoice | None = None
    blocked_salt: Text | None = None

    @property
    def panel(self) -> Panel | None:
        """The panel that people come from, with the study's own names; None for signed links."""
        if self.kind == LINK:
            return None
        known = PANELS.get(self.kind)
        if self.kind != "parameters":
            return known
        return replace(
            known,
            participant=self.participant,
            session=self.assignment or "",
            study=self.study or "",
        )

    @property
    def leads_back(self) -> bool:
        """Whether those who do all steps are sent back to where they came from."""
        return self.way_back("completed", is_full=True) is not None

    @property
    def has_codes(self) -> bool:
        """Whether the panel gives the codes, so that a code of ours would mean nothing there."""
        return bool(self.codes) or any((self.completion_code, self.part_code, self.return_code))

    def code_of(self, outcome: Outcome, *, is_full: bool, is_paid: bool) -> str | None:
        """The panel's code for an outcome that is paid in full, in part or not; None if none is set."""
        if outcome in self.codes:
            return self.codes[outcome]
        if is_full:
            return self.completion_code or self.codes.get("completed")
        return self.part_code if is_paid else self.return_code

    def way_back(self, outcome: Outcome, *, is_full: bool) -> str | None:
        """The address that leads back, with its placeholders; None if neither file nor panel has one."""
        if outcome in self.returns:
            return self.returns[outcome]
        if is_full and "completed" in self.returns:
            return self.returns["completed"]
        if self.completion_url is not None:
            return self.completion_url
        panel = self.panel
        if panel is None:
            return None
        return panel.return_template("completed" if is_full else outcome)

    def key_problems(self) -> Iterator[KeyProblem]:
        """Keys that this kind of crowd does not read."""
        readers = {
            "participant": "parameters",
            "assignment": "parameters",
            "study": "parameters",
            "link_hours": LINK,
            "signed": "prolific",
            "keys": "prolific",
        }
        for key, kind in readers.items():
            if key in self.model_fields_set and self.kind != kind:
                message = f"'{key}' is for 'kind: {kind}' only; it is '{self.kind}'. Leave it out."
                yield KeyProblem((key,), message, at_key=True)
        panel = self.panel
        if self.credit is not None and (panel is None or panel.read_credit is None):
            message = f"'kind: {self.kind}' takes no credit from a server. Leave 'credit' out."
            yield KeyProblem(("credit",), message, at_key=True)
        if self.rejoin == "open" and panel is None:
            message = "'rejoin' is for panels; a signed link resumes anywhere. Leave it out."
            yield KeyProblem(("rejoin",), message, at_key=True)
        yield from self._signing_problems()
        if self.blocked_salt is not None and self.blocked is None:
            message = "'blocked_salt' needs 'blocked', the file with the pseudonyms."
            yield KeyProblem(("blocked_salt",), message, at_key=True)
        for key in ("part_code", "return_code"):
            if getattr(self, key) == self.completion_code and self.completion_code is not None:
                message = f"'{key}' is the code of those who are paid in full. Give another one."
                yield KeyProblem((key,), message)

    def _signing_problems(self) -> Iterator[KeyProblem]:
        if self.repeats and self.kind == LINK:
            message = "'repeats' is for panels; with 'kind: link' each link is one person."
            yield KeyProblem(("repeats",), message, at_key=True)
        if self.keys is not None and not self.signed:
            message = "'keys' needs 'signed: true'."
            yield KeyProblem(("keys",), message, at_key=True)
        if self.secret_from is None:
            return
        if self.kind in (LINK, "prolific"):
            message = (
                f"'secret_from' is for panels that sign with a secret you share; it is "
                f"'{self.kind}'. Leave it out."
            )
            yield KeyProblem(("secret_from",), message, at_key=True)
        elif not os.environ.get(self.secret_from):
            message = (
                f"The environment variable '{self.secret_from[:80]}' is not set here. Nobody can "
                "take part until it holds the secret that the panel signs with."
            )
            yield KeyProblem(("secret_from",), message, warning=True)


class Retention(Part):
    """After how many days since a visit ended what is deleted; what is not named stays."""

    # The ids by which panels and links name people and their work, and completion codes.
    ids: Count | None = None
    # What people and systems wrote, answers in words, and problems that were reported.
    words: Count | None = None
    # The keyed hashes of those who were barred, failed, or took part and were erased.
    standing: Count | None = None


class StopTerms(Part):
    """When a study has enough votes and stops by itself; `within` is in points of the win rate."""

    until: Until = "order"
    within: Annotated[float, Strict(), AfterValidator(_points)] = 5.0
    at_most: Count | None = None

    @property
    def rule(self) -> StoppingRule:
        """The rule that is watched."""
        return StoppingRule(until=self.until, within=self.within / 100, at_most=self.at_most)

    @property
    def words(self) -> str:
        """The rule in words."""
        return rule_words(self.until, self.within / 100, self.at_most)


class BoardTerms(Part):
    """Who may see the results while they come in, and when they are final: after so many votes, or
    when a rule says that they are decided."""

    public: StrictBool = False
    votes: Count | None = None
    stop: StopTerms | None = None


class Simulated(Part):
    """A simulated crowd with a known truth: how much it likes each system, how often it ties."""

    visitors: Count
    # Of systems, or of models that advise and of people.
    strengths: dict[Text, Positive]
    ties: Number = 0.3
    per_second: Positive = 2.0
    seed: Annotated[int, Strict()] = 1
