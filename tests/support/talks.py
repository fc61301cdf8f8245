"""A partner that follows a script, behind the socket of a chat page."""

from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from palaver.formats.rich_text import rich_tree


def frame_of(seq: int, seat: int, text: str, *, time: float = 1_000_000.0, **more: Any) -> dict:  # type: ignore[type-arg]
    """A message as the server sends it to a page, its Markdown parsed."""
    return {
        "type": "event",
        "seq": seq,
        "seat": seat,
        "action": "message",
        "data": {"text": text},
        "time": time,
        "id": None,
        "movers": [0],
        "rich": rich_tree(text),
        **more,
    }


class Talk:
    """What stands in a conversation; each message of the page is stored and answered by the script."""

    def __init__(self, *texts: tuple[int, str], answers: tuple[dict[str, Any], ...] = ()) -> None:
        self.events = [frame_of(n, seat, text) for n, (seat, text) in enumerate(texts, start=1)]
        self.answers = answers

    async def serve(self, socket: WebSocket) -> None:
        """The server's side of the socket."""
        await socket.accept()
        try:
            while True:
                frame = await socket.receive_json()
                if frame["type"] == "hello":
                    for event in self.events[frame["after"] :]:
                        await socket.send_json(event)
                    position = len(self.events)
                    ready = {"position": position, "movers": [0], "remaining": None}
                    await socket.send_json({"type": "ready", **ready})
                elif frame["type"] == "move":
                    text, move = frame["data"]["text"], frame["id"]
                    self.events.append(frame_of(len(self.events) + 1, 0, text, id=move))
                    await socket.send_json(self.events[-1])
                    for answer in self.answers:
                        await socket.send_json(answer)
        except WebSocketDisconnect:
            return
