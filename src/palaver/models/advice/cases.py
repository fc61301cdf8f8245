"""Situations with the advice that people gave, read from lines of JSON without msgspec.

A line has `title`, `selftext`, `subreddit`, `created_utc`, `split`, and `good_comments` with `body` and
`score` each, as RedditAdvice2019 and `palaver advice prepare` have them (`formats.advice.situations`);
or `title`, `situation`, `subreddit` and `advice`, as a data set of the task does. Training runs in a
bare PyTorch environment and reads them here.
"""

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.models.advice.inputs import SUBREDDIT, AdviceQuestion, date_words, target_text

_LETTERS = re.compile(r"\w")
_EXPECTED = (
    "Expected a line of JSON for each situation, with 'title', 'selftext', 'subreddit' and "
    "'good_comments', as palaver advice prepare writes it"
)
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvisedCase:
    """A situation and the advice of people on it, the best first."""

    question: AdviceQuestion
    advice: tuple[str, ...]
    split: str = ""
    # When it was asked, in seconds since 1970; 0 where nobody says.
    created: float = 0.0

    @property
    def key(self) -> str:
        """What the same situation has in common wherever it stands."""
        asked = f"{self.question.title}\n{self.question.text}"
        return hashlib.sha256(asked.encode(errors="replace")).hexdigest()

    def part(self, parts: int, seed: int) -> int:
        """Which of equal parts the situation falls into, by the seed alone."""
        digest = hashlib.sha256(f"{seed}:{self.key}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % parts


def read_advised(paths: Sequence[Path]) -> tuple[list[AdvisedCase], int]:
    """The situations of files that have advice, each once, and how many lines have none.

    InputError says which line is wrong, and how.
    """
    found: dict[str, AdvisedCase] = {}
    without = 0
    for path in paths:
        for case in read_cases(path):
            without += not case.advice
            if case.advice:
                found.setdefault(case.key, case)
    if not found:
        named = ", ".join(map(str, paths)) or "no file"
        told = (
            f"None of the {without:,} situations in {named} has" if without else f"{named} has no"
        )
        raise InputError(
            f"{told} advice to learn from. Expected 'good_comments' with a 'body' each."
        )
    return list(found.values()), without


def read_cases(path: Path) -> Iterator[AdvisedCase]:
    """The situations of a file, those without advice, too."""
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            yield _case(_record(line))
        except InputError as error:
            raise InputError(f"{path}:{number}: {error}") from error


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as plain:
            begins = plain.read(4)
            if begins == _ZSTD:
                raise InputError(
                    f"{path} is packed with zstd. Unpack it first: zstd -d {path.name}"
                )
            plain.seek(0)
            if begins.startswith(_GZIP):
                with gzip.open(plain) as unpacked:
                    yield from unpacked
            else:
                yield from plain
    except (OSError, EOFError, zlib.error) as error:
        told = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read: {told}.") from error


def _record(line: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"Not UTF-8 text ({error.reason}). {_EXPECTED}.") from error
    # Malformed, a number of more digits than Python reads, or nested too deeply.
    except (ValueError, RecursionError) as error:
        raise InputError(f"{_EXPECTED}; this is not JSON ({error}).") from error
    if not isinstance(found, dict):
        raise InputError(f"{_EXPECTED}; got {found!r:.60}.")
    return found


def _case(line: Mapping[str, Any]) -> AdvisedCase:
    if "title" not in line:
        raise InputError(f"{_EXPECTED}; this one has {', '.join(line) or 'nothing'}.")
    question = asked_question(line)
    if not question.title.strip() and not question.text.strip():
        raise InputError("'title' and 'selftext' are both empty; one of them says what is asked.")
    split = line.get("split")
    return AdvisedCase(
        question=question,
        advice=_advice(line),
        split=split if isinstance(split, str) else "",
        created=float(line["created_utc"]) if question.date else 0.0,
    )


def asked_question(line: Mapping[str, Any]) -> AdviceQuestion:
    """What somebody asks; InputError unless title and text are texts."""
    field = "situation" if "selftext" not in line and "situation" in line else "selftext"
    for name in ("title", field):
        if not isinstance(line.get(name), str):
            raise InputError(f"'{name}' is a text; got {line.get(name)!r:.60}.")
    subreddit = line.get("subreddit")
    return AdviceQuestion(
        title=line["title"],
        text=line[field],
        subreddit=subreddit if isinstance(subreddit, str) and subreddit.strip() else SUBREDDIT,
        date=date_words(line.get("created_utc")),
    )


def _advice(line: Mapping[str, Any]) -> tuple[str, ...]:
    """The advice of a line, by score, what has none last; comments without a word are none."""
    if isinstance(line.get("advice"), str):
        given: Any = [{"body": line["advice"]}]
    else:
        given = line.get("good_comments") or []
    if not isinstance(given, list):
        raise InputError(f"'good_comments' is a list of comments; got {given!r:.60}.")
    scored = [(_score(each), each["body"]) for each in given if _has_body(each)]
    scored.sort(key=lambda each: -each[0])
    return tuple(body for _, body in scored if _LETTERS.search(target_text(body)))


def _has_body(comment: Any) -> bool:
    if not isinstance(comment, dict) or not isinstance(comment.get("body"), str):
        raise InputError(f"A comment has a text as 'body'; got {comment!r:.60}.")
    return True


def _score(comment: Mapping[str, Any]) -> float:
    score = comment.get("score")
    if score is None:
        return float("-inf")
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise InputError(f"'score' of a comment is a number; got {score!r:.60}.")
    return float(score)
