"""What a study found, as far as it is computed."""

from dataclasses import dataclass
from typing import Literal

from palaver.core.studies.headline import Headline


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyResults:
    """The results of a study: what they say first, how they were made, and which tables there are.

    They are computed when they are first asked for: ask again while `state` is `computing`. `current`
    says whether they are of the answers as they stand now; `reason` why there are none.
    """

    state: Literal["ready", "computing", "failed"]
    current: bool
    headline: Headline | None = None
    facts: str = ""
    methods: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    made: float | None = None
    seed: int | None = None
    reason: str = ""
