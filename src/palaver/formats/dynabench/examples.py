"""Examples with their validations as Dynabench exports them: one JSON array, `*_json` columns as
texts.

An example has the columns of its row but for `uid` and `split`, its `context` row, `anon_uid` for its
writer, and `validations`, each a list of label, mode, who, and metadata. What such a row has no column
for (which try it was, whether its writer stood by it) is under the key `palaver` of `metadata_json`. A
row that was imported is written as it stood in its file, with what was said of it since.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

from palaver.core.evaluation.rounds import ExampleVote, Round, RoundContext, Verdict, WrittenExample
from palaver.core.serial import plain
from palaver.formats.located_json import LocatedRecord
from palaver.formats.written_examples import DYNABENCH, POSITION, ExampleFile

VERDICTS = ("correct", "incorrect", "flagged")
# Columns of an example that are read. All others are kept, and named where they are none of these.
READ = frozenset(
    {
        "context",
        "input_json",
        "output_json",
        "metadata_json",
        "model_endpoint_name",
        "model_wrong",
        "retracted",
        "tag",
        "generated_datetime",
        "time_elapsed",
        "validations",
        "anon_uid",
    }
)
KEPT = frozenset({"id", "cid", "flagged", "total_verified"})
WHY, WHY_MODEL, OURS = "example_explanation", "model_explanation", "palaver"
_TIME = "%Y-%m-%d %H:%M:%S"


def export_records(
    round_: Round, examples: Sequence[WrittenExample], contexts: Iterable[RoundContext]
) -> list[dict[str, Any]]:
    """The rows of an export; the people in `examples` must have their pseudonyms already."""
    about: dict[str, list[WrittenExample]] = {}
    for each in examples:
        about.setdefault(each.context, []).append(each)
    known = {each.id: each for each in contexts}
    rows = {
        name: _context_row(round_, name, number, known.get(name), written)
        for number, (name, written) in enumerate(about.items(), 1)
    }
    return [
        _row(example, number, rows[example.context]) for number, example in enumerate(examples, 1)
    ]


def read_export(records: Iterable[LocatedRecord], fields: Sequence[str]) -> ExampleFile:
    """The examples of an export; `fields` are those of the task's context.

    InputError names line and column of what is wrong.
    """
    unknown: set[str] = set()
    examples = []
    contexts: dict[str, Mapping[str, Any]] = {}
    for number, record in enumerate(records, 1):
        unknown |= record.value.keys() - READ - KEPT
        example = _example(record, number, fields)
        examples.append(example)
        row = record.value["context"]
        contexts.setdefault(example.context, _json_column(record, row, "metadata_json", "context"))
    return ExampleFile(examples=tuple(examples), contexts=contexts, unknown=tuple(sorted(unknown)))


def _row(example: WrittenExample, number: int, context: Mapping[str, Any]) -> dict[str, Any]:
    found = origin(example.source)
    if found is not None:
        row = dict(found)
        came = _names(row)
        given = [_validation(vote) for vote in example.votes if vote.rater not in came]
        if given:
            row["validations"] = [*(row.get("validations") or []), *given]
        return row | {"retracted": example.retracted} if example.retracted else row
    inputs = {name: said for name, said in example.values.items() if name not in context["values"]}
    return {
        "id": number,
        "cid": context["row"]["id"],
        "tag": None,
        "input_json": _text(inputs),
        "output_json": _text(example.answer),
        "metadata_json": _text(_metadata(example)),
        "model_endpoint_name": example.model,
        "model_wrong": example.wrong,
        "retracted": example.retracted,
        "flagged": example.standing == "flagged",
        "generated_datetime": _moment(example.time),
        "time_elapsed": _clock(example.seconds),
        "total_verified": len(example.votes),
        "context": context["row"],
        "anon_uid": example.writer,
        "validations": [_validation(vote) for vote in example.votes],
    }


def origin(source: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The row that an example was imported from, at once or by way of our own lines."""
    if source.get("shape") == DYNABENCH:
        return cast(Mapping[str, Any], source["row"])
    return origin(source["source"]) if source.get("source") else None


def _metadata(example: WrittenExample) -> dict[str, Any]:
    told: dict[str, Any] = {}
    if example.why:
        told[WHY] = example.why
    if example.why_model:
        told[WHY_MODEL] = example.why_model
    ours = ("dialogue", "seq", "number", "round", "kept", "notes", "time", "seconds", "context")
    told[OURS] = {name: plain(getattr(example, name)) for name in ours}
    return told


def _context_row(
    round_: Round,
    name: str,
    number: int,
    known: RoundContext | None,
    about: Sequence[WrittenExample],
) -> dict[str, Any]:
    """A context that these examples are about as its row, and the names of its values."""
    values = dict(known.values) if known is not None else {}
    row = {
        "id": number,
        "r_realid": round_.number,
        "context_json": _text(values),
        "tag": about[0].tag or None,
        "metadata_json": _text({**(known.metadata if known is not None else {}), "id": name}),
        "total_used": len(about),
        "last_used": _moment(max(each.time for each in about)),
    }
    return {"row": row, "values": frozenset(values)}


