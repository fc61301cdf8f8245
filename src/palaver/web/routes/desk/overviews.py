"""Raters and boards: two short lists."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.core.questions.question import spoken
from palaver.storage.listed_raters import ListedRater, list_raters
from palaver.storage.listings import Slice, Window
from palaver.storage.outcomes import count_labels
from palaver.storage.studies import list_studies
from palaver.studies.deployment import RunningStudy
from palaver.studies.results import board_question, votes_needed
from palaver.web.desk import pages
from palaver.web.desk.accounts import Person, deployment_of, for_role, root_of
from palaver.web.desk.frame import shell, show
from palaver.web.desk.words import plain
from palaver.web.formatting import with_query
from palaver.web.pages import Choice

PAGE = 100
RATERS = "/desk/raters"


@for_role("viewer")
async def show_raters(request: Request, person: Person) -> Response:
    """Everybody who gave labels, newest first."""
    window = Window(size=PAGE, after=_asked(request, "after"), before=_asked(request, "before"))
    store, root = deployment_of(request).store, root_of(request)
    found = await store.read(lambda c: list_raters(c, window))
    studies = await store.read(list_studies)
    page = pages.Raters(
        shell=shell(request, person, "Raters", "raters"),
        rows=tuple(_rater(rater, root) for rater in found.rows),
        studies=tuple(
            Choice(label=study.title, url=f"{root}/desk/studies/{study.name}/raters")
            for study in reversed(studies)
        ),
        pager=_pager(found, root + RATERS),
    )
    return show(request, page)


def _asked(request: Request, name: str) -> str | None:
    return plain(request.query_params.get(name, "")) or None


def _rater(rater: ListedRater, root: str) -> pages.RaterRow:
    seconds = "–"
    if rater.median_seconds is not None:
        seconds = f"{rater.median_seconds:.1f} s (n = {rater.timed:,})"
    return pages.RaterRow(
        key=rater.key,
        url=f"{root}{RATERS}/{quote(rater.key)}",
        kind=rater.kind,
        labels=rater.labels,
        seconds=seconds,
    )


def _pager(found: Slice[ListedRater], address: str) -> pages.Pager:
    if not found.rows:
        return pages.Pager()
    first, last = found.rows[0].key, found.rows[-1].key
    return pages.Pager(
        previous_url=with_query(address, before=first) if found.has_previous else "",
        next_url=with_query(address, after=last) if found.has_next else "",
    )


@for_role("viewer")
async def show_boards(request: Request, person: Person) -> Response:
    """The studies that compare systems, each with its board."""
    deployment, root = deployment_of(request), root_of(request)
    counts = await deployment.store.read(count_labels)
    rows = [_board(study, counts, root) for study in deployment.studies.values()]
    page = pages.Boards(
        shell=shell(request, person, "Boards", "boards"),
        rows=tuple(row for row in rows if row is not None),
    )
    return show(request, page)


def _board(
    study: RunningStudy, counts: dict[tuple[str, str], int], root: str
) -> pages.BoardRow | None:
    name = board_question(study.definition)
    if name is None:
        return None
    needed = votes_needed(study.definition)
    return pages.BoardRow(
        url=f"{root}/boards/{study.name}",
        title=study.definition.title,
        question=spoken(study.definition.questions[name].text),
        votes=counts.get((study.name, name), 0),
        needed="no limit" if needed is None else f"{needed:,}",
        public=study.definition.board.public,
    )


routes: list[BaseRoute] = [
    Route(RATERS, show_raters, methods=["GET"]),
    Route("/desk/boards", show_boards, methods=["GET"]),
]
