"""The page at `/`, which shows strangers what is public here, and the list of boards at the desk."""

from dataclasses import dataclass
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.evaluation.challenges.stored import list_challenges
from palaver.web.challenges.routes import ListedChallenge, listed_challenge
from palaver.web.desk.accounts import Person, deployment_of, for_role, root_of, signed_in
from palaver.web.desk.frame import DeskShell, shell
from palaver.web.front.lines import BoardKind, BoardLine, board_words, newest_first
from palaver.web.front.sources import known_boards
from palaver.web.rendering import show
from palaver.web.tasks.access import TaskShell, is_open_to, shell_of

# What an address says of whoever wants to see what strangers see.
AS_STRANGER = "public"


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardListPage:
    """Every board that somebody at the desk may see, the one that changed last first."""

    template: ClassVar[str] = "front/boards.html"
    shell: DeskShell
    boards: tuple[BoardLine, ...]
    # Where strangers see those that are public; empty where they see none.
    public_url: str
    # Whether these are all that there are, and not only what somebody was granted.
    may_see_all: bool

    @property
    def is_pending(self) -> bool:
        """Whether what some board says is being computed."""
        return any(each.pending for each in self.boards)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontChallenge:
    """A public challenge, and how its tracks stand."""

    listed: ListedChallenge
    tracks: tuple[BoardLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPage:
    """What is public here: the boards of tasks, of studies, and of challenges."""

    template: ClassVar[str] = "front/front.html"
    shell: TaskShell
    tasks: tuple[BoardLine, ...]
    studies: tuple[BoardLine, ...]
    challenges: tuple[FrontChallenge, ...]
    # Whether somebody who is signed in looks at what strangers see.
    as_stranger: bool

    @property
    def boards(self) -> tuple[BoardLine, ...]:
        tracks = (track for each in self.challenges for track in each.tracks)
        return (*self.tasks, *self.studies, *tracks)

    @property
    def is_pending(self) -> bool:
        """Whether what some board says is being computed."""
        return any(each.pending for each in self.boards)


async def show_front(request: Request) -> Response:
    """What strangers may see; whoever is signed in, or finds nothing public, goes to the desk."""
    person = await signed_in(request)
    as_stranger = person is not None and AS_STRANGER in request.query_params
    if person is None or as_stranger:
        page = await _front(request, person, as_stranger=as_stranger)
        if page.boards:
            return show(request, page)
    return RedirectResponse(f"{root_of(request)}/desk", status_code=303)


async def _front(request: Request, person: Person | None, *, as_stranger: bool) -> FrontPage:
    deployment = deployment_of(request)
    lines = await board_words(deployment).read(await known_boards(request, None))
    rows = await deployment.store.read(list_challenges)
    now = deployment.clock.now()

    def of_kind(kind: BoardKind) -> tuple[BoardLine, ...]:
        return newest_first([line for line in lines if line.kind == kind])

    tracks = [line for line in lines if line.kind == "challenge"]
    return FrontPage(
        shell=shell_of(request, person, "Open to everybody"),
        tasks=of_kind("task"),
        studies=of_kind("study"),
        challenges=tuple(
            FrontChallenge(
                listed=listed_challenge(row, now),
                tracks=tuple(each for each in tracks if each.name == row.name),
            )
            for row in rows
            if is_open_to(row, None)
        ),
        as_stranger=as_stranger,
    )


@for_role("member")
async def show_boards(request: Request, person: Person) -> Response:
    """Every board that this person may see."""
    known = await known_boards(request, person)
    lines = await board_words(deployment_of(request)).read(known)
    is_public = any(each.public for each in lines)
    page = BoardListPage(
        shell=shell(request, person, "Boards", "boards"),
        boards=newest_first(lines),
        public_url=f"{root_of(request)}/?{AS_STRANGER}" if is_public else "",
        may_see_all=person.only is None,
    )
    return show(request, page)


routes: list[BaseRoute] = [
    Route("/", show_front, methods=["GET"]),
    Route("/desk/boards", show_boards, methods=["GET"]),
]
