"""How many came in, how many each rule dropped, and what is left."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Funnel:
    """The count of one kind of thing; `rules` says in words what each rule asks, in their order."""

    noun: str
    rules: Mapping[str, str]
    came: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    left: int = 0

    def __post_init__(self) -> None:
        self.dropped = dict.fromkeys(self.rules, 0) | self.dropped

    def drop(self, rule: str, count: int = 1) -> None:
        """Count some that a rule dropped."""
        self.dropped[rule] += count

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """The funnel as a table: the rule, how many it dropped, how many were left after it."""
        yield self.noun, "dropped", "left"
        left = self.came
        yield "came in", "", f"{left:,}"
        for name, count in self.dropped.items():
            left -= count
            yield self.rules[name], f"{count:,}", f"{left:,}"


@dataclass(slots=True)
class LineCount:
    """The lines of dumps, and those that are neither a post nor a comment.

    `places` names the first few broken ones; `subreddits` has the posts and comments of every
    subreddit that was not asked for, `damages` the files that could not be read to their end.
    """

    lines: int = 0
    blank: int = 0
    broken: int = 0
    neither: int = 0
    places: list[str] = field(default_factory=list)
    subreddits: dict[str, int] = field(default_factory=dict)
    damages: list[str] = field(default_factory=list)
