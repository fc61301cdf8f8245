"""The guard around every system: patience, replay after a failure, and one kind of failure.

A guarded session keeps the events it received. An attempt that fails may leave the session inside
in any state, so it is thrown away, and the next attempt rebuilds one by replay. Whatever goes wrong
inside (a timeout, a lost connection, an exception in a researcher's own class) leaves as one
SystemFailureError whose text is for the researcher; the participant reads `apology(kind)`.
"""

import asyncio
from collections.abc import Sequence

from palaver.core.errors import SystemFailureError
from palaver.core.events import Event, Move
from palaver.core.protocols import DraftListener, Place, Session, System, close_session
from palaver.systems.attempt import FAILURE_KINDS, AttemptError, FailureKind
from palaver.systems.options import CallOptions
from palaver.systems.patience import Patience

# A participant is waiting.
LONGEST_WAIT = 20.0


class Guarded:
    """A system under the protection of its call options."""

    def __init__(self, system: System, options: CallOptions) -> None:
        self.system = system
        self.options = options
        self.patience = Patience(options, longest=LONGEST_WAIT)

    def new_session(self, place: Place) -> "GuardedSession":
        return GuardedSession(self, place)

    async def close(self) -> None:
        """Let go of connections and processes; closing twice does no harm."""
        await self.system.close()


class GuardedSession:
    """One seat's mind, rebuilt after every failure."""

    def __init__(self, guarded: Guarded, place: Place) -> None:
        self._guarded = guarded
        self._place = place
        self._events: list[Event] = []
        self._inner: Session | None = None

    def receive(self, event: Event) -> None:
        """Take note of an event, one's own included."""
        self._events.append(event)
        if self._inner is None:
            return
        try:
            self._inner.receive(event)
        except Exception:  # noqa: BLE001
            # The next attempt replays this event into a fresh session and reports what it raises.
            self._inner = None

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """The moves to make now; SystemFailureError after the last attempt failed."""
        try:
            return await self._guarded.patience.persist(lambda: self._attempt(draft))
        except AttemptError as error:
            cause = error.__cause__ or error
            raise SystemFailureError(error.kind, str(error), attempts=error.attempts) from cause

    async def close(self) -> None:
        """Let go of what this dialogue alone holds, such as its process."""
        inner, self._inner = self._inner, None
        await close_session(inner)

    async def _attempt(self, draft: DraftListener | None) -> Sequence[Move]:
        drafts = _Drafts(draft)
        patience = self._guarded.patience
        try:
            shown = None if draft is None else drafts.show
            return _checked(await patience.ask(lambda: self._ready().send(shown)))
        except Exception as error:
            # The one place where whatever a system raises becomes a failure the room understands.
            drafts.withdraw()
            await self.close()
            if isinstance(error, AttemptError):
                raise
            raise _as_attempt_error(error) from error
        except asyncio.CancelledError:
            await self.close()
            raise
        finally:
            drafts.mute()

    def _ready(self) -> Session:
        if self._inner is None:
            inner = self._guarded.system.new_session(self._place)
            for event in self._events:
                inner.receive(event)
            self._inner = inner
        return self._inner


class _Drafts:
    """The drafts of one attempt; a straggling thread cannot write into the next one."""

    def __init__(self, listener: DraftListener | None) -> None:
        self._listener = listener
        self._shown = False

    def show(self, text: str) -> None:
        if self._listener is not None:
            self._shown = True
            self._listener(text)

    def withdraw(self) -> None:
        if self._shown and self._listener is not None:
            self._listener("")

    def mute(self) -> None:
        self._listener = None


def _checked(moves: Sequence[Move]) -> Sequence[Move]:
    if isinstance(moves, (list, tuple)) and all(isinstance(move, Move) for move in moves):
        return moves
    raise AttemptError("garbage", f"The system returned {moves!r:.200}; expected a list of moves.")


def _as_attempt_error(error: Exception) -> AttemptError:
    if isinstance(error, SystemFailureError):
        kinds: dict[str, FailureKind] = {kind: kind for kind in FAILURE_KINDS}
        return AttemptError(kinds.get(error.kind, "error"), str(error))
    if isinstance(error, ConnectionError):
        return AttemptError("unreachable", f"{type(error).__name__}: {error}")
    return AttemptError("error", f"{type(error).__name__}: {error}")
