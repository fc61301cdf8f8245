"""The boards of a challenge: as a page, and as JSON."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.core.serial import encode
from palaver.web.challenges.access import for_readers, visit
from palaver.web.challenges.board.view import asked_board, board_page, read_board
from palaver.web.challenges.verdicts import await_verdict
from palaver.web.rendering import show


@for_readers
async def show_board(request: Request) -> Response:
    """How a track stands, as far as whoever asks may see it."""
    found = await visit(request)
    asked = asked_board(found)
    board = await asyncio.to_thread(read_board, found, asked)
    awaited = await_verdict(found, board)
    page = await asyncio.to_thread(board_page, found, asked, board, awaited=awaited)
    # Hundreds of rows take a while to draw, and others must not wait for it.
    return await asyncio.to_thread(show, request, page)


@for_readers
async def board_json(request: Request) -> Response:
    """The same as JSON."""
    found = await visit(request)
    board = await asyncio.to_thread(read_board, found, asked_board(found))
    return Response(encode(board), media_type="application/json")


routes: list[BaseRoute] = [
    Route("/challenges/{challenge}/board", show_board, methods=["GET"]),
    Route("/challenges/{challenge}/board.json", board_json, methods=["GET"]),
]
