"""Chat frames without a task per message.

Uvicorn's WebSocket protocol hands every message to the application through a queue and a task. For a
chat that costs more than storing the message. This protocol is uvicorn's own, with one addition: a
socket that asks for it (`scope["extensions"]["palaver.direct"]`) gets its text messages by a plain
call and writes ready frames to the transport. Whole, unfragmented text frames are taken apart here;
everything else (the handshake, control frames, fragments, errors) goes the library's way.

An application that runs under another server finds no such extension and uses ASGI's way.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import apply_mask  # type: ignore[attr-defined]

EXTENSION = "palaver.direct"
# A page that reads slower than this is cut off; it reconnects and catches up.
MAX_UNREAD_BYTES = 1 << 20

OnText = Callable[[bytes], None]

_FINAL_TEXT = 0x81
_OPCODES = 0x0F
_FINAL = 0x80


@lru_cache(maxsize=1)
def text_frame(payload: bytes) -> bytes:
    """A server's text frame, ready to write; both seats of a room get the same one."""
    size = len(payload)
    if size < 126:
        return bytes((_FINAL_TEXT, size)) + payload
    if size < 65536:
        return bytes((_FINAL_TEXT, 126)) + size.to_bytes(2) + payload
    return bytes((_FINAL_TEXT, 127)) + size.to_bytes(8) + payload


class DirectWebSocketProtocol(WebSocketsSansIOProtocol):
    """Uvicorn's WebSocket protocol with a direct path for text messages."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._on_text: OnText | None = None
        self._unparsed = b""
        self._in_fragments = False

    def handle_connect(self, event: Any) -> None:
        """Offer the direct path to the application."""
        super().handle_connect(event)
        if self.handshake_initiated and hasattr(self, "scope"):
            extensions: dict[Any, Any] = self.scope["extensions"] or {}
            extensions[EXTENSION] = self

    def attach(self, on_text: OnText) -> None:
        """Call `on_text` for each text message from now on, those already queued included."""
        self._on_text = on_text
        waiting = [self.queue.get_nowait() for _ in range(self.queue.qsize())]
        for message in waiting:
            if message["type"] == "websocket.receive":
                on_text((message.get("text") or "").encode())
            else:
                self.queue.put_nowait(message)
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()

    def write(self, frame: bytes) -> None:
        """Write a ready frame; a page that does not read is cut off."""
        if self.close_sent or self.transport.is_closing():
            return
        if self.transport.get_write_buffer_size() > MAX_UNREAD_BYTES:
            self.transport.abort()
            return
        self.transport.write(frame)

    def data_received(self, data: bytes) -> None:
        """Take whole text frames apart here; hand everything else to the library."""
        if self._on_text is None:
            super().data_received(data)
            return
        data = self._unparsed + data if self._unparsed else data
        start = 0
        while (end := _frame_end(data, start)) is not None:
            if end - start > self.config.ws_max_size + 14:
                break
            self._frame(data[start:end])
            start = end
        self._unparsed = data[start:]
        if len(self._unparsed) > self.config.ws_max_size + 14:
            super().data_received(self._unparsed)  # the library refuses it with the right code
            self._unparsed = b""

    def send_receive_event_to_app(self) -> None:
        """A message that came in fragments is whole."""
        if self._on_text is None:
            super().send_receive_event_to_app()
            return
        data = b"".join(bytes(frame) for frame in self.frames)
        self.frames = []
        if not self.close_sent:
            self._on_text(data)

    def _frame(self, frame: bytes) -> None:
        first, second = frame[0], frame[1]
        if first != _FINAL_TEXT or self._in_fragments or not second & 0x80 or self.close_sent:
            opcode = first & _OPCODES
            if opcode < 0x8:
                self._in_fragments = not first & _FINAL
            super().data_received(frame)
            return
        size = second & 0x7F
        offset = 2 if size < 126 else 4 if size == 126 else 10
        mask = frame[offset : offset + 4]
        if self._on_text is not None:
            self._on_text(apply_mask(frame[offset + 4 :], mask))


def _frame_end(data: bytes, start: int) -> int | None:
    """Where the frame that begins at `start` ends; None while it is incomplete."""
    have = len(data) - start
    if have < 2:
        return None
    size = data[start + 1] & 0x7F
    header = 2
    if size == 126:
        if have < 4:
            return None
        size, header = int.from_bytes(data[start + 2 : start + 4]), 4
    elif size == 127:
        if have < 10:
            return None
        size, header = int.from_bytes(data[start + 2 : start + 10]), 10
    if data[start + 1] & 0x80:
        header += 4
    end = start + header + size
    return end if end <= len(data) else None
