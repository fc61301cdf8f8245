"""What the commands of `palaver crowd` share: the study, its recruitment, money, and asking first."""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import click

from palaver.cli import options
from palaver.cli.options import HOME, JSON, STUDY_PATH, Option
from palaver.core.audit import COMMAND, Actor
from palaver.core.errors import InputError, MissingError
from palaver.core.money import Money
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.registry import near
from palaver.studies.file.reader import load_studies
from palaver.studies.home import Home, existing_home
from palaver.studies.recruiting.books import read_reconciliation
from palaver.studies.recruiting.overview import read_recruitments, recruitment_of
from palaver.studies.recruiting.submissions.reconciliation import Reconciliation
from palaver.studies.run.deployment import RunningStudy
from palaver.studies.run.onlooker import Onlooker, looking_on
from palaver.web.settings import Settings

T = TypeVar("T")
STUDY = options.study()
YES = click.option("--yes", is_flag=True, help="Do not ask first.")
RECRUITMENT = click.option(
    "--recruitment", metavar="KEY", help="One recruitment of several. Default: the newest."
)
BASE = click.option(
    "--base",
    metavar="URL",
    help="The server's address. Default: PALAVER_PUBLIC_URL, else where the study is being served.",
)
ACTOR: Actor = COMMAND


@dataclass(frozen=True, slots=True)
class CrowdHome:
    """A study whose people come from a panel, looked at from a command."""

    home: Home
    deployment: Onlooker
    study: RunningStudy
    # The recruitment that was asked for; None for the newest.
    key: str | None = None

    @property
    def now(self) -> float:
        return self.deployment.clock.now()

    async def recruitment(self) -> Recruitment:
        """The recruitment that is meant; MissingError if there is none."""
        store, study_id, key = self.deployment.store, self.study.id, self.key
        if key is not None:
            return await store.read(lambda c: recruitment_of(c, study_id, key))
        found = (await store.read(lambda c: read_recruitments(c, study_id))).current
        if found is None:
            raise MissingError(
                f"Nobody is recruited for '{self.study.name}' yet. See: palaver crowd create"
            )
        return found

    async def reconciled(self, recruitment: Recruitment) -> Reconciliation:
        """Ours beside theirs."""
        now = self.now
        return await self.deployment.store.read(
            lambda c: read_reconciliation(c, recruitment, now=now)
        )

    def base(self, given: str | None) -> str:
        """The address people reach the server at; InputError if nobody says it."""
        known = given or Settings().public_url or next(iter(self.home.addresses()), "")
        if not known:
            raise InputError(
                "Nobody says at which address people reach the server. Set PALAVER_PUBLIC_URL, or "
                "name it with --base."
            )
        return known.rstrip("/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What every command of `palaver crowd` is told: of which study, and how it is to answer."""

    path: Path
    study: str | None
    home: Path | None
    as_json: bool
    recruitment: str | None = None
    yes: bool = False

    def at_study(self, work: Callable[[CrowdHome], Awaitable[T]]) -> T:
        """Do something with the study that is meant, beside a server or without one."""
        where, known = existing_home(self.path, self.home), load_studies(self.path)

        async def run() -> T:
            async with looking_on(where, known) as onlooker:
                running = _chosen(onlooker, self.path, self.study)
                return await work(CrowdHome(where, onlooker, running, self.recruitment))

        return asyncio.run(run())

    def ask_first(self, question: str) -> None:
        """Ask before something is done; UsageError where nobody can be asked."""
        if self.yes:
            return
        if self.as_json:
            raise click.UsageError("--json does not ask: add --yes.")
        click.confirm(question, abort=True)


def crowd_command(
    name: str,
    *own: Option,
    recruitment: bool = True,
    asks: bool = False,
    words: str | None = None,
) -> Callable[[Callable[..., None]], click.Command]:
    """A command about a study at a panel: the study, options of its own, those that all share.

    It is about one recruitment, unless `recruitment` is False, and may ask first with `asks`.
    """
    shared: list[Option] = [*[RECRUITMENT] * recruitment, *[YES] * asks, STUDY, HOME, JSON]
    every: list[Option] = [STUDY_PATH, *own, *shared]

    def decorate(work: Callable[..., None]) -> click.Command:
        @functools.wraps(work)
        def run(**given: Any) -> None:
            told = {field.name: given.pop(field.name) for field in _ASKED if field.name in given}
            work(Asked(**told), **given)

        for option in reversed(every):
            option(run)
        return click.command(name, help=words)(run)

    return decorate


_ASKED = fields(Asked)


def _chosen(onlooker: Onlooker, path: Path, name: str | None) -> RunningStudy:
    known = onlooker.studies
    if not known:
        raise InputError(f"The study at {path} was never served here: palaver serve {path}")
    if name is None and len(known) == 1:
        return next(iter(known.values()))
    if name is None:
        raise InputError(f"There are several studies at {path}: name one with --study.")
    if name not in known:
        raise InputError(f"There is no study '{name}' here.{near(name, list(known))}")
    return known[name]


def money(amount: int | None, currency: str) -> str:
    """An amount as a cell of a table; a dash where there is none."""
    return "–" if amount is None else str(Money(amount, currency))


def pieces_of(given: Sequence[str], reconciled: Reconciliation) -> list[str]:
    """The panel's submissions that are meant: by the panel's id, or by a name such as P07."""
    known = {
        row.submission.panel_id
        for row in reconciled.rows
        if row.submission is not None and row.submission.panel_id
    }
    named: dict[str, list[str]] = {}
    for row in reconciled.rows:
        if row.visit is not None and row.submission is not None and row.submission.panel_id:
            named.setdefault(row.visit.name, []).append(row.submission.panel_id)
    found = []
    for each in given:
        own = named.get(each, [])
        if each in known:
            found.append(each)
        elif len(own) == 1:
            found.append(own[0])
        elif own:
            raise InputError(f"{each} has several submissions: {', '.join(own)}. Name one of them.")
        else:
            raise MissingError(
                f"No submission '{each[:40]}' is known in this recruitment. Nothing was sent. "
                "Read the list first: palaver crowd submissions --read"
            )
    return list(dict.fromkeys(found))
