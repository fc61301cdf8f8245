"""The frames a page and the server exchange, as typed JSON.

The same event frame acknowledges a message to its sender, with the sender's id, and tells everybody
else of it, without. What only one seat is to see (a game's words, its composer) stands in a frame of
its own. Numbers have no gaps where the house recorded something that nobody may notice.
"""

from typing import Annotated, Any

import msgspec

from palaver.core.errors import MoveError
from palaver.core.events import MESSAGE, Event
from palaver.core.numbers import LARGEST
from palaver.core.protocols import Composer
from palaver.formats.rich_text import Node

# Larger than any legal message in JSON escapes, smaller than anything that hurts.
MAX_FRAME_BYTES = 64 * 1024


class Hello(msgspec.Struct, tag="hello", tag_field="type"):
    """The page says what it has; the server sends what came after."""

    after: Annotated[int, msgspec.Meta(le=LARGEST)] = 0


class MoveFrame(msgspec.Struct, tag="move", tag_field="type"):
    """The page would like to do something; `id` makes a retry harmless."""

    id: str
    action: str
    data: dict[str, Any] | None = None


class Typing(msgspec.Struct, tag="typing", tag_field="type"):
    """The page's person started or stopped typing."""

    on: bool


_decoder: msgspec.json.Decoder[Hello | MoveFrame | Typing] = msgspec.json.Decoder(
    Hello | MoveFrame | Typing
)
_encode = msgspec.json.Encoder().encode


def read_frame(text: str | bytes) -> Hello | MoveFrame | Typing:
    """What a page sent; MoveError with a code if it is not a frame."""
    if len(text) > MAX_FRAME_BYTES:
        raise MoveError("too_long", f"This frame is longer than {MAX_FRAME_BYTES} bytes.")
    try:
        return _decoder.decode(text)
    except msgspec.ValidationError as error:
        raise MoveError("bad_frame", f"This frame is not understood: {error}.") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MoveError("not_json", f"This frame is not JSON: {error}.") from error


class State(msgspec.Struct, tag_field="type", tag="state", frozen=True, omit_defaults=True):
    """Whose turn it is, and what one seat can write with; an open composer is not mentioned."""

    movers: frozenset[int]
    composer: Composer | None = None


class Happened(msgspec.Struct, tag_field="type", tag="event", omit_defaults=True):
    """A stored event, the state after it, and how the game words it for one seat.

    `rich` is what a message in Markdown shows.
    """

    seq: int
    seat: int | None
    action: str
    data: dict[str, Any] | None
    time: float
    id: str | None
    movers: frozenset[int]
    composer: Composer | None = None
    words: str = ""
    rich: list[Node] | None = None


class Ready(msgspec.Struct, tag_field="type", tag="ready", omit_defaults=True):
    """The page has everything up to `position`."""

    position: int
    remaining: float | None
    movers: frozenset[int]
    composer: Composer | None = None


def event_frame(
    event: Event,
    number: int,
    state: State,
    words: str = "",
    rich: list[Node] | None = None,
    *,
    own: bool,
) -> bytes:
    """A stored event, the state after it, and how the game words it for this seat.

    Only the seat whose `own` event it is gets its id back: systems give none. Of a message all that
    is told is its words, whatever else its speaker put beside them.
    """
    return _encode(
        Happened(
            number,
            event.seat,
            event.action,
            _told(event) if event.action == MESSAGE else event.data,
            event.time,
            event.client_id if own else None,
            state.movers,
            state.composer,
            words,
            rich,
        )
    )


def without_id(frame: bytes, client_id: str | None) -> bytes:
    """The frame of a message as others than its sender get it, without encoding it again."""
    if client_id is None:
        return frame
    # Only a key is followed by a colon: no text, whose quotes are escaped, can look like this.
    return frame.replace(b'"id":' + _encode(client_id), b'"id":null', 1)


def _told(event: Event) -> dict[str, Any] | None:
    data = event.data
    if data is None or len(data) == 1:
        return data
    return {key: data[key] for key in ("text", "seed") if key in data}


def ready_frame(position: int, state: State, remaining: float | None) -> bytes:
    """The page has everything up to `position`."""
    return _encode(Ready(position, remaining, state.movers, state.composer))


def state_frame(state: State) -> bytes:
    """The state after something that this seat does not see."""
    return _encode(state)


def typing_frame(seat: int, on: bool) -> bytes:
    return _encode({"type": "typing", "seat": seat, "on": on})


def draft_frame(seat: int, text: str) -> bytes:
    """A reply that is still being written; never stored."""
    return _encode({"type": "draft", "seat": seat, "text": text})


def error_frame(code: str, message: str, client_id: str | None = None) -> bytes:
    """What was wrong with something the page sent."""
    frame = {"type": "error", "code": code, "message": message}
    if client_id is not None:
        frame["id"] = client_id
    return _encode(frame)


REPLACED = _encode({"type": "replaced"})
