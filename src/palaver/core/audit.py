"""The audit trail's records: who did what, when, and for staff from where."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from palaver.core.errors import InputError
from palaver.core.registry import near

Via = Literal["desk", "api", "command", "server"]

# Every act that is recorded, in words that follow a name: "ada signed in".
ACTS: dict[str, str] = {
    "account.add": "added an account",
    "account.disable": "disabled an account",
    "account.enable": "enabled an account",
    "account.factor": "set up or removed a second factor",
    "account.password": "changed a password",
    "account.remove": "removed an account",
    "account.role": "changed a role or rights",
    "challenge.add": "added a challenge",
    "challenge.announce": "announced something to the teams of a challenge",
    "challenge.change": "changed a challenge",
    "challenge.close": "closed a challenge",
    "challenge.publish": "published the results of a challenge",
    "code.give": "gave a completion code",
    "exclusion.change": "left a rater out, or took one back in",
    "dataset.replace": "replaced the data of a data set that has answers",
    "export.make": "exported data",
    "home.migrate": "migrated the home",
    "import.make": "imported data",
    "key.rotate": "replaced the signing key",
    "labels.send": "sent labels through the API",
    "links.make": "made links for participants",
    "links.revoke": "revoked a link for a participant",
    "loop.close": "closed a round of writing",
    "loop.import": "imported a round of writing",
    "loop.open": "opened a round of writing",
    "loop.resume": "opened a stopped round of writing again",
    "loop.retract": "took an example back",
    "loop.stop": "stopped a round of writing",
    "loop.verdict": "judged an example as owner",
    "person.erase": "erased what a person said",
    "recruiting.create": "created a study at a panel",
    "recruiting.decide": "decided on a submission",
    "recruiting.delete": "deleted a draft at a panel",
    "recruiting.drop": "gave up an order to pay",
    "recruiting.hooks": "had a panel tell this server of what happens",
    "recruiting.message": "wrote to people of a panel",
    "recruiting.order": "ordered bonuses",
    "recruiting.pay": "paid bonuses",
    "recruiting.pause": "paused recruiting",
    "recruiting.places": "changed how many places there are at a panel",
    "recruiting.publish": "published a study at a panel",
    "recruiting.resume": "resumed recruiting",
    "recruiting.settle": "said what became of an order to pay",
    "recruiting.stop": "stopped recruiting",
    "recruiting.token": "stored or removed a panel's token",
    "recruiting.try": "opened a draft to test participants",
    "retention.apply": "deleted what was kept long enough",
    "round.close": "closed a round of advice",
    "run.score": "scored a run",
    "settings.change": "changed settings",
    "sign-in.fail": "failed to sign in",
    "sign-in.pass": "signed in",
    "sign-out": "signed out",
    "study.make": "made a new study from a template",
    "study.change": "served a study whose file has changed",
    "study.close": "closed a study",
    "study.edit": "changed a study while it was served",
    "study.pause": "paused a study",
    "study.reopen": "reopened a study",
    "study.resume": "resumed a study",
    "study.serve": "served a study for the first time",
    "study.stop": "stopped a study by its rule",
    "submission.final": "chose which of a team's runs count",
    "submission.make": "submitted a model",
    "submission.retry": "asked a team's endpoint again",
    "submission.withdraw": "withdrew a submission",
    "team.add": "registered or added a team",
    "team.change": "changed what a team says about itself",
    "team.decide": "approved or refused a team",
    "team.leave": "left a challenge with a team",
    "team.terms": "accepted the terms of a challenge",
    "token.make": "made a token",
    "token.revoke": "revoked a token",
}
# The name in place of one that is no account's: people type passwords there.
UNKNOWN_NAME = "unknown name"
# How many days it is kept from where staff acted.
ADDRESS_DAYS = 90


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: an account by name, or nobody in particular; by which door, and from where."""

    name: str = ""
    via: Via = "server"
    address: str | None = None


SERVER = Actor()
COMMAND = Actor(via="command")


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One act: who did what to what, when, by which door and from where.

    `address` is shortened, and empty where it is not known or no longer kept.
    """

    id: int
    time: float
    act: str
    account: str
    via: Via
    study: str | None
    subject: str
    detail: dict[str, Any]
    address: str | None

    @property
    def words(self) -> str:
        """The act in words."""
        return ACTS.get(self.act, self.act)


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Some entries of the audit trail; `next` is what to ask for after them."""

    entries: tuple[AuditEntry, ...]
    next: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Which entries are asked for; None for all."""

    act: str | None = None
    account: str | None = None
    study: str | None = None
    since: float | None = None
    until: float | None = None

    def checked(self) -> "AuditFilter":
        """The same filter; InputError if there is no such act."""
        if self.act is not None and self.act not in ACTS:
            raise InputError(f"There is no act '{self.act[:40]}'.{near(self.act, ACTS)}")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAct:
    """An act to be recorded."""

    act: str
    subject: str = ""
    study_id: int | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
