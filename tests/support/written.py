"""Examples of a round as records, for tests of what is made of them."""

from collections.abc import Sequence
from typing import Any

from palaver.core.audit import COMMAND
from palaver.core.evaluation.rounds import (
    ExampleVote,
    Round,
    RoundModel,
    RoundTerms,
    Standing,
    WrittenExample,
)
from palaver.core.serial import encode
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.tasks import ensure_task
from palaver.formats.written_examples import own_record
from palaver.studies.intake.written_rounds import State, import_round

NOW = 1_700_000_000.0
LABELS = ("entailed", "neutral", "contradictory")


def written(
    number: int,
    /,
    *,
    writer: str = "w1",
    context: str = "c1",
    standing: Standing = "correct",
    label: str = "",
    **changes: Any,
) -> WrittenExample:
    """A kept example of the task nli that fooled the model, verified unless it says otherwise."""
    gold = label or LABELS[number % 3]
    given: dict[str, Any] = {
        "dialogue": f"d_{number}",
        "seq": 1,
        "round": 1,
        "context": context,
        "tag": "news",
        "writer": writer,
        "model": "bert@1",
        "values": {
            "context": f"This is {context}.",
            "hypothesis": f"Sentence {number} is new.",
            "label": gold,
        },
        "answer": {"label": LABELS[(LABELS.index(gold) + 1) % 3] if gold in LABELS else "neutral"},
        "wrong": True,
        "kept": True,
        "time": float(number),
        "standing": standing,
        "votes": tuple(
            ExampleVote(rater=f"v{n}", verdict="correct")
            for n in range(2 * (standing == "correct"))
        ),
    }
    return WrittenExample(**(given | changes))


def by_writers(*counts: int, contexts: int = 1000) -> list[WrittenExample]:
    """So many verified examples of each writer; contexts come round again after so many."""
    found: list[WrittenExample] = []
    for writer, count in enumerate(counts):
        for _ in range(count):
            number = len(found)
            found.append(written(number, writer=f"w{writer}", context=f"c{number % contexts}"))
    return found


def put_round(
    home: EvaluationHome,
    examples: Sequence[WrittenExample],
    *,
    state: State = "stopped",
    terms: RoundTerms | None = None,
    task: str = "nli",
) -> Round:
    """A round of a task with these examples, taken in from a file of our own lines."""
    row = home.store.write_now(lambda c: ensure_task(c, task, now=NOW))
    head = {
        "palaver": "round",
        "terms": terms or RoundTerms(labels=LABELS),
        "models": [RoundModel(name="bert", version=1)],
    }
    lines = [head, *map(own_record, examples)]
    content = b"".join(encode(line) + b"\n" for line in lines)
    return import_round(home, row, content, name="round.jsonl", state=state, by=COMMAND, now=NOW)
