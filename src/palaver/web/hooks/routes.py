"""The address that a panel's web hooks call: checked over the raw bytes, kept, and answered at once.

What a hook says is applied by the recruiter afterwards; a hook that comes twice is kept once. Whoever
cannot sign learns nothing but that the request was not accepted.
"""

import asyncio
import time

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import AccessError, InputError
from palaver.core.logs import get_log
from palaver.crowds.prolific.hooks import MOST_BYTES, read_event
from palaver.crowds.secrets import PROLIFIC_HOOK, read_secret
from palaver.studies.recruiting.places.recruiter import Recruiter
from palaver.studies.recruiting.submissions.hooks import HOOK_PATH
from palaver.studies.recruiting.submissions.news import take_hook
from palaver.studies.run.deployment import Deployment

log = get_log(__name__)


async def prolific(request: Request) -> Response:
    """Keep what Prolific tells: 204 once it is kept, also if it came before."""
    deployment: Deployment = request.app.state.deployment
    body = await _body(request)
    if body is None:
        return PlainTextResponse("A hook is smaller than this.", 413)
    try:
        secret = await asyncio.to_thread(read_secret, PROLIFIC_HOOK)
        # Signatures carry the time of the wall, whatever the deployment's own clock says.
        event = read_event(request.headers, body, secret=secret or "", now=time.time())
    except AccessError as error:
        log.warning("hook_refused", error=str(error))
        return PlainTextResponse("Nothing was kept.", 403)
    except InputError as error:
        log.warning("hook_not_understood", error=str(error))
        return PlainTextResponse("Nothing was kept.", 422)
    if await take_hook(deployment, event):
        Recruiter.of(deployment).wake()
    return Response(status_code=204)


async def _body(request: Request) -> bytes | None:
    """The body as it came; None if it is larger than a hook can be."""
    received = bytearray()
    async for chunk in request.stream():
        received += chunk
        if len(received) > MOST_BYTES:
            return None
    return bytes(received)


routes: list[BaseRoute] = [Route(HOOK_PATH, prolific, methods=["POST"])]
