"""One request of one participant: who they are, where they stand, and pages for them.

A cookie lets a browser act for an assignment. There is one per assignment, valid only below its own
path, so that two studies in one browser do not meet; a second one, valid at the study's own address,
tells whoever opens that again in this browser where they were. The address alone opens nothing.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from sqlalchemy import Connection
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response

from palaver.annotation.assignment import in_turn
from palaver.core.errors import LinkError
from palaver.core.timed import read_timed, sign_timed
from palaver.crowds.links import Visitor
from palaver.crowds.panels import Arrival, placeholders_of
from palaver.storage.dialogues.dialogues import StoredDialogue, dialogues_of_assignment
from palaver.storage.engine.writer import Joint
from palaver.storage.judging.labels import answered_questions
from palaver.storage.people.participants import Assignment, get_assignment
from palaver.studies.file.definition import Study
from palaver.studies.run import flow
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.studies.run.work import Work, held_work
from palaver.web.rendering import Page, show
from palaver.web.security import check_csrf, secure_cookie

T = TypeVar("T")

# Checking a signature takes longer than any look-up.
COOKIE_SECONDS = 60.0
COOKIE = "palaver_visit"
SALT = "palaver.visit"
SENT, SENT_SALT = "palaver_sent", "palaver.sent"
DAYS = 14


class _SignedIn(NamedTuple):
    assignment: str
    until: float


class Visit:
    """One request of one participant."""

    def __init__(
        self,
        request: Request,
        study: RunningStudy,
        assignment: Assignment,
        held: Work | None = None,
    ) -> None:
        # The sheet that this participant holds, where they are at one.
        self.held = held
        self.request = request
        self.deployment: Deployment = request.app.state.deployment
        self.study = study
        self.assignment = assignment
        self.now = self.deployment.clock.now()
        # One sentence about what has just happened, for the page that follows.
        self.notice = ""

    @property
    def path(self) -> str:
        return visit_path(self.assignment.key)

    def show(self, page: Page, status: int = 200) -> Response:
        return show(self.request, page, status)

    def back(self, query: str = "") -> Response:
        """Back to the address of this visit, which shows the current step."""
        return RedirectResponse(f"{self.path}{query}", status_code=303)

    async def again(self) -> "Visit":
        """The same request, with the visit as it is stored now."""
        key = self.assignment.key
        self.assignment = await self.deployment.store.read(lambda c: get_assignment(c, key))
        return self

    async def dialogues(self) -> list[StoredDialogue]:
        assignment_id = self.assignment.id
        return await self.deployment.store.read(lambda c: dialogues_of_assignment(c, assignment_id))

    async def where(self) -> flow.Where:
        """The step this participant is at."""
        if not flow.depends_on_dialogues(self.study.definition, self.assignment):
            return flow.where(self.study.definition, self.assignment, ())
        return await self.deployment.store.read(self._where)

    def _where(self, connection: Connection) -> flow.Where:
        return flow.where(
            self.study.definition,
            self.assignment,
            dialogues_of_assignment(connection, self.assignment.id),
            answered_questions(connection, self.assignment.id),
        )

    async def write(self, work: Callable[[Connection], T] | Joint) -> T:
        """Run `work` in a transaction; again if another request was first at something."""
        return await in_turn(self.deployment.store, work)

    async def change(self, change: Callable[..., object], **options: object) -> None:
        """Change the assignment by one of the steps of `flow`."""
        definition, assignment, now = self.study.definition, self.assignment, self.now
        await self.deployment.store.write(
            lambda c: change(c, definition, assignment, now=now, **options)
        )


async def visit_of(request: Request, *, changing: bool = False) -> Visit:
    """The visit a request belongs to; AccessError if the browser may not act for it."""
    key = request.path_params["assignment"]
    if _signed_in(request) != key:
        raise LinkError("This page belongs to somebody else. Open the link you were sent again.")
    if changing:
        await check_csrf(request)
    deployment: Deployment = request.app.state.deployment

    def read(connection: Connection) -> Visit:
        assignment = get_assignment(connection, key)
        study = deployment.study(assignment.study)
        held = held_work(connection, study, assignment, deployment.store.cache)
        return Visit(request, study, assignment, held)

    return await deployment.store.look_up(read)


def _signed_in(request: Request) -> str:
    """The assignment that this browser acts for; a cookie that was good is good for a minute."""
    deployment: Deployment = request.app.state.deployment
    kept, now = deployment.store.cache, deployment.clock.now()
    name = ("cookie", request.cookies.get(COOKIE, ""))
    known = kept.get(name)
    if known is None or not known.until - COOKIE_SECONDS <= now < known.until:
        known = kept.keep(name, _SignedIn(read_visit(request), now + COOKIE_SECONDS))
    key: str = known.assignment
    return key


def start_visit(request: HTTPConnection, response: Response, study: str, assignment: str) -> None:
    """Let this browser act for an assignment, and find it again at the address of its study."""
    for path in (visit_path(assignment), arrival_path(study)):
        _set_cookie(request, response, _secret(request), assignment, path)


def sign_visit(request: HTTPConnection, response: Response, secret: str, assignment: str) -> None:
    """Let this browser act for an assignment of the deployment whose secret this is, and no more."""
    _set_cookie(request, response, secret, assignment, visit_path(assignment))


def _set_cookie(
    request: HTTPConnection, response: Response, secret: str, assignment: str, path: str
) -> None:
    signed = sign_timed(secret, SALT, assignment)
    response.set_cookie(COOKIE, signed, **secure_cookie(request, path=path, max_age=DAYS * 86400))


def keep_sent(
    request: HTTPConnection, response: Response, study: Study, assignment: str, sent: Visitor
) -> None:
    """Let this browser remember what its panel sent, where a way back needs it.

    Whoever declines or withdraws is forgotten here, and still has to find back.
    """
    needed = {name for address in study.crowd.returns.values() for name in placeholders_of(address)}
    if study.crowd.panel is None or not needed & {"participant", "session"}:
        return
    values = [sent.person, sent.assignment, sent.panel_study]
    signed = sign_timed(_secret(request), SENT_SALT, [assignment, *values])
    options = secure_cookie(request, path=visit_path(assignment), max_age=DAYS * 86400)
    response.set_cookie(SENT, signed, **options)


def kept_sent(request: HTTPConnection, assignment: str) -> Arrival | None:
    """What this browser remembers of what its panel sent for a visit; None if nothing."""
    known = request.app.state.deployment.readable_secrets
    signed = read_timed(known, SENT_SALT, request.cookies.get(SENT, ""))
    if signed is None or not signed.is_good(DAYS * 86400) or signed.content[0] != assignment:
        return None
    return Arrival(*signed.content[1:])


def read_visit(connection: HTTPConnection) -> str:
    """The assignment this browser acts for; LinkError if there is none."""
    assignment = held_visit(connection)
    if assignment is None:
        raise LinkError(
            "This browser is not signed in to this study. Open the link you were sent again."
        )
    return assignment


def held_visit(connection: HTTPConnection) -> str | None:
    """The assignment this browser acts for; None if there is none."""
    signed = read_timed(
        connection.app.state.deployment.readable_secrets, SALT, connection.cookies.get(COOKIE, "")
    )
    if signed is None or not signed.is_good(DAYS * 86400):
        return None
    assignment: str = signed.content
    return assignment


def arrival_path(study: str) -> str:
    """Where people arrive at a study."""
    return f"/s/{study}"


def visit_path(assignment: str) -> str:
    """Where an assignment's pages live."""
    return f"/take/{assignment}"


def _secret(connection: HTTPConnection) -> str:
    secret: str = connection.app.state.deployment.secret
    return secret
