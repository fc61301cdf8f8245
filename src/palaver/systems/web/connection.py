"""One keep-alive HTTP/1.1 connection: bytes out, a whole response back.

Model runs make hundreds of small calls at a time, and a general client spends more processor time on
each than everything else here together. This one does what such calls need and nothing more: one
request at a time, no redirects, no cookies, a body of limited size that is handed over whole. A stream
of events is handed over as it comes, because somebody reads the reply while it is being written.
"""

import asyncio
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

import httptools

from palaver.systems.attempt import AttemptError

# What head lines may add to a body before we stop listening.
_LONGEST_HEAD = 64 * 1024
_ZIPPED = frozenset({"gzip", "x-gzip", "deflate"})
# zlib's own number for "gzip or zlib, whichever it is".
_EITHER_WRAPPER = 47

_STREAM = "text/event-stream"

# Gets the pieces of a stream; True says that nothing more is wanted.
Listener = Callable[[bytes], bool]

_LONGEST_EVENT = 4 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


class NothingCameError(AttemptError):
    """The connection was closed before one byte of a response."""

    def __init__(self) -> None:
        super().__init__("unreachable", "the connection was closed before an answer came")


@dataclass(frozen=True, slots=True)
class Response:
    """A whole response; names of headers are in lower case."""

    status: int
    reason: str
    headers: dict[str, str]
    body: bytes


class HttpConnection(asyncio.Protocol):
    """A connection that carries one request at a time."""

    def __init__(self, limit: int) -> None:
        self.open = False
        self._limit = limit
        self._transport: asyncio.Transport | None = None
        self._waiter: asyncio.Future[Response] | None = None
        self._listener: Listener | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._forget()

    @property
    def usable(self) -> bool:
        """Whether another request may be sent here."""
        transport = self._transport
        return self.open and transport is not None and not transport.is_closing()

    async def request(self, payload: bytes, listener: Listener | None = None) -> Response:
        """Send one request and wait for its response; whoever stops waiting ends the connection."""
        transport = self._transport
        if not self.usable or transport is None:
            raise NothingCameError()
        self._forget()
        self._listener = listener
        waiter: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self._waiter = waiter
        transport.write(payload)
        try:
            return await waiter
        except BaseException:
            self.close()
            raise
        finally:
            self._waiter = self._listener = None

    def close(self) -> None:
        """End the connection without waiting for the other side."""
        self.open = False
        if self._transport is not None:
            self._transport.abort()

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.open = True

    def data_received(self, data: bytes) -> None:
        """Parse what came; what nobody asked for ends the connection."""
        if self._waiter is None or self._waiter.done():
            self.close()
            return
        self._received += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._fail(AttemptError("garbage", "the server asked to switch protocols"))
        except httptools.HttpParserError as error:
            seen = bytes(data[:80]).decode("utf-8", "replace")
            self._fail(AttemptError("garbage", f"the answer is not HTTP ({error}): {seen!r}"))
        else:
            if not self._head_is_complete and self._received > _LONGEST_HEAD:
                self._fail(AttemptError("garbage", "the answer's headers are too long"))
            elif len(self._body) > self._limit:
                self._fail(AttemptError("garbage", _too_long(self._limit)))

    def eof_received(self) -> bool:
        """The other side has said everything: let the connection end."""
        return False

    def connection_lost(self, error: Exception | None) -> None:
        """Tell whoever waits what came of the response."""
        self.open = False
        if self._waiter is None or self._waiter.done():
            return
        if not self._received:
            self._fail(NothingCameError())
        elif self._ends_with_connection() and error is None:
            self._finish()
        else:
            self._fail(AttemptError("unreachable", self._cut_off()))

    # What the parser calls.

    def on_message_begin(self) -> None:
        """A response begins; a second one to the same request must not meet the next request."""
        if self._waiter is None or self._waiter.done():
            self.open = False

    def on_status(self, reason: bytes) -> None:
        """The words after the status code, perhaps in pieces."""
        self._reason += reason

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self._head_is_complete = True
        self._streams = self._listener is not None and is_stream(
            self._parser.get_status_code(), self._headers
        )

    def on_body(self, piece: bytes) -> None:
        """A piece of the body, already free of chunk marks."""
        if self._streams:
            self._hand_over(piece)
        else:
            self._body += piece

    def on_message_complete(self) -> None:
        """The response is complete, unless it was one of those that come before the real one."""
        if 100 <= self._parser.get_status_code() < 200:
            self._forget()
            return
        if not self._parser.should_keep_alive():
            self.open = False
        self._finish()

    def _hand_over(self, piece: bytes) -> None:
        if self._listener is None or self._waiter is None or self._waiter.done():
            return
        try:
            enough = self._listener(piece)
        except AttemptError as error:
            self._fail(error)
            return
        if enough:
            # What still comes is for nobody: the connection cannot be used again.
            self.open = False
            self._finish()

    def _forget(self) -> None:
        self._streams = False
        self._received = 0
        self._reason = b""
        self._headers: dict[str, str] = {}
        self._body = bytearray()
        self._head_is_complete = False

    def _finish(self) -> None:
        waiter = self._waiter
        if waiter is None or waiter.done():
            return
        try:
            body = unzipped(bytes(self._body), self._headers, limit=self._limit)
        except AttemptError as error:
            self._fail(error)
            return
        status = self._parser.get_status_code()
        reason = self._reason.decode("latin-1")
        waiter.set_result(Response(status, reason, self._headers, body))
        if not self.open:
            self.close()

    def _fail(self, error: AttemptError) -> None:
        self.close()
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(error)

    def _ends_with_connection(self) -> bool:
        framed = "content-length" in self._headers or "transfer-encoding" in self._headers
        return self._head_is_complete and not framed

    def _cut_off(self) -> str:
        if not self._head_is_complete:
            return "the answer was cut off inside its headers"
        expected = self._headers.get("content-length")
        of = f" of {expected}" if expected else ""
        return f"the answer was cut off after {len(self._body)}{of} bytes"


class EventStream:
    """Turns pieces of a byte stream into the data of its server-sent events, however they were cut.

    After the HTML standard's event-stream format, with one kindness: data that stands before the
    end of the stream without the blank line behind it is still delivered.
    """

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
        if len(self._rest) + self._size > _LONGEST_EVENT:
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


def is_stream(status: int, headers: Mapping[str, str]) -> bool:
    """Whether a response is a stream of events, and as it is: what is packed is unpacked whole."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return status == 200 and kind == _STREAM and "content-encoding" not in headers


def unzipped(body: bytes, headers: dict[str, str], *, limit: int) -> bytes:
    """The body without its content encoding, at most `limit` bytes."""
    coding = headers.get("content-encoding", "").strip().lower()
    if coding in _ZIPPED and body:
        try:
            opener = zlib.decompressobj(_EITHER_WRAPPER)
            body = opener.decompress(body, limit + 1)
        except zlib.error as error:
            raise AttemptError("garbage", f"the answer is not valid {coding} ({error})") from None
        if len(body) <= limit and not opener.eof:
            raise AttemptError("garbage", f"the answer's {coding} data was cut off")
    elif coding not in ("", "identity") and body:
        raise AttemptError(
            "garbage",
            f"the answer is encoded as '{coding}'; expected gzip or plain",
            may_pass=False,
        )
    if len(body) > limit:
        raise AttemptError("garbage", _too_long(limit))
    return body


def _too_long(limit: int) -> str:
    return f"the answer is longer than {limit / (1024 * 1024):g} MB"