def _example(record: LocatedRecord, number: int, fields: Sequence[str]) -> WrittenExample:
    row = record.value
    for column in ("context", "input_json", "output_json"):
        if not row.get(column):
            raise record.wrong(f"the example {row.get('id', number)} has no '{column}'.")
    context = row["context"]
    if not isinstance(context, dict):
        raise record.wrong("'context' is the row of a context, an object.", "context")
    told = _json_column(record, row, "metadata_json")
    said = told.get(OURS)
    ours: dict[str, Any] = said if isinstance(said, dict) else {}
    values = _json_column(record, context, "context_json", "context")
    missing = [name for name in fields if name not in values]
    if missing:
        raise record.wrong(
            f"the example {row.get('id', number)} has no context: '{missing[0]}' is missing.",
            "context",
        )
    wrong = row.get("model_wrong")
    made = WrittenExample(
        dialogue=str(ours.get("dialogue") or f"e{row.get('id', number)}"),
        seq=int(ours.get("seq") or 1),
        round=int(ours.get("round") or 0),
        context=_first(ours.get("context"), _stated(context.get("id")), row.get("cid"), number),
        tag=str(row.get("tag") or _stated(context.get("tag")) or ""),
        writer=str(row.get("anon_uid") or f"example-{row.get('id', number)}"),
        model=str(row.get("model_endpoint_name") or "unknown"),
        values={**values, **_json_column(record, row, "input_json")},
        answer=_json_column(record, row, "output_json"),
        wrong=None if wrong is None else bool(wrong),
        kept=bool(ours.get("kept", wrong)),
        retracted=bool(row.get("retracted")),
        number=int(ours.get("number") or 1),
        why=str(told.get(WHY) or ""),
        why_model=str(told.get(WHY_MODEL) or ""),
        notes=tuple(ours.get("notes") or ()),
        seconds=_seconds(ours, row.get("time_elapsed")),
        time=_time(ours, row.get("generated_datetime")),
        votes=tuple(_votes(record)),
    )
    return replace(made, source={"shape": DYNABENCH, POSITION: number, "row": dict(row)})


def _first(*given: Any) -> str:
    """The first of these that is there; 0 is."""
    return next(str(each) for each in given if each is not None)


def _votes(record: LocatedRecord) -> Iterable[ExampleVote]:
    """The validations that say something; a placeholder says nothing."""
    given = record.value.get("validations") or []
    if not isinstance(given, list):
        raise record.wrong("'validations' is a list of lists.", "validations")
    for n, said in enumerate(given):
        if not isinstance(said, list) or len(said) < 2:
            raise record.wrong(
                "a validation is a list: label, mode, who, metadata.", "validations", n
            )
        label, mode = said[:2]
        if label in VERDICTS:
            yield ExampleVote(
                rater=_validator(record.value, n, said),
                verdict=cast(Verdict, label),
                reason=_reason(said),
                mode="owner" if mode == "owner" else "user",
            )
        elif label != "placeholder":
            raise record.wrong(
                f"a validation says correct, incorrect or flagged; got '{str(label)[:40]}'.",
                "validations",
                n,
            )


def _names(row: Mapping[str, Any]) -> set[str]:
    """Who judged a row in its file."""
    return {_validator(row, n, said) for n, said in enumerate(row.get("validations") or [])}


def _validator(row: Mapping[str, Any], n: int, said: Sequence[Any]) -> str:
    """Who gave a validation; whoever is not named is somebody by themselves."""
    named = said[2] if len(said) > 2 else None
    return str(named or f"example-{row.get('id')}-{n}")


def _reason(said: Sequence[Any]) -> str:
    """Why somebody said so, where the metadata of a validation tell it."""
    if len(said) < 4 or not isinstance(said[3], str) or not said[3].strip().startswith("{"):
        return ""
    try:
        told = json.loads(said[3])
    except ValueError:
        return ""
    return next((str(told[key]) for key in ("reason", "flag_reason") if told.get(key)), "")


def _validation(vote: ExampleVote) -> list[Any]:
    told = {key: said for key, said in (("reason", vote.reason), ("label", vote.label)) if said}
    return [vote.verdict, vote.mode, vote.rater, _text(told)]


def _json_column(
    record: LocatedRecord, row: Mapping[str, Any], column: str, *steps: str
) -> dict[str, Any]:
    """What a column holds that is JSON in a text; an object is taken as it is."""
    given = _stated(row.get(column))
    if given is None or given == "":
        return {}
    try:
        found = json.loads(given) if isinstance(given, str) else given
    except ValueError as error:
        raise record.wrong(f"'{column}' is not JSON: {error}.", *steps, column) from None
    if not isinstance(found, dict):
        raise record.wrong(f"'{column}' holds an object; got {str(given)[:40]}.", *steps, column)
    return found


def _stated(given: Any) -> Any:
    """A value of a context row, in which some versions wrote every value as a text."""
    return None if given == "None" else given


def _text(told: Mapping[str, Any]) -> str:
    return json.dumps(plain(told), ensure_ascii=False)


def _moment(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).strftime(_TIME)


def _clock(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def _seconds(ours: Mapping[str, Any], given: Any) -> float | None:
    if ours:
        return None if ours.get("seconds") is None else float(ours["seconds"])
    parts = str(given or "").split(":")
    if len(parts) != 3:
        return None
    try:
        hours, minutes, rest = map(float, parts)
    except ValueError:
        return None
    return hours * 3600 + minutes * 60 + rest


def _time(ours: Mapping[str, Any], given: Any) -> float:
    if ours.get("time") is not None:
        return float(ours["time"])
    try:
        moment = datetime.fromisoformat(str(given))
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
