"""Server-sent events, decoded from bytes as they arrive, however they were cut.

After the HTML standard's event-stream format, with one kindness: data that stands before the end of
the stream without the blank line behind it is still delivered.
"""

from palaver.systems.attempt import AttemptError

_LONGEST = 4 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


class EventStream:
    """Turns pieces of a byte stream into the data of its events."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[str] = []
        self._size = 0
        self._after_return = False
        self._first = True

    def feed(self, piece: bytes) -> list[str]:
        """The data of every event that this piece completes."""
        if self._after_return and piece:
            # The return that ended the last piece may have been half of a CRLF.
            piece = piece.removeprefix(b"\n")
            self._after_return = False
        if piece.endswith(b"\r"):
            self._after_return = True
        text = (self._rest + piece).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, self._rest = text.split(b"\n")
        if len(self._rest) + self._size > _LONGEST:
            raise AttemptError("garbage", "The stream sent an event of more than 4 MB.")
        found = [self._take(line) for line in lines]
        return [data for data in found if data is not None]

    def finish(self) -> list[str]:
        """The data of an event that the end of the stream cut short."""
        found = [self._take(self._rest), self._take(b"")]
        self._rest = b""
        return [data for data in found if data is not None]

    def _take(self, line: bytes) -> str | None:
        """Read one line; the event's data if the line is the blank one behind it."""
        if self._first:
            line = line.removeprefix(_BOM)
            self._first = False
        if not line:
            data, self._data, self._size = self._data, [], 0
            return "\n".join(data) if data else None
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
            self._size += len(value)
        return None
