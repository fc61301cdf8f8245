"""Adding a data set at the desk: its file, in which format, and what it is for."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, cast, get_args

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import Access, AddedDataset, Dataset
from palaver.core.numbers import whole_number
from palaver.evaluation.challenges.gold import plan_and_tell
from palaver.evaluation.datasets import add_dataset, list_datasets
from palaver.evaluation.datasets.registration import MOST_ABOUT, MOST_ROUND, round_error
from palaver.evaluation.perturbations import KINDS
from palaver.formats.datasets.mapping import parse_field_map
from palaver.formats.datasets.reader import DatasetReader
from palaver.formats.datasets.registry import DATASET_READERS
from palaver.web.desk.accounts import Person, deployment_of, for_role
from palaver.web.desk.frame import DeskShell, shell
from palaver.web.desk.tasks.adding.request import Adding, adding, lines, typed
from palaver.web.desk.tasks.request import TASKS, AskedTask
from palaver.web.rendering import show
from palaver.web.security import check_token
from palaver.web.uploads import SentForm, sent_form

TYPED = ("name", "about", "access", "round", "reader", "parent", "kind", "map", "value", "tag")
UNTYPED: Mapping[str, str] = dict.fromkeys(TYPED, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class AddDatasetPage:
    """The form of a data set; `added` is what became of the one that was sent."""

    template: ClassVar[str] = "desk/tasks/adding/dataset.html"
    accesses: ClassVar[Mapping[Access, str]] = {
        "scoring": "On the board: every model is evaluated on it, and its score counts.",
        "standard": "Shown, not counted: on the pages of models, and not on the board.",
        "hidden": "Hidden: nothing of it is on the public pages.",
    }
    kinds: ClassVar[tuple[str, ...]] = KINDS
    most_about: ClassVar[int] = MOST_ABOUT
    most_round: ClassVar[int] = MOST_ROUND
    shell: DeskShell
    asked: AskedTask
    # The formats that are known for the task, then those of other tasks.
    readers: tuple[DatasetReader, ...]
    others: tuple[DatasetReader, ...]
    known: tuple[Dataset, ...]
    megabytes: int
    form: Mapping[str, str]
    added: AddedDataset | None = None
    error: str = ""


@for_role("reviewer")
async def show_form(request: Request, person: Person) -> Response:
    return await _show(await adding(request, person))


@for_role("reviewer")
async def add(request: Request, person: Person) -> Response:
    """Check and keep what was sent; the same page with what came of it."""
    found = await adding(request, person)
    form = dict(UNTYPED)
    try:
        # Only now is anything read: those who may not add data do not fill the disk.
        async with sent_form(request, most=found.most_bytes) as sent:
            check_token(request, sent.word("csrf"))
            form = typed(sent, TYPED)
            added = await asyncio.to_thread(_add, found, form, sent)
    except InputError as error:
        return await _show(found, form=form, error=str(error))
    return await _show(found, added=added)


def _add(found: Adding, form: Mapping[str, str], sent: SentForm) -> AddedDataset:
    # A field without a file is sent as a file without a name.
    files = [each for each in sent.files if each.path.stat().st_size]
    if not files:
        raise InputError("Choose the file with the items of the data set.")
    if form["access"] not in get_args(Access):
        raise InputError("Choose what the data set is for.")
    mapping = parse_field_map(*(lines(form, name) for name in ("map", "value", "tag")))
    asked = found.asked
    return add_dataset(
        found.home,
        asked.row,
        asked.task,
        name=form["name"],
        source=[str(each.path) for each in files],
        sent_as=", ".join(each.name for each in files),
        reader=form["reader"] or None,
        mapping=mapping or None,
        access=cast(Access, form["access"]),
        about=form["about"] or None,
        round=_round(form["round"]),
        parent=form["parent"] or None,
        kind=form["kind"] or None,
        now=found.now,
        plan=plan_and_tell,
    )


def _round(given: str) -> int | None:
    """The round that was typed; None where that is left to the items."""
    if not given:
        return None
    number = whole_number(given, most=MOST_ROUND)
    if number is None:
        raise round_error(given)
    return number


async def _show(
    found: Adding,
    *,
    form: Mapping[str, str] = UNTYPED,
    added: AddedDataset | None = None,
    error: str = "",
) -> Response:
    request, asked = found.request, found.asked
    known = await deployment_of(request).store.read(lambda c: list_datasets(c, asked.row.id))
    readers = [DATASET_READERS.get(name) for name in DATASET_READERS.names()]
    page = AddDatasetPage(
        shell=shell(request, found.person, f"Add a data set · {asked.title}", "tasks"),
        asked=asked,
        readers=tuple(each for each in readers if _fits(each, asked)),
        others=tuple(each for each in readers if not _fits(each, asked)),
        known=tuple(each for each in known if each.parent_id is None),
        megabytes=found.megabytes,
        form=form,
        added=added,
        error=error,
    )
    return show(request, page, status=422 if error else 200)


def _fits(reader: DatasetReader, asked: AskedTask) -> bool:
    return not reader.tasks or asked.row.name in reader.tasks


ADD = TASKS + "/{task}/add-data"

routes: list[BaseRoute] = [
    Route(ADD, show_form, methods=["GET"]),
    Route(ADD, add, methods=["POST"]),
]
