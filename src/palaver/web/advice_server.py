"""A model that advises, served by the web API of the challenge, with a page to try it.

`POST /api/askbatch` takes `{"instances": [{"title", "selftext", "subreddit"}, …]}` and answers with
`{"gens": ["…", …]}`, as many and in the same order; `POST /api/ask` takes one instance and answers with
`{"instance": …, "gen": "…"}`. Other sites may call both. What is wrong with a request is said as
`{"error": "…"}` with a status of its own; `legacy` answers as the first servers of this kind did.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route

from palaver.core.errors import InputError, SystemFailureError
from palaver.core.situations import AdvisingModel, parameter_words
from palaver.core.words import listed, shortened
from palaver.web.app import StaticModules
from palaver.web.crashes import Crashes
from palaver.web.model_server import JSON, ServedModel, read_body
from palaver.web.rendering import STATIC, Renderer
from palaver.web.security import SecurityHeaders
from palaver.web.shell import Shell

MOST_BYTES = 16 * 1024 * 1024
MOST_INSTANCES = 10_000
SUBREDDIT = "Advice"
TARGET = "advice"
NEEDED = ("title", "selftext")

Legacy = Literal["tfidf", "grover", "t5"]
LEGACY: tuple[Legacy, ...] = get_args(Legacy)
# What the server by that name could write beside advice.
_TARGETS: Mapping[Legacy, frozenset[str]] = {
    "grover": frozenset({"subreddit", "date", "title", "selftext", TARGET}),
    "t5": frozenset({TARGET}),
}

Instance = dict[str, Any]


class _KnownError(Exception):
    """What a server of the first hour would have answered instead."""

    def __init__(self, content: Any, *, status: int = 200) -> None:
        super().__init__(status)
        self.content = content
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class TryPage:
    """The page to try a model: what was written, and what came of it."""

    template: ClassVar[str] = "advice_try.html"

    model: AdvisingModel
    kind: str
    subreddit: str = SUBREDDIT
    title: str = ""
    selftext: str = ""
    advice: str | None = None
    problem: str = ""
    shell: Shell = field(default_factory=lambda: Shell(title="Ask for advice"))

    @property
    def told(self) -> list[str]:
        """Who the model is, in few words."""
        card = self.model
        size = None if card.parameters is None else f"{parameter_words(card.parameters)} parameters"
        name = card.name if card.name != card.title else ""
        known = (name, card.team, size, card.date, f"asked as {self.kind}" if self.kind else "")
        return [each for each in known if each]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvisingServer:
    """A model that has been started, and what the page says of it."""

    model: ServedModel
    card: AdvisingModel
    kind: str = ""
    legacy: Legacy | None = None

    async def advise(self, instances: Sequence[Instance]) -> list[str]:
        """A text for each instance, in their order."""
        questions = [
            {
                "uid": f"instance-{number}",
                "title": each["title"],
                "situation": each["selftext"],
                "subreddit": each["subreddit"],
            }
            for number, each in enumerate(instances, start=1)
        ]
        records = await self.model.answers(questions) if questions else []
        return [_text(record, number) for number, record in enumerate(records, start=1)]

    def read_batch(self, body: bytes) -> list[Instance]:
        """The instances of a request to `askbatch`."""
        content = _decoded(body)
        instances = content.get("instances")
        if not isinstance(instances, list):
            told = "is missing" if "instances" not in content else f"is {_shown(instances)}"
            raise HTTPException(400, f"'instances' {told}; expected a list of situations.")
        if len(instances) > MOST_INSTANCES:
            told = f"{len(instances):,} instances in one request; send at most {MOST_INSTANCES:,}."
            raise HTTPException(413, told)
        self._check_target(content, single=False)
        return [self._instance(each, f"instances[{n}]: ") for n, each in enumerate(instances)]

    def read_single(self, body: bytes) -> tuple[Instance, Instance]:
        """The instance of a request to `ask`, as it came and as it is asked."""
        content = _decoded(body)
        self._check_target(content, single=True)
        return content, self._instance(content, "")

    def _check_target(self, content: Instance, *, single: bool) -> None:
        """Refuse a target that is not known, in the words of the server that is stood in for."""
        if self.legacy == "tfidf":
            return
        if self.legacy == "t5" and "target" not in content:
            raise _KnownError("Internal Server Error", status=500)
        target = content.get("target", TARGET)
        if self.legacy is not None and target not in _TARGETS[self.legacy]:
            if self.legacy == "grover" and not single:
                raise _KnownError({"gens": "error"})
            echoed = content if single else (content.get("instances") or [None])[0]
            raise _KnownError({"instance": echoed, "gen": "Error"})
        if target != TARGET:
            told = f"'target' is {_shown(target)}; this model writes 'advice'. Leave it out."
            raise HTTPException(400, told)

    def _instance(self, given: Any, where: str) -> Instance:
        if not isinstance(given, dict):
            raise HTTPException(400, f"{where}expected an object; got {_shown(given)}.")
        missing = [name for name in NEEDED if name not in given]
        is_strict = self.legacy == "t5" and "subreddit" not in given
        if self.legacy is not None and (missing or is_strict):
            raise _KnownError("Internal Server Error", status=500)
        if missing:
            names = listed([f"'{name}'" for name in missing])
            told = "is missing" if len(missing) == 1 else "are missing"
            raise HTTPException(400, f"{where}{names} {told}.")
        found = {"subreddit": SUBREDDIT, **given}
        for name in (*NEEDED, "subreddit"):
            if not isinstance(found[name], str):
                told = f"{where}'{name}' must be a text; got {_shown(found[name])}."
                raise HTTPException(400, told)
        return found


def advice_app(server: AdvisingServer) -> Starlette:
    """The application around a model that has been started."""
    renderer = Renderer()

    def page(values: Mapping[str, Any], status: int = 200) -> Response:
        shown = TryPage(model=server.card, kind=server.kind, **values)
        return HTMLResponse(renderer.render(shown), status)

    async def read(request: Request) -> Response:
        given = {name: request.query_params.get(name, "") for name in NEEDED}
        subreddit = request.query_params.get("subreddit") or SUBREDDIT
        return page({**given, "subreddit": subreddit})

    async def write(request: Request) -> Response:
        form = await request.form(max_fields=10, max_part_size=1024**2)
        given = {name: str(form.get(name, "")) for name in NEEDED}
        given["subreddit"] = str(form.get("subreddit") or SUBREDDIT)
        try:
            (advice,) = await server.advise([given])
        except (SystemFailureError, InputError) as error:
            return page({**given, "problem": str(error)}, 500)
        return page({**given, "advice": advice})

    async def health(request: Request) -> Response:
        return _json({"status": "ok", "model": server.card.name})

    return Starlette(
        routes=[
            Route("/", read),
            Route("/", write, methods=["POST"]),
            Route("/health", health),
            Mount("/api", app=_api(server)),
            Mount("/static", app=StaticModules(directory=STATIC)),
        ],
        middleware=[Middleware(SecurityHeaders), Middleware(Crashes, answer=_page_crash)],
    )


def _api(server: AdvisingServer) -> Starlette:
    async def askbatch(request: Request) -> Response:
        instances = server.read_batch(await read_body(request, most=MOST_BYTES))
        return _json({"gens": await server.advise(instances)})

    async def ask(request: Request) -> Response:
        came, instance = server.read_single(await read_body(request, most=MOST_BYTES))
        (text,) = await server.advise([instance])
        return _json({"instance": came, "gen": text})

    return Starlette(
        routes=[
            Route("/askbatch", askbatch, methods=["POST"]),
            Route("/ask", ask, methods=["POST"]),
        ],
        exception_handlers={
            HTTPException: _refusal,
            _KnownError: _as_known,
            SystemFailureError: _failure,
            InputError: _failure,
        },
        middleware=[
            Middleware(CORSMiddleware, allow_origins=["*"], allow_methods=["POST"]),
            Middleware(Crashes, answer=_crash),
        ],
    )


def _decoded(body: bytes) -> Instance:
    try:
        content = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise HTTPException(400, f"The body is not JSON: {error}.") from None
    if not isinstance(content, dict):
        raise HTTPException(400, f"Expected a JSON object; got {_shown(content)}.")
    return content


def _text(record: Any, number: int) -> str:
    text = record.get("advice") if isinstance(record, Mapping) else None
    if not isinstance(text, str):
        told = (
            f"The model gave no text as 'advice' for instance {number}; it gave {_shown(record)}."
        )
        raise SystemFailureError("garbage", told)
    return text


def _shown(value: Any) -> str:
    return shortened(msgspec.json.encode(value, enc_hook=repr).decode(), 60)


def _json(value: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type=JSON)


async def _refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    told = error.detail
    if error.status_code == 404:
        told = f"Nothing is at {request.url.path}. This server has /api/askbatch and /api/ask."
    elif error.status_code == 405:
        told = f"{request.url.path} takes POST; got {request.method}."
    return _json({"error": told}, error.status_code)


async def _as_known(request: Request, error: Exception) -> Response:
    assert isinstance(error, _KnownError)
    if error.status >= 500:
        return PlainTextResponse(str(error.content), error.status)
    return _json(error.content, error.status)


async def _failure(request: Request, error: Exception) -> Response:
    return _json({"error": f"The model failed: {error}"}, 500)


async def _crash(request: Request, reference: str) -> Response:
    return _json({"error": f"Something went wrong here ({reference})."}, 500)


async def _page_crash(request: Request, reference: str) -> Response:
    return PlainTextResponse(f"Something went wrong here ({reference}).", 500)
