"""Rounds in tables and sentences of the command line."""

import time
from collections.abc import Iterator, Mapping, Sequence

from palaver.cli.output import sheet_lines, table_text, with_interval, without_interval
from palaver.core.evaluation.bonuses import RoundBonuses
from palaver.core.evaluation.round_sheets import RoundSheet
from palaver.core.evaluation.rounds import (
    ClosedRound,
    ErrorRate,
    ImportedRound,
    Round,
    WrittenExample,
)
from palaver.core.words import counted, listed, percent, shortened
from palaver.evaluation.rounds.example_list import became
from palaver.evaluation.rounds.selection import left_out_words

Rows = list[tuple[str, ...]]
SHOWN = 60
# Those who were imported go by forty letters, of which these are enough to tell them apart.
NAME = 24
RATE_HEAD = ("examples", "kept", "verified", "refused", "waiting", "writers")


def round_rows(rounds: Sequence[Round]) -> Rows:
    """Rounds, one in a row."""
    head = ("task", "round", "state", "study", "models", "contexts", "opened", "data sets")
    return [head, *map(_round_row, rounds)]


def sheet_text(sheet: RoundSheet, *, writers: bool = False) -> str:
    """Everything about a round."""
    rates = sheet.rates
    parts = ["\n".join(_head_lines(sheet))]
    groups = [("model", (*rates.models, rates.overall)), ("label", rates.labels)]
    groups += [("tag", rates.tags), ("writer", rates.writers if writers else ())]
    parts += [table_text(_rate_rows(name, found)) for name, found in groups if found]
    if sheet.goals:
        parts.append(table_text(_goal_rows(sheet)))
    if sheet.validators:
        parts.append(table_text(_validator_rows(sheet)))
    parts.append("\n".join(_note_lines(sheet)))
    return "\n\n".join(part for part in parts if part)


def closed_lines(closed: ClosedRound) -> Iterator[str]:
    """What closing a round came to."""
    result = closed.result
    named = f"Round {closed.number} of '{closed.task}'"
    if not closed.is_new:
        yield f"{named} was closed on {_day(closed.closed)} already; nothing has changed."
    else:
        yield f"{named} is closed."
    if result is None:
        return
    for split, name in result.datasets.items():
        writers = counted(result.writers.get(split, 0), "writer")
        yield f"  {name}: {counted(result.examples[split], 'example')} by {writers}"
    if result.left_out:
        yield f"Left out: {counted(sum(result.left_out.values()), 'example')}."
        yield from (f"  {line}" for line in left_out_words(result.left_out))
    if result.shared_contexts:
        stand = "stands" if result.shared_contexts == 1 else "stand"
        yield f"{counted(result.shared_contexts, 'context')} {stand} in more than one split."
    yield from (f"Note: {note}" for note in result.notes)


def imported_lines(made: ImportedRound) -> Iterator[str]:
    """What an import came to."""
    what = f"{counted(made.examples, 'example')} by {counted(made.writers, 'writer')}"
    if not made.is_new:
        yield f"This file is round {made.number} of '{made.task}' already; nothing was added."
        return
    yield (
        f"Imported {what}, with {counted(made.judgements, 'judgement')}, as round {made.number} of "
        f"'{made.task}' ({made.state})."
    )
    if made.unknown:
        yield f"Columns that nobody here knows are kept with their examples: {listed(made.unknown)}."


def example_rows(examples: Sequence[WrittenExample]) -> Rows:
    """Examples, one in a row."""
    head = ("uid", "model", "writer", "what became of it", "judged", "text")
    return [head, *map(_example_row, examples)]


def example_lines(example: WrittenExample) -> Iterator[str]:
    """Everything about an example."""
    yield f"{example.uid}: {became(example)}"
    told = {
        "writer": example.writer,
        "model": example.model,
        "context": f"{example.context} ({example.tag})" if example.tag else example.context,
        **{name: _text(value) for name, value in example.values.items()},
        "the model said": ", ".join(_said(name, v) for name, v in example.answer.items()),
        "try": str(example.number),
        "why it is right": example.why,
        "why the model failed": example.why_model,
        "noticed": listed(example.notes) if example.notes else "",
    }
    yield from sheet_lines(told)
    for vote in example.votes:
        more = ", ".join(said for said in (vote.label, vote.reason) if said)
        who = f"{vote.rater} (owner)" if vote.mode == "owner" else vote.rater
        yield f"  {who}: {vote.verdict}" + (f" ({more})" if more else "")


def bonus_rows(found: RoundBonuses) -> Rows:
    """What people are owed, one in a row."""
    rules = list(found.rules)
    rows = []
    for bonus in found.bonuses:
        counts = {part.rule: part.n for part in bonus.parts}
        numbers = (str(counts.get(rule, 0)) for rule in rules)
        rows.append((bonus.person, *numbers, bonus.amount, bonus.currency))
    return [("participant", *rules, "amount", "currency"), *rows]


