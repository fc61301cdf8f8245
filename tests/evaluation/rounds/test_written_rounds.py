"""Rounds of elsewhere: a file comes back as it was, in our lines and in Dynabench's shape."""

import json
from typing import Any

import pytest

from palaver.core.audit import COMMAND
from palaver.core.errors import InputError
from palaver.core.evaluation.rounds import ImportedRound, Round, WrittenExample
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.rounds.contexts import contexts_of_round
from palaver.evaluation.rounds.examples import read_examples
from palaver.evaluation.rounds.exchange import Shape, export_examples
from palaver.evaluation.tasks import ensure_task
from palaver.studies.intake.written_rounds import import_round
from support.runs import NOW, Bench
from support.written import put_round, written

WRITER, OTHER = "a" * 40, "b" * 40
JUDGES = ["c" * 40, "d" * 40, "e" * 40]


def row(number: int, **changes: Any) -> dict[str, Any]:
    """An example as Dynabench exports it: the columns of its row, its context, its validations."""
    return {
        "id": number,
        "cid": 7,
        "tag": "fiction",
        "input_json": json.dumps({"hypothesis": f"Number {number}.", "label": "neutral"}),
        "output_json": json.dumps({"label": "entailed", "prob": {"entailed": 0.9}}),
        "metadata_json": json.dumps({"annotator_id": "x", "example_explanation": "It is open."}),
        "model_endpoint_name": "ts1614-roberta",
        "model_wrong": True,
        "retracted": False,
        "flagged": False,
        "generated_datetime": "2021-03-01 12:00:00",
        "time_elapsed": "0:01:30",
        "total_verified": 3,
        "context": {
            "id": 7,
            "r_realid": 3,
            "context_json": json.dumps({"context": "A door."}),
            "tag": None,
            "metadata_json": json.dumps({"source": "made up"}),
            "total_used": 2,
            "last_used": "2021-03-01 12:00:00",
        },
        "anon_uid": WRITER,
        "validations": [["correct", "user", judge, "{}"] for judge in JUDGES],
        **changes,
    }


def taken_in(home: EvaluationHome, content: bytes, **options: Any) -> ImportedRound:
    task = home.store.write_now(lambda c: ensure_task(c, "nli", now=NOW))
    return import_round(home, task, content, name="export.json", by=COMMAND, now=NOW, **options)


def examples_of(home: EvaluationHome, round_: Round) -> tuple[WrittenExample, ...]:
    return home.store.read_now(lambda c: read_examples(c, round_))


def exported(home: EvaluationHome, round_: Round, shape: Shape) -> bytes:
    contexts = contexts_of_round(home, round_)
    return export_examples(round_, examples_of(home, round_), contexts, shape=shape)


def test_an_export_of_dynabench_comes_back_as_it_was(home: EvaluationHome) -> None:
    rows = [
        row(1),
        row(2, anon_uid=OTHER, retracted=True, shoe_size=44),
        row(3, validations=[["incorrect", "user", JUDGES[0], "{}"], ["placeholder", "user"]]),
        row(4, model_wrong=False, validations=[]),
        row(5, validations=[["flagged", "owner", JUDGES[1], '{"reason": "odd"}']]),
    ]
    made = taken_in(home, json.dumps(rows).encode())
    assert (made.state, made.examples, made.writers, made.judgements) == ("closed", 5, 2, 8)
    assert made.unknown == ("shoe_size",)
    assert json.loads(exported(home, made, "dynabench")) == rows


def test_what_dynabench_says_of_an_example_is_read(home: EvaluationHome) -> None:
    made = taken_in(home, json.dumps([row(1), row(2, anon_uid=OTHER), row(3)]).encode())
    first = next(e for e in examples_of(home, made) if e.values["hypothesis"] == "Number 1.")
    assert first.values == {"context": "A door.", "hypothesis": "Number 1.", "label": "neutral"}
    assert first.answer["label"] == "entailed"
    assert first.model == "ts1614-roberta"
    assert (first.is_verified, first.seconds, first.time) == (True, 90.0, 1614600000.0)
    assert (first.tag, first.context, first.why) == ("fiction", "7", "It is open.")
    assert [vote.rater for vote in first.votes] == [f"anon:{judge}" for judge in JUDGES]
    assert [context.metadata for context in contexts_of_round(home, made)] == [
        {"source": "made up"}
    ]


