"""The spans question: which stretches of a turn deserve which label."""

import json
from typing import Any

from palaver.core.errors import AnswerError
from palaver.core.questions.options import (
    NONE,
    Option,
    check_options,
    coded,
    meanings,
    offered,
    worded,
)
from palaver.core.questions.question import CodedValue, Fields, Level, Shown, Stem
from palaver.core.questions.refusals import listed, refuse

KEYS = {"start", "end", "label"}


class Spans(Stem, frozen=True, kw_only=True, omit_defaults=True, tag="spans"):
    """Where in the words of a turn something is; offsets count code points, the end is outside."""

    options: tuple[Option, ...]
    most: int | None = None

    def in_words(self, value: Any) -> str:
        """The label of each span with where it stands."""
        return (
            "; ".join(
                f"{worded(self.options, [span['label']])} ({span['start']}–{span['end']})"
                for span in value
            )
            or NONE
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_options(self.options, least=1)
        if self.about != "turn":
            raise ValueError("A spans question marks words of turns. Set 'speaker' or 'indices'.")
        if self.most is not None and self.most < 1:
            raise ValueError(f"'most' takes 1 or more; got {self.most}.")

    @property
    def kind(self) -> str:
        return "spans"

    @property
    def level(self) -> Level:
        """Names at places."""
        return "nominal"

    @property
    def label_names(self) -> tuple[str, ...]:
        return meanings(self.options)

    @property
    def stored_as(self) -> str:
        return (
            "a list of marks: `start` and `end` in code points, the end outside, and as `label` the "
            "id of an option"
        )

    @property
    def codebook(self) -> tuple[CodedValue, ...]:
        return coded(self.options)

    def options_for(self, shown: Shown) -> tuple[Option, ...]:
        return offered(self.options, shown)

    def parse(self, fields: Fields) -> Any:
        """The JSON text of the spans, "[]" for nothing to mark; None where nobody said either."""
        return next((value for value in fields.get("", ()) if value.strip()), None)

    def read(self, answer: Any, shown: Shown) -> list[dict[str, Any]]:
        """The spans by where they begin, each once."""
        ids = [option.id for option in self.options_for(shown)]
        spans = self._decode(answer) if isinstance(answer, str) else answer
        if not isinstance(spans, list | tuple):
            raise refuse(self.name, "a list of spans", answer)
        for span in spans:
            self._check(span, ids, len(shown.text))
        found = {(span["start"], span["end"], ids.index(span["label"])) for span in spans}
        if self.most is not None and len(found) > self.most:
            raise AnswerError(
                f"Question '{self.name}' takes {self.most} spans at most; got {len(found)}."
            )
        return [{"start": start, "end": end, "label": ids[n]} for start, end, n in sorted(found)]

    def labels(self, value: Any) -> tuple[str, ...]:
        """The labels that were given to some span."""
        given = {span["label"] for span in value}
        return meanings(option for option in self.options if option.id in given)

    def _decode(self, text: str) -> Any:
        if not text.strip():
            return []
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise refuse(self.name, "a list of spans as JSON", text) from None

    def _check(self, span: Any, ids: list[str], length: int) -> None:
        if not isinstance(span, dict) or span.keys() != KEYS:
            raise refuse(self.name, "spans with 'start', 'end' and 'label'", span)
        if not isinstance(span["label"], str) or span["label"] not in ids:
            raise refuse(self.name, listed(ids), span["label"])
        ends = (span["start"], span["end"])
        if any(isinstance(end, bool) or not isinstance(end, int) for end in ends):
            raise refuse(self.name, "whole numbers as 'start' and 'end'", span)
        if not 0 <= ends[0] < ends[1] <= length:
            raise refuse(self.name, f"spans within the {length} characters of the turn", span)
