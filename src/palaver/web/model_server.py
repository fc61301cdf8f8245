"""A model served over HTTP, with the protocols by which evaluation servers ask models.

`POST /predictions/NAME` takes one JSON object and answers with one, or several objects on a line
each and answers so too (TorchServe, dynalab). `POST /model/single_evaluation` and
`/model/batch_evaluation` are Dynabench's newer pair. `GET /ping` says whether the model is ready.
"""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from palaver.core.errors import InputError, SystemFailureError
from palaver.core.protocols import Predictor
from palaver.core.tasks import Task
from palaver.systems.signatures import signature_of, signed_of
from palaver.web.connections import behind_a_gate
from palaver.web.crashes import Crashes
from palaver.web.settings import Settings
from palaver.web.socket import TellingServer

LARGEST_BODY = 64 * 1024 * 1024
JSON = "application/json"

Question = dict[str, Any]

_encode = msgspec.json.encode
_decode_question = msgspec.json.Decoder(Question).decode


class Samples(msgspec.Struct):
    """The body of a batch evaluation."""

    dataset_samples: list[Question]


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model under its name; with a secret and a task every answer is signed."""

    name: str
    predictor: Predictor
    task: Task | None = None
    secret: str = ""

    async def answers(self, questions: Sequence[Question]) -> list[Any]:
        """The records that go out, in the order of the questions."""
        given = [
            {**question, "uid": question.get("uid", question.get("id", "0"))}
            for question in questions
        ]
        size = self.predictor.batch
        batches = [given[start : start + size] for start in range(0, len(given), size)]
        found = await asyncio.gather(*map(self.predictor.predict, batches))
        replies = [reply for batch in found for reply in batch]
        return [
            self._finished(question, reply.record)
            for question, reply in zip(given, replies, strict=True)
        ]

    def _finished(self, question: Question, record: Any) -> Any:
        """The record with its id, signed if there is a secret."""
        if not isinstance(record, Mapping):
            return record
        outputs = {key: value for key, value in record.items() if key not in ("id", "uid")}
        answer = {"id": question["uid"], **outputs}
        if self.secret and self.task is not None:
            _check_complete(question, self.task)
            answer["signature"] = signature_of(self.secret, self.task, question, record)
            answer["signed"] = signed_of(self.secret, self.task, question, record)
        return answer


def _check_complete(question: Question, task: Task) -> None:
    missing = [each.name for each in task.asked if each.name not in question]
    if missing:
        raise HTTPException(
            400,
            f"The question has no '{missing[0]}'. The task {task.name} sends "
            f"{', '.join(each.name for each in task.asked)}, and answers are signed over these fields.",
        )


def model_app(model: ServedModel) -> Starlette:
    """The application around a model that has been started."""

    async def ping(request: Request) -> Response:
        return _json({"status": "Healthy"})

    async def predictions(request: Request) -> Response:
        asked = request.path_params["model"]
        if asked != model.name:
            raise HTTPException(
                404, f"No model '{asked}' here. This server has /predictions/{model.name}."
            )
        questions, joined = read_questions(await read_body(request))
        answers = await model.answers(questions)
        if not joined:
            return _json(answers[0])
        return Response(b"\n".join(map(_encode, answers)) + b"\n", media_type=JSON)

    async def single_evaluation(request: Request) -> Response:
        return _json((await model.answers([_question(await read_body(request))]))[0])

    async def batch_evaluation(request: Request) -> Response:
        try:
            samples = msgspec.json.decode(await read_body(request), type=Samples)
        except msgspec.DecodeError as error:
            expected = '{"dataset_samples": [{…}, …]}'
            raise HTTPException(400, f"Expected {expected}; {error}.") from None
        return _json(await model.answers(samples.dataset_samples))

    return Starlette(
        routes=[
            Route("/ping", ping),
            Route("/predictions/{model}", predictions, methods=["POST"]),
            Route("/model/single_evaluation", single_evaluation, methods=["POST"]),
            Route("/model/batch_evaluation", batch_evaluation, methods=["POST"]),
        ],
        exception_handlers={
            HTTPException: _refusal,
            SystemFailureError: _failure,
            InputError: _failure,
        },
        middleware=[Middleware(Crashes, answer=_crash)],
    )


def read_questions(body: bytes) -> tuple[list[Question], bool]:
    """The questions of a body, and whether there is one on each line."""
    try:
        return [_decode_question(body)], False
    except msgspec.DecodeError as error:
        lines = [line for line in body.split(b"\n") if line.strip()]
        if len(lines) < 2:
            raise _not_json(error) from None
    questions = []
    for number, line in enumerate(lines, 1):
        try:
            questions.append(_decode_question(line))
        except msgspec.DecodeError as error:
            raise HTTPException(
                400, f"Line {number} of {len(lines)} is not a JSON object: {error}."
            ) from None
    return questions, True


def serve_model(
    model: ServedModel, listening: socket.socket, *, started: Callable[[], None] = lambda: None
) -> None:
    """Serve a model at a socket until Ctrl-C or SIGTERM, then close it."""
    serve_app(model_app(model), model.predictor, listening, started=started)


def serve_app(
    app: Starlette,
    predictor: Predictor,
    listening: socket.socket,
    *,
    started: Callable[[], None] = lambda: None,
) -> None:
    """Serve an application around a predictor until Ctrl-C or SIGTERM, then close that."""
    config = uvicorn.Config(
        app,
        http=behind_a_gate(Settings().connections),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    # Uvicorn raises the signal again once it has ended in good order.
    with (
        contextlib.suppress(KeyboardInterrupt),
        asyncio.Runner(loop_factory=config.get_loop_factory()) as runner,
    ):
        runner.run(_serve(predictor, TellingServer(config, started), listening))


async def _serve(predictor: Predictor, server: uvicorn.Server, listening: socket.socket) -> None:
    try:
        await predictor.start()
        await server.serve(sockets=[listening])
    finally:
        await predictor.close()


def _question(body: bytes) -> Question:
    try:
        return _decode_question(body)
    except msgspec.DecodeError as error:
        raise _not_json(error) from None


def _not_json(error: msgspec.DecodeError) -> HTTPException:
    return HTTPException(400, f"Expected one JSON object with the fields of a question; {error}.")


async def read_body(request: Request, *, most: int = LARGEST_BODY) -> bytes:
    """The body of a request; HTTPException if it is larger than `most` bytes."""
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > most:
            raise HTTPException(413, f"The body is over {most // 1024**2} MiB; send less.")
    return bytes(content)


def _json(value: Any, status: int = 200) -> Response:
    return Response(_encode(value), status, media_type=JSON)


async def _refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _problem(error.status_code, "InvalidRequest", error.detail)


async def _crash(request: Request, reference: str) -> Response:
    return _problem(500, "InternalServerError", f"Something went wrong ({reference}).")


async def _failure(request: Request, error: Exception) -> Response:
    return _problem(500, "ModelFailure", str(error))


def _problem(status: int, kind: str, message: str) -> Response:
    """An error in the shape that TorchServe gives it."""
    return _json({"code": status, "type": kind, "message": message}, status)
