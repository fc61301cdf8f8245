"""The floor of durable chat: a bare relay that stores nothing.

Plain Starlette under uvicorn, as anybody would write it: a message is parsed, made into an event and
sent to both sockets of its pair. No rules, no database, no retries, no limits.

Run: python -m benchmarks.relay --port 8001
"""

import argparse
import time

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

pairs: dict[str, dict[int, WebSocket]] = {}
positions: dict[str, int] = {}
decode = msgspec.json.Decoder().decode
encode = msgspec.json.Encoder().encode


async def health(request: Request) -> PlainTextResponse:
    """Says that the relay is up."""
    return PlainTextResponse("ok")


async def relay(socket: WebSocket) -> None:
    """One socket of a pair, until it closes."""
    pair, seat = socket.path_params["pair"], socket.path_params["seat"]
    await socket.accept()
    sockets = pairs.setdefault(pair, {})
    sockets[seat] = socket
    try:
        while True:
            frame = decode(await socket.receive_text())
            if frame["type"] == "hello":
                await socket.send_text('{"type":"ready","position":0}')
                continue
            positions[pair] = seq = positions.get(pair, 0) + 1
            event = {
                "type": "event",
                "seq": seq,
                "seat": seat,
                "action": frame["action"],
                "data": frame["data"],
                "time": time.time(),
                "id": frame["id"],
                "movers": (0, 1),
            }
            text = encode(event).decode()
            for other in list(sockets.values()):
                await other.send_text(text)
    except WebSocketDisconnect:
        sockets.pop(seat, None)


app = Starlette(routes=[Route("/health", health), WebSocketRoute("/pair/{pair}/{seat:int}", relay)])


def main() -> None:
    """Serve until told to stop."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, required=True)
    options = arguments.parse_args()
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=options.port,
        loop="uvloop",
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        log_config=None,
        access_log=False,
    )


if __name__ == "__main__":
    main()
