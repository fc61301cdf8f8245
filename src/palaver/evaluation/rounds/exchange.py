"""The examples of a round as files for others: our own lines, or the shape of Dynabench's exports."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from palaver.core.evaluation.rounds import ExampleVote, Round, RoundContext, WrittenExample
from palaver.evaluation.rounds.pseudonyms import (
    validator_pseudonym,
    writer_pseudonym,
)
from palaver.formats.dynabench.examples import export_records
from palaver.formats.written_examples import in_file_order, write_own

Shape = Literal["palaver", "dynabench"]
SHAPES: tuple[Shape, ...] = ("palaver", "dynabench")


def export_examples(
    round_: Round,
    examples: Sequence[WrittenExample],
    contexts: Sequence[RoundContext],
    *,
    shape: Shape = "palaver",
) -> bytes:
    """The file of a round; nobody in it is named."""
    unnamed = [unnamed_example(round_, each) for each in in_file_order(examples)]
    if shape == "palaver":
        return b"".join(write_own(round_, unnamed))
    rows = export_records(round_, unnamed, contexts)
    written = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f"[\n{written}\n]\n".encode() if rows else b"[]\n"


def unnamed_example(round_: Round, example: WrittenExample) -> WrittenExample:
    """An example in which pseudonyms stand for its writer and whoever judged it."""
    return replace(
        example,
        writer=writer_pseudonym(round_, example.writer),
        votes=tuple(_unnamed(round_, vote) for vote in example.votes),
    )


def _unnamed(round_: Round, vote: ExampleVote) -> ExampleVote:
    return replace(vote, rater=validator_pseudonym(round_, vote.rater))
