"""Rating pages to look at: a question of every kind, and a small server that echoes what is sent."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp

from palaver.core.errors import AnswerError
from palaver.core.questions.aspects import Aspects
from palaver.core.questions.comparative import SIDES
from palaver.core.questions.options import Option
from palaver.core.questions.question import Question, Shown
from palaver.core.questions.ranking import Ranking
from palaver.core.questions.spans import Spans
from palaver.studies.file.questions import built_in_question
from palaver.web.app import StaticModules
from palaver.web.participant.rating.pages import Asked, Line, RatePage, ShownTranscript
from palaver.web.rendering import STATIC, Renderer
from palaver.web.security import SecurityHeaders
from palaver.web.shell import Shell
from support.serving import free_port

# An emoji is one code point and two of JavaScript's units; a page that miscounts is caught by it.
TURN = "Oh 🦆 no! Rome is in Spain,\r\nand you sound <tired>."
SHELL = Shell(title="How people talk", step=2, steps=3, csrf="token-1", problem_url="/problem")


def built_in(name: str) -> Question:
    """A question that ships with Palaver."""
    question = built_in_question(name)
    assert question is not None, name
    return question


ASPECTS = Aspects(
    name="impression",
    text="How would you describe {speaker}?",
    aspects=(
        Option(id="kind", text="{speaker} is kind"),
        Option(id="clever", text="{speaker} is clever", help="Knows things, or works them out."),
        Option(id="funny", text="{speaker} is funny"),
    ),
    anchors={1: "Not at all", 5: "Very much"},
)
RANKING = Ranking(
    name="order",
    text="What matters most to you in a partner?",
    help="Put the most important one first.",
    options=(
        Option(id="listens", text="Listens well"),
        Option(id="knows a lot", text="Knows a lot"),
        Option(id="laughs", text="Laughs with you", help="And not about you."),
        Option(id="answers", text="Answers quickly"),
    ),
)
SPANS = Spans(
    name="marks",
    text="Which words of {speaker} are wrong or kind?",
    speaker="system",
    options=(
        Option(id="wrong", text="Wrong"),
        Option(id="kind", text="Kind", help="To {partner}."),
    ),
)
# By kind: a question, the turn it is asked of (if it is asked of one), and an answer to it.
QUESTIONS: dict[str, tuple[Question, Any]] = {
    "aspects": (ASPECTS, {"kind": 4, "clever": 2, "funny": 5}),
    "choice": (built_in("nuggets"), "HNUG"),
    "comparative": (built_in("preference"), "b"),
    "flow": (
        built_in("knowledge"),
        {"facts": ["uses_facts"], "accuracy": "unsure", "search": "disputed"},
    ),
    "likert": (built_in("would_talk_again"), 4),
    "multiselect": (built_in("consistency_label"), ["self_contradiction", "redundant"]),
    "ranking": (RANKING, ["laughs", "listens", "answers", "knows a lot"]),
    "slider": (built_in("overall_score"), 72),
    "spans": (SPANS, [{"start": 9, "end": 26, "label": "wrong"}]),
    "text": (built_in("overall_comment"), "It was <good>.\n\nMostly."),
    "thumbs": (built_in("thumbs"), "up"),
}
TALK = (
    Line(side="partner", speaker="Sam", text="Hello! How was your day?"),
    Line(side="own", speaker="Alex", text="Long. I was in Spain this morning."),
    Line(side="partner", speaker="Sam", text="In Spain? How did you get back so fast?"),
    Line(side="own", speaker="Alex", text=TURN),
)


def ask(question: Question, *, turn: int | None = None, **options: Any) -> Asked:
    """A question as it stands on a page."""
    field = f"answer-{question.name}" + ("" if turn is None else f"-{turn}")
    shown = {
        "turn": Shown(role="system", seat=1, text=TURN),
        "pair": Shown(order=SIDES),
        "dialogue": Shown(),
    }[question.about]
    options.setdefault("shown", shown)
    options.setdefault("speaker", "Alex")
    options.setdefault("partner", "Sam")
    return Asked(question=question, field=field, **options)


def page_of(question: Question, **options: Any) -> RatePage:
    """The page on which a question stands alone: under a turn, beside a talk, or below two."""
    asked = ask(question, turn=4 if question.about == "turn" else None, **options)
    page = RatePage(
        shell=SHELL,
        action="/echo",
        conversations=(ShownTranscript(letter="", lines=TALK),),
        title="Judge the conversation",
        guides=(question,) if question.definition else (),
    )
    if question.about == "turn":
        lines = (*TALK[:-1], replace(TALK[-1], asked=(asked,)))
        return replace(page, conversations=(ShownTranscript(letter="", lines=lines),))
    if question.about == "pair":
        sides = (ShownTranscript(letter="A", lines=TALK), ShownTranscript(letter="B", lines=TALK))
        return replace(page, conversations=sides, asked=(asked,), title="Compare")
    return replace(page, asked=(asked,))


def turn_by_turn(question: Question, *, turns: int = 3, **page: Any) -> RatePage:
    """A page that asks a question of several turns of a talk."""
    lines: list[Line] = []
    for number in range(1, turns + 1):
        lines.append(Line(side="partner", speaker="Sam", text=f"What about {number}?"))
        said = Line(side="own", speaker="Alex", text=f"{TURN} That was number {number}.")
        lines.append(replace(said, asked=(ask(question, turn=number * 2),)))
    return RatePage(
        shell=SHELL,
        action="/echo",
        conversations=(ShownTranscript(letter="", lines=tuple(lines)),),
        title="Judge the replies of Alex",
        guides=(question,),
        **page,
    )


def read_form(page: RatePage, form: list[tuple[str, str]]) -> dict[str, Any]:
    """What a page's questions make of a form: the value of each field, or what it refuses."""
    found: dict[str, Any] = {}
    for asked in page.every:
        fields: dict[str, list[str]] = {}
        for name, value in form:
            field, _, part = name.partition(":")
            if field == asked.field:
                fields.setdefault(part, []).append(value)
        answer = asked.question.parse(fields)
        try:
            found[asked.field] = (
                None if answer is None else asked.question.read(answer, asked.shown)
            )
        except AnswerError as error:
            found[asked.field] = f"refused: {error}"
    return found


@contextmanager
def serving(shown: dict[str, Any], routes: Sequence[BaseRoute] = ()) -> Iterator[str]:
    """A server for some pages, under their names, with the headers of the real one."""
    renderer = Renderer()

    async def show(request: Request) -> HTMLResponse:
        return HTMLResponse(renderer.render(shown[request.path_params["name"]]))

    async def echo(request: Request) -> JSONResponse:
        form = [(name, str(value)) for name, value in (await request.form()).multi_items()]
        page = shown[request.headers["referer"].rpartition("/")[2].partition("#")[0]]
        return JSONResponse({"values": read_form(page, form), "sent": form})

    app = Starlette(
        routes=[
            *routes,
            Route("/favicon.ico", lambda request: Response(status_code=204)),
            Route("/echo", echo, methods=["POST"]),
            Mount("/static", StaticModules(directory=STATIC)),
            Route("/{name}", show),
        ]
    )
    with running(SecurityHeaders(app)) as base:
        yield base


@contextmanager
def running(app: ASGIApp) -> Iterator[str]:
    """An application on a thread of its own, and its address."""
    port = free_port()
    config = uvicorn.Config(app, port=port, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            thread.join(0.01)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
