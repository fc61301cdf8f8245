"""Which posts a listing "top of the month" would have shown at a time: so many of each subreddit.

When the listing is taken may be known only at the end of a dump, so that what matters of each post
is kept in a file until then. Memory holds the listing alone.
"""

import heapq
from pathlib import Path

import msgspec

from palaver.formats.advice.posts import DumpPost, bare_id, number_in
from palaver.formats.advice.rules import DAY

MONTH = 30 * DAY
LONGEST = 1000
BUFFER = 1 << 16

_Entry = tuple[str, float, float, str]
_decode = msgspec.json.Decoder(_Entry).decode
_encode = msgspec.json.Encoder().encode


class TopOfMonth:
    """Notes posts as they come; `at` then lists them."""

    def __init__(self, path: Path, *, longest: int = LONGEST) -> None:
        self._path, self._longest = path, longest
        self._out = path.open("wb", buffering=BUFFER)

    def note(self, post: DumpPost) -> None:
        """Keep what a listing needs of a post."""
        score, created = number_in(post.score) or 0.0, number_in(post.created_utc)
        if created is not None:
            entry = post.subreddit, score, created, bare_id(post.id)
            self._out.write(_encode(entry) + b"\n")

    def at(self, time: float) -> frozenset[str]:
        """The ids of the posts that were listed at a time."""
        self._out.close()
        listings: dict[str, _Listing] = {}
        with self._path.open("rb") as lines:
            for line in lines:
                subreddit, score, created, id = _decode(line)
                if 0 <= time - created <= MONTH:
                    listings.setdefault(subreddit, _Listing(self._longest)).add(score, id)
        self._path.unlink()
        return frozenset(id for listing in listings.values() for id in listing.ids)

    def close(self) -> None:
        """Let go of the file."""
        self._out.close()


class _Listing:
    """The posts of a subreddit with the highest scores; of equal ones those with the later id."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._heap: list[tuple[float, str]] = []
        self.ids: set[str] = set()

    def add(self, score: float, id: str) -> None:
        if id in self.ids:
            return
        self.ids.add(id)
        heapq.heappush(self._heap, (score, id))
        if len(self._heap) > self._longest:
            self.ids.discard(heapq.heappop(self._heap)[1])
