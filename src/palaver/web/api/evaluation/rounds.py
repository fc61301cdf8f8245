"""Rounds of writing: looked at, stopped, closed; their examples judged, exported, imported."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Body, Path, Query, Request, Response
from pydantic import Field
from sqlalchemy import Connection

from palaver.core.errors import MissingError
from palaver.core.evaluation.bonuses import RoundBonuses
from palaver.core.evaluation.datasets import Access
from palaver.core.evaluation.round_sheets import RoundSheet
from palaver.core.evaluation.rounds import ClosedRound, ImportedRound, Round, WrittenExample
from palaver.evaluation.rounds import example_decisions, opening
from palaver.evaluation.rounds.closing import ACCESS, ClosingOptions
from palaver.evaluation.rounds.closing import close_round as close_written
from palaver.evaluation.rounds.contexts import contexts_of_round
from palaver.evaluation.rounds.example_list import Wanted, chosen_examples
from palaver.evaluation.rounds.examples import find_example, read_examples, read_written
from palaver.evaluation.rounds.exchange import Shape, export_examples
from palaver.evaluation.rounds.sheets import round_sheet
from palaver.evaluation.rounds.splits import SHARES
from palaver.storage.evaluation.rounds import find_round, list_rounds
from palaver.studies.intake.written_rounds import State
from palaver.studies.intake.written_rounds import import_round as import_written
from palaver.studies.run.round_bonuses import round_bonuses
from palaver.studies.run.rounds import open_study_round, stored_study_id
from palaver.web.api.access import Owner, Reviewer, Viewer, served_study
from palaver.web.api.errors import ANSWERS, FORBIDDEN, MISSING, TOO_LARGE, UNREADABLE
from palaver.web.api.evaluation.request import (
    TaskRequest,
    ViewedTask,
    in_thread,
    missing,
    most_bytes,
)
from palaver.web.api.models import Given
from palaver.web.api.records import RecordRouter
from palaver.web.desk.accounts import actor_of
from palaver.web.uploads import sent_file

router = RecordRouter(responses=ANSWERS, tags=["rounds"])

Number = Annotated[int, Path(ge=1, le=1_000_000, description="The number of a round.")]
Uid = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,80}-[0-9]{1,9}$")]
StudyName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
Words = Annotated[str, Query(max_length=200)]
Share = Annotated[float, Field(ge=0, le=1_000_000)]
CHANGED = {**FORBIDDEN, **MISSING, **UNREADABLE}
MOST_EXAMPLES = 1000
FILES = {"palaver": ("application/x-ndjson", "jsonl"), "dynabench": ("application/json", "json")}


@dataclass(frozen=True, slots=True)
class RoundList:
    """The rounds of a task, oldest first."""

    rounds: list[Round]


@dataclass(frozen=True, slots=True)
class ExampleList:
    """Examples of a round in the order they were written; `n` counts all that were asked for."""

    examples: list[WrittenExample]
    n: int


class NewRound(Given):
    """The study, one of those that are served here, whose file says what the round is to be."""

    study: StudyName


class Closing(Given):
    """How a round is closed; see `palaver round close`."""

    shares: dict[Annotated[str, Field(max_length=10)], Share] = Field(
        default_factory=lambda: dict(SHARES)
    )
    access: dict[Annotated[str, Field(max_length=10)], Access] = Field(
        default_factory=lambda: dict(ACCESS)
    )
    contexts_apart: bool = False
    right: bool = False
    noted: list[Annotated[str, Field(max_length=20)]] = Field(default_factory=list, max_length=5)
    anyway: bool = False
    prefix: Annotated[str, Field(pattern=r"^[a-zA-Z0-9-]{0,50}$")] = ""
    seed: Annotated[str, Field(max_length=200)] = ""


class OwnVerdict(Given):
    """What whoever owns the task says of an example; null takes an earlier verdict back."""

    verdict: Annotated[str, Field(max_length=20)] | None
    why: Annotated[str, Field(max_length=2000)] = ""


@router.get("/tasks/{task}/rounds", responses=MISSING)
async def list_task_rounds(asked: ViewedTask, person: Viewer) -> RoundList:
    """The rounds of a task, oldest first."""
    return RoundList(await asked.read(lambda c: list_rounds(c, asked.row.id)))


@router.post("/tasks/{task}/rounds", status_code=201, responses=CHANGED)
async def open_round(
    request: Request, asked: ViewedTask, person: Owner, wanted: Annotated[NewRound, Body()]
) -> Round:
    """Open the next round of a study that is served here, as its file says now."""
    study = served_study(asked.deployment, wanted.study).definition

    def made() -> Round:
        study_id = stored_study_id(asked.home, study)
        by = actor_of(request, person, "api")
        return open_study_round(asked.home, study, study_id=study_id, now=asked.now, by=by)

    return await in_thread(made)


@router.get("/tasks/{task}/rounds/{number}", responses=MISSING)
async def show_round(asked: ViewedTask, person: Viewer, number: Number) -> RoundSheet:
    """A round: error rates with intervals, contexts and goals, what was noticed, who judged how."""

    def sheet() -> RoundSheet:
        return asked.home.store.read_now(
            lambda c: round_sheet(asked.home, c, read_written(c, _round(c, asked, number)))
        )

    with missing():
        return await in_thread(sheet)


@router.post("/tasks/{task}/rounds/{number}/stop", responses=CHANGED)
async def stop_round(request: Request, asked: ViewedTask, person: Owner, number: Number) -> Round:
    """Seat nobody more; who writes now finishes."""
    by = actor_of(request, person, "api")
    return await asked.write(
        lambda c: opening.stop_round(c, _round(c, asked, number), by=by, now=asked.now)
    )


@router.post("/tasks/{task}/rounds/{number}/resume", responses=CHANGED)
async def resume_round(request: Request, asked: ViewedTask, person: Owner, number: Number) -> Round:
    """Open a stopped round again."""
    by = actor_of(request, person, "api")
    return await asked.write(
        lambda c: opening.resume_round(c, _round(c, asked, number), by=by, now=asked.now)
    )


@router.post("/tasks/{task}/rounds/{number}/close", responses=CHANGED)
async def close_round(
    request: Request,
    asked: ViewedTask,
    person: Owner,
    number: Number,
    wanted: Annotated[Closing, Body()],
) -> ClosedRound:
    """Make data sets of what was verified and plan the runs of every model on them.

    No writer is in two splits. `new` is false where the round was closed before; then nothing changes.
    """
    by = actor_of(request, person, "api")
    chosen = ClosingOptions(**{**wanted.model_dump(), "noted": tuple(wanted.noted)})
    found = await asked.read(lambda c: _round(c, asked, number))
    return await in_thread(
        lambda: close_written(asked.home, asked.row, found, options=chosen, by=by, now=asked.now)
    )


@router.get("/tasks/{task}/rounds/{number}/examples", responses=MISSING)
async def list_examples(
    asked: ViewedTask,
    person: Viewer,
    number: Number,
    *,
    state: Words = "",
    model: Words = "",
    writer: Words = "",
    label: Words = "",
    tag: Words = "",
    note: Words = "",
    after: Annotated[int, Query(ge=0, le=10_000_000, description="How many to pass over.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_EXAMPLES)] = 100,
) -> ExampleList:
    """What people wrote, with its judgements and what became of it."""
    wanted = Wanted(state=state, model=model, writer=writer, label=label, tag=tag, note=note)
    found = chosen_examples(await _examples(asked, number), wanted)
    return ExampleList(found[after : after + limit], len(found))


@router.get("/tasks/{task}/rounds/{number}/examples/{uid}", responses=MISSING)
async def show_example(
    asked: ViewedTask, person: Viewer, number: Number, uid: Uid
) -> WrittenExample:
    """One example with everything that was said of it."""

    def read() -> WrittenExample | None:
        return asked.home.store.read_now(lambda c: find_example(c, _round(c, asked, number), uid))

    with missing():
        found = await in_thread(read)
    if found is None:
        raise MissingError(f"Round {number} of '{asked.row.name}' has no example '{uid}'.")
    return found


@router.post("/tasks/{task}/rounds/{number}/examples/{uid}/verdict", responses=CHANGED)
async def settle_example(
    request: Request,
    asked: ViewedTask,
    person: Owner,
    number: Number,
    uid: Uid,
    wanted: Annotated[OwnVerdict, Body()],
) -> WrittenExample:
    """Settle an example as the owner of the task: correct, incorrect, flagged; null takes it back."""
    by = actor_of(request, person, "api")
    return await asked.write(
        lambda c: example_decisions.give_verdict(
            c,
            _round(c, asked, number),
            uid,
            wanted.verdict,
            why=wanted.why,
            by=by,
            now=asked.now,
        )
    )


@router.get(
    "/tasks/{task}/rounds/{number}/export",
    responses={
        **MISSING,
        200: {
            "description": "The file.",
            "content": {media: {} for media, _ in FILES.values()},
        },
    },
)
async def export_round(
    asked: ViewedTask, person: Reviewer, number: Number, format: Shape = "palaver"
) -> Response:
    """The examples with their judgements, as our own JSON lines or as Dynabench exports them.

    Nobody in the file is named.
    """

    def content() -> bytes:
        found = asked.home.store.read_now(lambda c: _round(c, asked, number))
        examples = asked.home.store.read_now(lambda c: read_examples(c, found))
        contexts = contexts_of_round(asked.home, found)
        return export_examples(found, examples, contexts, shape=format)

    with missing():
        made = await in_thread(content)
    media, ending = FILES[format]
    name = f"{asked.row.name}-r{number}.{ending}"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(made, media_type=media, headers=headers)


@router.post(
    "/tasks/{task}/rounds/import",
    responses={**CHANGED, **TOO_LARGE},
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
            },
        }
    },
)
async def import_round(
    request: Request,
    asked: ViewedTask,
    person: Owner,
    *,
    study: Annotated[
        str, Query(pattern=r"^([a-z0-9][a-z0-9-]{0,63})?$", description="The study to hold it.")
    ] = "",
    state: State = "closed",
    matching: Annotated[int | None, Query(ge=1, le=100)] = None,
    filename: Annotated[str, Query(min_length=1, max_length=120)] = "examples.jsonl",
) -> ImportedRound:
    """Store an export of Palaver or Dynabench, which is the body, as a round that is over.

    `new` is false where this file is a round already.
    """
    by = actor_of(request, person, "api")
    async with sent_file(request, name=filename, most=most_bytes(asked.home)) as sent:
        return await in_thread(
            lambda: import_written(
                asked.home,
                asked.row,
                sent.path.read_bytes(),
                name=filename,
                study=study,
                state=state,
                matching=matching,
                by=by,
                now=asked.now,
            )
        )


@router.get("/tasks/{task}/rounds/{number}/bonuses", responses={**FORBIDDEN, **MISSING})
async def list_bonuses(
    asked: ViewedTask,
    person: Owner,
    number: Number,
    ids: Annotated[bool, Query(description="Whether to say what panels call people.")] = False,
) -> RoundBonuses:
    """What people are owed beside their pay, and what it rests on. Nothing is paid from here."""

    def found() -> RoundBonuses:
        return asked.home.store.read_now(
            lambda c: round_bonuses(c, _round(c, asked, number), ids=ids)
        )

    with missing():
        return await in_thread(found)


async def _examples(asked: TaskRequest, number: int) -> tuple[WrittenExample, ...]:
    def read() -> tuple[WrittenExample, ...]:
        return asked.home.store.read_now(lambda c: read_examples(c, _round(c, asked, number)))

    with missing():
        return await in_thread(read)


def _round(connection: Connection, asked: TaskRequest, number: int) -> Round:
    return find_round(connection, asked.row.id, number)
