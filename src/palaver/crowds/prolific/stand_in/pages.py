"""Pages of the stand-in: what participants see of a study, and who is where, for whoever tries one."""

from pathlib import Path
from typing import Any

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

import palaver
from palaver.core.money import Money
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.crowds.prolific.stand_in.state import KnownStudy, KnownSubmission
from palaver.crowds.prolific.stand_in.world import RefusedCall

HERE = Path(__file__).parent
LOOK = Path(palaver.__file__).parent / "look"
WHO = "stand_in_submission"
SHOWN = 200
ENDED = {
    "APPROVED": "Your submission was approved. You will be paid.",
    "AWAITING REVIEW": "Your submission is in. The researcher looks at it.",
    "PROCESSING": "Your submission is being processed.",
    "SCREENED OUT": "This study was not for you. You are paid for the time it took.",
}


def page_routes(stand_in: StandIn) -> list[Route]:
    """The pages, at their addresses."""
    pages = _Pages(stand_in)
    return [
        Route("/", pages.home),
        Route("/look.css", pages.look),
        Route("/studies/{study}", pages.study),
        Route("/studies/{study}/take", pages.take, methods=["POST"]),
        Route("/submissions/complete", pages.complete),
        Route("/submissions/{submission}/complete", pages.complete_for, methods=["POST"]),
        Route("/submissions/{submission}/return", pages.give_back, methods=["POST"]),
        Route("/submissions/{submission}/time-out", pages.run_out, methods=["POST"]),
    ]


class _Pages:
    def __init__(self, stand_in: StandIn) -> None:
        self._stand_in = stand_in
        self._templates = jinja2.Environment(
            loader=jinja2.FileSystemLoader(HERE), autoescape=True, undefined=jinja2.StrictUndefined
        )

    def home(self, request: Request) -> Response:
        """Studies, who takes part in them, and what was paid."""
        known, events = self._stand_in.submissions, self._stand_in.deliveries
        return self._page(
            "home.html",
            title="Stand-in for Prolific",
            studies=[
                (each, self._stand_in.places_taken(each.id)) for each in self._stand_in.studies
            ],
            submissions=list(reversed(known[-SHOWN:])),
            more=max(0, len(known) - SHOWN),
            names={each.id: each.body["name"] for each in self._stand_in.studies},
            payments=len(self._stand_in.payments),
            events=len(events),
            sent=sum(each.status == "SUCCEEDED" for each in events),
            slim=False,
        )

    def look(self, request: Request) -> Response:
        """The style sheets of the product."""
        sheets = (LOOK / "tokens.css", LOOK / "base.css", HERE / "stand_in.css")
        read = [sheet.read_text(encoding="utf-8") for sheet in sheets]
        return Response("\n".join(read), media_type="text/css")

    def study(self, request: Request) -> Response:
        """A study, as somebody sees it who may take part."""
        try:
            study = self._stand_in.study(request.path_params["study"])
        except RefusedCall as refusal:
            return self._refused(refusal)
        return self._page(
            "take.html", title=study.body["name"], study=study, reward=self._reward(study)
        )

    def _reward(self, study: KnownStudy) -> Money:
        return Money(study.reward, self._stand_in.currency)

    def take(self, request: Request) -> Response:
        """Take a place as somebody new, and go to the study."""
        try:
            (made,) = self._stand_in.arrive(study=request.path_params["study"])
        except RefusedCall as refusal:
            return self._refused(refusal)
        response = RedirectResponse(self._stand_in.way_in(made.id), status_code=303)
        response.set_cookie(WHO, made.id, httponly=True, samesite="lax")
        return response

    def complete(self, request: Request) -> Response:
        """Where a study sends people at its end: coming here is what completes the submission."""
        code = request.query_params.get("cc", "")[:64]
        own = request.cookies.get(WHO, "")
        under_way = {each.id: each for each in self._stand_in.submissions if _is_open(each)}
        if own in under_way:
            return self._completed(own, code)
        return self._page(
            "end.html", title="Who are you?", code=code, choices=list(under_way.values()), told=""
        )

    def complete_for(self, request: Request) -> Response:
        """Complete a submission for somebody whose browser is not known."""
        code = request.query_params.get("cc", "")[:64]
        return self._completed(request.path_params["submission"], code)

    def _completed(self, submission: str, code: str) -> Response:
        try:
            done = self._stand_in.complete(submission, code)
        except RefusedCall as refusal:
            return self._refused(refusal)
        told = ENDED.get(done.status, done.status)
        response = self._page("end.html", title="Thank you", code=code, choices=[], told=told)
        response.delete_cookie(WHO)
        return response

    def give_back(self, request: Request) -> Response:
        """Give a place back for somebody."""
        return self._moved(lambda: self._stand_in.return_(request.path_params["submission"]))

    def run_out(self, request: Request) -> Response:
        """Let somebody's time be over."""
        return self._moved(lambda: self._stand_in.time_out(request.path_params["submission"]))

    def _moved(self, move: Any) -> Response:
        try:
            move()
        except RefusedCall as refusal:
            return self._refused(refusal)
        return RedirectResponse("/", status_code=303)

    def _refused(self, refusal: RefusedCall) -> Response:
        page = self._page(
            "end.html", title=refusal.title, code="", choices=[], told=str(refusal.detail)
        )
        page.status_code = refusal.status
        return page

    def _page(self, template: str, **given: Any) -> Response:
        shown = {"slim": True, **given}
        return HTMLResponse(self._templates.get_template(template).render(**shown))


def _is_open(submission: KnownSubmission) -> bool:
    return submission.status in ("ACTIVE", "RESERVED", "TIMED-OUT")
