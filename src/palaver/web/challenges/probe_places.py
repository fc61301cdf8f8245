"""How many endpoints may be tried at once, and by whom: a look costs this server a minute at most."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import Request

from palaver.core.errors import AccessError
from palaver.evaluation.submissions.teams import AllowanceError

# Looks that this process takes at once, and those of one team in so many seconds.
AT_ONCE = 16
MOST = 20
SECONDS = 600.0


class ProbePlaces:
    """The looks at endpoints that are under way, and the latest ones of each team."""

    def __init__(self) -> None:
        self._looking: set[int] = set()
        self._times: dict[int, deque[float]] = {}

    @contextmanager
    def place(self, team: int, *, now: float) -> Iterator[None]:
        """A place for a look of a team; AccessError if it has one, or has looked too often."""
        if team in self._looking:
            raise AccessError("A test of your team is under way. Wait until it has ended.")
        if len(self._looking) >= AT_ONCE:
            raise AllowanceError(
                "Many endpoints are being tested now. Try again soon.", retry_after=30
            )
        times = self._times.setdefault(team, deque(maxlen=MOST))
        if len(times) == MOST and now - times[0] < SECONDS:
            wait = int(SECONDS - (now - times[0])) + 1
            raise AllowanceError(
                f"Your team has tested {MOST} times in {SECONDS / 60:g} minutes. Try again in "
                f"{wait} seconds.",
                retry_after=wait,
            )
        times.append(now)
        self._looking.add(team)
        try:
            yield
        finally:
            self._looking.discard(team)


def probe_places(request: Request) -> ProbePlaces:
    """The places of this process; made when they are first asked for."""
    state = request.app.state
    found: ProbePlaces | None = getattr(state, "probe_places", None)
    if found is None:
        found = state.probe_places = ProbePlaces()
    return found
