"""The waiting room's socket: an open page is a person who waits.

Once a second the server looks whether somebody came. The first of two to look seats both; the other
finds its seat taken care of at its next look, on whichever process it is.
"""

import asyncio

from starlette.requests import HTTPConnection
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from palaver.collection.pairing import Seated, SeatSeeker, Waiting, estimate, seat_with_system
from palaver.core.errors import PalaverError, StoreUnavailableError
from palaver.core.numbers import whole_number
from palaver.core.studies.visits import ACTIVE
from palaver.storage.dialogues.dialogues import dialogues_of_assignment
from palaver.storage.people.participants import Assignment, get_assignment
from palaver.storage.people.queue import recent_waits
from palaver.studies.run import flow
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.web.participant.rooms.routes import OUT_OF_DATE
from palaver.web.participant.routes import end_waiting, find_seat
from palaver.web.participant.visit import read_visit, visit_path

LOOK_SECONDS = 1.0
SAY_EVERY = 10


async def wait(socket: WebSocket) -> None:
    """Keep somebody company until a partner comes or the time is over."""
    await socket.accept()
    deployment: Deployment = socket.app.state.deployment
    key = socket.path_params["assignment"]
    if not _may_wait(socket, key):
        await socket.close(OUT_OF_DATE)
        return
    watching = asyncio.create_task(_until_closed(socket))
    try:
        while not watching.done():
            if await _look(socket, deployment, key):
                return
            await asyncio.wait({watching}, timeout=LOOK_SECONDS)
    except WebSocketDisconnect:
        return
    finally:
        watching.cancel()


async def _look(socket: WebSocket, deployment: Deployment, key: str) -> bool:
    """Try once; True when there is nothing left to wait for."""
    stage = whole_number(socket.path_params["stage"])
    try:
        assignment = await deployment.store.read(lambda c: get_assignment(c, key))
        study = deployment.study(assignment.study)
        if stage is None or assignment.state != ACTIVE or assignment.step != f"stage:{stage}":
            return await _go_on(socket, key, "over")
        if isinstance(await _here(deployment, study, assignment), flow.Chatting):
            return await _go_on(socket, key, "seated")
        outcome = await find_seat(deployment, study, assignment, stage)
        if not isinstance(outcome, Waiting):
            return await _go_on(socket, key, "seated")
        return await _keep_waiting(socket, deployment, study, assignment, stage, outcome)
    except StoreUnavailableError:
        return False  # the database is away; the next look may find it back


async def _keep_waiting(
    socket: WebSocket,
    deployment: Deployment,
    study: RunningStudy,
    assignment: Assignment,
    stage: int,
    outcome: Waiting,
) -> bool:
    waited = deployment.clock.now() - outcome.since
    limit = study.plans[stage].limits.waiting
    if limit is not None and waited > limit:
        await _nobody_came(deployment, study, assignment, stage)
        return await _go_on(socket, assignment.key, "over")
    if int(waited) % SAY_EVERY == 0:
        study_id = study.id
        waits = await deployment.store.read(lambda c: recent_waits(c, study_id=study_id))
        await socket.send_json(
            {"type": "estimate", "text": estimate(waits, waited), "waited": round(waited, 1)}
        )
    return False


async def _nobody_came(
    deployment: Deployment, study: RunningStudy, assignment: Assignment, stage: int
) -> None:
    plan = study.plans[stage]
    person = SeatSeeker(assignment.id, assignment.participant_id, assignment.key)
    holder, now = deployment.store.holder, deployment.clock.now()
    seated: Seated | None = await deployment.store.write(
        lambda c: seat_with_system(c, plan, person, holder=holder, now=now)
    )
    if seated is None:
        await end_waiting(deployment, study, assignment)
        return
    for lease in seated.leases:
        await deployment.driver.drive(lease)


async def _here(deployment: Deployment, study: RunningStudy, assignment: Assignment) -> flow.Where:
    dialogues = await deployment.store.read(lambda c: dialogues_of_assignment(c, assignment.id))
    return flow.where(study.definition, assignment, dialogues)


async def _go_on(socket: WebSocket, key: str, kind: str) -> bool:
    await socket.send_json({"type": kind, "next": visit_path(key)})
    return True


def _may_wait(connection: HTTPConnection, key: str) -> bool:
    try:
        return read_visit(connection) == key
    except PalaverError:
        return False


async def _until_closed(socket: WebSocket) -> None:
    try:
        while True:
            await socket.receive_text()
    except WebSocketDisconnect:
        return


routes = [WebSocketRoute("/take/{assignment}/waiting/{stage}", wait)]