def test_our_own_lines_come_back_as_they_were(home: EvaluationHome) -> None:
    first = put_round(
        home,
        [
            written(0, dialogue="d_a", seq=1, wrong=False, kept=False, standing="waiting"),
            written(1, dialogue="d_a", seq=3, number=2, why="So.", why_model="It read one word."),
            written(2, writer="w2", notes=("language",), retracted=True, seconds=2.5),
        ],
        state="closed",
    )
    sent = exported(home, first, "palaver")
    again = taken_in(home, sent, study="again")
    assert exported(home, again, "palaver").splitlines()[1:] == sent.splitlines()[1:]
    assert [each.kept for each in examples_of(home, again)] == [False, True, True]
    assert again.terms == first.terms
    assert again.models == first.models


def test_what_dynabench_has_no_column_for_survives_it(home: EvaluationHome) -> None:
    first = put_round(
        home,
        [
            written(0, dialogue="d_a", seq=1, kept=False, standing="waiting", seconds=1.25),
            written(1, dialogue="d_a", seq=3, number=2, why="So."),
        ],
    )
    sent = exported(home, first, "dynabench")
    again = taken_in(home, sent, study="again", matching=2)
    before, after = examples_of(home, first), examples_of(home, again)
    told = (
        "seq",
        "number",
        "kept",
        "why",
        "values",
        "answer",
        "seconds",
        "time",
        "standing",
        "tag",
    )
    assert [[getattr(each, name) for name in told] for each in after] == [
        [getattr(each, name) for name in told] for each in before
    ]
    assert json.loads(exported(home, again, "dynabench")) == json.loads(sent)


def test_an_export_names_nobody_and_knows_people_again(local_bench: Bench) -> None:
    round_ = put_round(local_bench.home, [written(0), written(1), written(2, writer="w2")])
    rows = json.loads(exported(local_bench.home, round_, "dynabench"))
    assert rows[0]["anon_uid"] == rows[1]["anon_uid"] != rows[2]["anon_uid"]
    assert isinstance(rows[0]["input_json"], str)
    assert set(rows[0]) == set(row(1))
    assert "uid" not in rows[0]
    assert "split" not in rows[0]


def test_the_same_file_again_adds_nothing(home: EvaluationHome) -> None:
    content = json.dumps([row(1), row(2)]).encode()
    first = taken_in(home, content)
    again = taken_in(home, content)
    assert (again.is_new, again.number) == (False, first.number)
    assert len(examples_of(home, first)) == 2


BROKEN = b'{"dialogue": "d", "seq": 1,\n'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "export.json holds no examples"),
        (BROKEN, "export.json:1:28: not JSON: expecting property name"),
        (b'[{"id": 1},\n {"id": ]', r"export.json:2:9: not JSON"),
        (b'[{"id": 1}\n', "the array that begins the file never ends"),
        (b'{"text": "hi"}', "export.json:1:1: this is no example of a round"),
        (json.dumps([row(1, context=None)]).encode(), "the example 1 has no 'context'"),
        (
            json.dumps([row(1, context={"id": 1, "context_json": "{}"})]).encode(),
            "the example 1 has no context: 'context' is missing",
        ),
        (json.dumps([row(1, input_json="{oops")]).encode(), "'input_json' is not JSON"),
        (
            json.dumps([row(1, validations=[["fine", "user"]])]).encode(),
            "correct, incorrect or flagged; got 'fine'",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_named_with_its_place(
    local_home: EvaluationHome, content: bytes, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        taken_in(local_home, content)


def test_a_wrong_value_is_named_with_line_and_column(local_home: EvaluationHome) -> None:
    good = b'{"dialogue":"d","seq":1,"round":1,"context":"c","writer":"w","model":"m",'
    lines = good + b'"values":{"context":"x"},"answer":{},"wrong":"yes","kept":true}'
    with pytest.raises(InputError, match=r"export.json:1:119: Expected `bool \| null`, got `str`"):
        taken_in(local_home, lines)


def test_a_study_that_somebody_collects_with_takes_no_import(local_home: EvaluationHome) -> None:
    with pytest.raises(InputError, match="lower-case letters, digits and '-'"):
        taken_in(local_home, json.dumps([row(1)]).encode(), study="Of Mine")
