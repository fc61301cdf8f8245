"""What the desk asks of the process that computes results, and what it finds in the folder after."""

import msgspec

REPORT = "report"
HEAD = "head.json"
FRAGMENT = "parts.html"


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be computed; `address` is the study's page on the desk."""

    database: str
    study: str
    raters: str
    file: str
    root: str
    address: str


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What a report says first, and when it was made."""

    answer: str
    state: str
    facts: str
    methods: list[str]
    contents: list[tuple[str, str]]
    seed: int
    made: float
    empty: bool