def _round_row(each: Round) -> tuple[str, ...]:
    models = ", ".join(model.system for model in each.models)
    result = each.result
    made = "" if result is None else ", ".join(result.datasets.values()) or "none"
    return (
        each.task,
        str(each.number),
        each.state,
        each.study,
        shortened(models, SHOWN),
        str(each.contexts),
        _day(each.opened),
        made,
    )


def _head_lines(sheet: RoundSheet) -> Iterator[str]:
    yield f"Round {sheet.number} of '{sheet.task}' is {sheet.state}."
    contexts = (
        f"{sheet.contexts_begun:,} of {sheet.contexts:,} begun, {sheet.contexts_verified:,} with a "
        "verified example"
    )
    told = {
        "study": sheet.study,
        "opened": _day(sheet.opened),
        "closed": _day(sheet.closed),
        "models": ", ".join(model.system for model in sheet.models),
        "contexts": contexts if sheet.contexts else "",
        "sessions": f"{sheet.sessions:,}"
        + (f", of them {sheet.erased:,} erased because their writers left" if sheet.erased else ""),
        "judged by": f"{sheet.terms.validators}, of whom {sheet.terms.matching} must agree",
    }
    yield from sheet_lines(told)


def _rate_rows(name: str, rates: Sequence[ErrorRate]) -> Rows:
    head = (name, *RATE_HEAD, with_interval("verified error rate"))
    return [head, *map(_rate_row, rates)]


def _rate_row(rate: ErrorRate) -> tuple[str, ...]:
    counts = (rate.examples, rate.fooling, rate.verified, rate.refused, rate.waiting, rate.writers)
    return (
        shortened(rate.name, NAME),
        *(f"{count:,}" for count in counts),
        rate.rate.written(percent),
    )


def _goal_rows(sheet: RoundSheet) -> Rows:
    rows = [
        (
            goal.goal or "any",
            f"{goal.sessions:,}",
            "" if goal.wanted is None else f"{goal.wanted:,}",
            f"{goal.fooled:,}",
        )
        for goal in sheet.goals
    ]
    return [("goal", "sessions", "of", "kept one"), *rows]


def _validator_rows(sheet: RoundSheet) -> Rows:
    rows = [
        (
            shortened(each.rater, NAME),
            f"{each.correct:,}",
            f"{each.incorrect:,}",
            f"{each.flagged:,}",
            f"{each.agreed:,} of {each.compared:,}" if each.compared else "",
        )
        for each in sheet.validators
    ]
    return [("validator", "correct", "incorrect", "flagged", "agreed with others"), *rows]


def _note_lines(sheet: RoundSheet) -> Iterator[str]:
    rates = (*sheet.rates.models, *sheet.rates.labels, *sheet.rates.tags)
    if waiting := sheet.rates.overall.waiting:
        yield (
            f"{counted(waiting, 'example')} {'waits' if waiting == 1 else 'wait'} to be judged; what "
            "waits counts as not verified."
        )
    yield from without_interval((each.name, each.rate) for each in rates)
    if sheet.noticed:
        found = [f"{name} {count:,}" for name, count in sheet.noticed.items()]
        yield f"Noticed: {listed(found)}."
    for each in sheet.validators:
        yield from (f"Worth a look: {shortened(each.rater, NAME)}: {note}." for note in each.notes)
    if sheet.changes:
        yield sheet.changes
    if sheet.result is not None:
        yield from closed_result_lines(sheet)


def closed_result_lines(sheet: RoundSheet) -> Iterator[str]:
    """The data sets that a closed round became."""
    result = sheet.result
    if result is None:
        return
    if not result.datasets:
        yield "No data set was made of it."
    for split, name in result.datasets.items():
        yield f"Data set {name}: {counted(result.examples[split], 'example')}."


def _example_row(example: WrittenExample) -> tuple[str, ...]:
    votes = ", ".join(vote.verdict for vote in example.votes)
    text = " | ".join(_text(value) for value in list(example.values.values())[1:])
    return (
        example.uid,
        example.model,
        shortened(example.writer, NAME),
        became(example),
        votes,
        shortened(" ".join(text.split()), SHOWN),
    )


def _said(name: str, value: object) -> str:
    """A field of a model's answer; shares of labels as percentages."""
    if isinstance(value, Mapping) and all(isinstance(each, float) for each in value.values()):
        return f"{name} " + " · ".join(f"{label} {percent(each)}" for label, each in value.items())
    return f"{name} {_text(value)}"


def _text(value: object) -> str:
    return " ".join(str(value).split())


def _day(moment: float | None) -> str:
    return "" if moment is None else time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(moment))
