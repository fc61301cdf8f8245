"""The audit trail at the desk, for owners: who did what, when and from where."""

from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.accounts.trail import (
    FORMATS,
    asked_filter,
    read_trail,
    trail_accounts,
    trail_file,
    trail_studies,
)
from palaver.core.audit import ACTS, ADDRESS_DAYS, AuditEntry
from palaver.core.errors import InputError
from palaver.core.listings import Slice
from palaver.web.desk.accounts import Person, deployment_of, for_role, root_of
from palaver.web.desk.frame import DeskShell, shell
from palaver.web.desk.parts import FilterOption, ListAsked, Listed, asked_for, options
from palaver.web.formatting import with_query
from palaver.web.rendering import show

AUDIT = "/desk/audit"
PAGE = 100
FILTERS = ("act", "account", "study", "since", "until")
MEDIA = {"csv": "text/csv", "jsonl": "application/x-ndjson"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditTrailPage:
    """Entries of the trail, with filters that stand in the address."""

    template: ClassVar[str] = "desk/audit/audit.html"
    formats: ClassVar[tuple[str, ...]] = FORMATS
    address_days: ClassVar[int] = ADDRESS_DAYS
    shell: DeskShell
    address: str
    list: Listed[AuditEntry]
    acts: tuple[FilterOption, ...]
    accounts: tuple[FilterOption, ...]
    studies: tuple[FilterOption, ...]
    since: str
    until: str
    files: dict[str, str]
    error: str = ""

    @property
    def filtered(self) -> bool:
        """Whether a filter is set."""
        chosen = any(o.chosen for o in (*self.acts, *self.accounts, *self.studies))
        return chosen or bool(self.since or self.until)


@for_role("owner")
async def show_trail(request: Request, person: Person) -> Response:
    """A page of the trail."""
    query, address = request.query_params, root_of(request) + AUDIT
    asked = ListAsked.read(query, address, size=PAGE, kept=FILTERS)
    given = {name: asked_for(query, name) for name in FILTERS}
    error = ""
    try:
        wanted = asked_filter(**given)
    except InputError as problem:
        wanted, error = asked_filter(), str(problem)
    window = asked.window(_number)

    def work(c: Connection) -> tuple[Slice[AuditEntry], list[str], list[str]]:
        return read_trail(c, wanted, window), trail_accounts(c), trail_studies(c)

    found, accounts, studies = await deployment_of(request).store.read(work)
    page = AuditTrailPage(
        shell=shell(request, person, "Audit trail", "audit"),
        address=address,
        list=asked.listed(found, lambda entry: entry.id),
        acts=options({act: words.capitalize() for act, words in ACTS.items()}, given["act"]),
        accounts=options({name: name for name in accounts}, given["account"]),
        studies=options({name: name for name in studies}, given["study"]),
        since=given["since"] or "",
        until=given["until"] or "",
        files={each: with_query(f"{address}/file", **given, format=each) for each in FORMATS},
        error=error,
    )
    return show(request, page, status=422 if error else 200)


@for_role("owner")
async def send_trail(request: Request, person: Person) -> Response:
    """The whole trail, or what the filters leave of it, as a file."""
    query = request.query_params
    wanted = asked_filter(**{name: asked_for(query, name) for name in FILTERS})
    format = query.get("format", "csv")
    text = await deployment_of(request).store.read(lambda c: trail_file(c, wanted, format))
    headers = {"content-disposition": f'attachment; filename="audit.{format}"'}
    return Response(text, media_type=MEDIA[format], headers=headers)


def _number(given: str) -> int | None:
    return int(given) if given.isdecimal() and len(given) < 16 else None


routes: list[BaseRoute] = [
    Route(AUDIT, show_trail, methods=["GET"]),
    Route(AUDIT + "/file", send_trail, methods=["GET"]),
]
