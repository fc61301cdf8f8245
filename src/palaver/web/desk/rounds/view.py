"""What the pages of rounds show, from the records of the services; what to say first is decided here."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from palaver.core.estimates import Estimate
from palaver.core.evaluation.round_sheets import RoundSheet
from palaver.core.evaluation.rounds import ErrorRate, Round, RoundResult, WrittenExample
from palaver.core.evaluation.validators import Validator
from palaver.core.words import counted, percent
from palaver.web.desk.frame import DeskShell
from palaver.web.desk.parts import Fact, FilterOption, Pager
from palaver.web.desk.tasks.request import AskedTask

# What an example can be filtered by, and how the filter says it.
STATE_WORDS = {
    "fooling": "fooled the model",
    "verified": "verified",
    "waiting": "waits for judgements",
    "incorrect": "found wrong",
    "flagged": "flagged",
    "split": "opinions differ",
    "right": "the model was right",
    "undecided": "undecided",
    "retracted": "taken back",
}
# What was noticed of an example, in words.
NOTE_WORDS = {
    "duplicate": "says what an earlier one says",
    "copied": "copied from the text",
    "language": "not in the language of the study",
}
# Of writers with fewer judged examples nothing is said.
LEAST_JUDGED = 3

Act = Literal["links", "judge", "close", "open", "wait", "serve"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRound:
    """A round in the list, with its overall rate."""

    round: Round
    overall: ErrorRate
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundsPage:
    """The rounds of a task, newest first."""

    template: ClassVar[str] = "desk/rounds/rounds.html"
    shell: DeskShell
    asked: AskedTask
    rounds: tuple[ListedRound, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """What to do now: a sentence, and where that is done."""

    act: Act
    words: str
    label: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateGroup:
    """Error rates by one thing: model, label or tag."""

    name: str
    rates: tuple[ErrorRate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterRow:
    """A writer of a round, by name, with what stands out."""

    name: str
    key: str
    rate: ErrorRate
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundPage:
    """One round at `address`."""

    template: ClassVar[str] = "desk/rounds/round.html"
    shell: DeskShell
    asked: AskedTask
    address: str
    sheet: RoundSheet
    answer: str
    next: NextStep
    groups: tuple[RateGroup, ...]
    writers: tuple[WriterRow, ...]
    validators: tuple[Validator, ...]
    # What people are called, by their keys.
    names: Mapping[str, str]
    may_stop: bool
    may_own: bool
    may_read: bool
    # Whether the study is served here, so that its next round can be opened.
    is_served: bool
    done: str = ""
    error: str = ""

    note_words: ClassVar[Mapping[str, str]] = NOTE_WORDS


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedExample:
    """An example in the list: what was written, what became of it."""

    example: WrittenExample
    url: str
    name: str
    writer: str
    label: str
    text: str
    became: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundExamplesPage:
    """The examples of a round that fit the filters in the address."""

    template: ClassVar[str] = "desk/rounds/examples.html"
    shell: DeskShell
    asked: AskedTask
    round: Round
    round_url: str
    action: str
    rows: tuple[ListedExample, ...]
    found: int
    total: int
    filters: Mapping[str, tuple[FilterOption, ...]]
    text: str
    is_filtered: bool
    pager: Pager


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownVote:
    """A judgement of an example, by whom."""

    who: str
    verdict: str
    label: str
    reason: str
    is_owner: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamplePage:
    """One example, its session, and what was said of it."""

    template: ClassVar[str] = "desk/rounds/example.html"
    shell: DeskShell
    asked: AskedTask
    round: Round
    round_url: str
    address: str
    example: WrittenExample
    name: str
    became: str
    facts: tuple[Fact, ...]
    context: tuple[Fact, ...]
    written: tuple[Fact, ...]
    answered: tuple[Fact, ...]
    shares: Mapping[str, float]
    notes: tuple[str, ...]
    votes: tuple[ShownVote, ...]
    session_url: str
    may_own: bool
    # The owner's verdict as the form shows it.
    verdict: str = ""
    why: str = ""
    done: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseRoundPage:
    """What closing a round will do; `plan` is what it would come to now."""

    template: ClassVar[str] = "desk/rounds/close.html"
    shell: DeskShell
    asked: AskedTask
    round: Round
    round_url: str
    plan: RoundResult
    prefix: str
    waiting: int
    left_out: tuple[str, ...]
    error: str = ""


def answer_of(sheet: RoundSheet) -> str:
    """What came of a round so far, in one sentence.

    18.3 % [11.2, 27.9] is a rate with its 95 % interval.
    """
    rate = sheet.rates.overall
    model = "the model" if len(sheet.models) == 1 else "a model"
    if not rate.examples:
        return "Nobody has tried yet"
    noun = ("message", "messages") if sheet.terms.talk else ("try", "tries")
    tries = counted(rate.examples, *noun)
    if not rate.fooling:
        return f"{tries}, and none that fooled {model} was kept"
    kept = "was kept" if rate.fooling == 1 else "were kept"
    found = f"{rate.fooling:,} of {tries} fooled {model} and {kept}"
    if rate.waiting:
        return f"{found}; {rate.verified:,} verified so far, {rate.waiting:,} to be judged"
    return f"{found}; {rate.verified:,} verified: {with_interval(rate.rate)} of {noun[1]}"


def with_interval(rate: Estimate) -> str:
    """A share with its interval, in percent: "18.3 % [11.2, 27.9]"."""
    if not rate.is_defined:
        return "–"
    if rate.interval is None:
        return percent(rate.value)
    low, high = (f"{100 * end:.1f}" for end in (rate.interval.low, rate.interval.high))
    return f"{percent(rate.value)} [{low}, {high}]"


def next_step(
    sheet: RoundSheet, *, address: str, study_url: str, judging: Sequence[tuple[str, str]]
) -> NextStep:
    """What to do about a round now; `judging` are the studies that check it, with their links."""
    if sheet.state == "closed":
        return NextStep(
            act="open",
            words="its data sets are made, and every model is evaluated on them. The next round takes "
            "the models that the study names now.",
        )
    waiting = sheet.rates.overall.waiting
    if sheet.state == "stopped":
        last = f" {counted(waiting, 'example')} still to be judged." if waiting else ""
        return NextStep(
            act="close",
            words=f"nobody more is seated.{last} Close it when all is judged, or resume it.",
            label="See what closing does",
            url=f"{address}/close",
        )
    if waiting and not judging:
        return NextStep(
            act="judge",
            words=f"{counted(waiting, 'example')} to be judged, and no study that is served does so. "
            f"Serve one whose rate stage says: from: {sheet.study}",
        )
    if waiting:
        title, url = judging[0]
        return NextStep(
            act="judge",
            words=f"{counted(waiting, 'example')} to be judged by others. Hand out links to “{title}”.",
            label="Links for those who judge",
            url=url,
        )
    wanted = sum(goal.wanted or 0 for goal in sheet.goals)
    if wanted and sum(goal.sessions for goal in sheet.goals) >= wanted:
        return NextStep(
            act="close",
            words="every session is written and judged. Close the round to make data sets of it.",
            label="See what closing does",
            url=f"{address}/close",
        )
    return NextStep(
        act="links",
        words="there are texts left to write about. Hand out links to the study.",
        label="Links for writers",
        url=study_url,
    )


def rate_groups(sheet: RoundSheet) -> tuple[RateGroup, ...]:
    """The rates that are drawn: by model, then by label and tag where there are several."""
    rates = sheet.rates
    groups = [RateGroup(name="model", rates=rates.models)]
    groups += [
        RateGroup(name=name, rates=found)
        for name, found in (("label", rates.labels), ("tag", rates.tags))
        if len(found) > 1
    ]
    return tuple(groups)


def writer_rows(
    sheet: RoundSheet, examples: Sequence[WrittenExample], names: Mapping[str, str]
) -> tuple[WriterRow, ...]:
    """The writers, those of whom something stands out first."""
    noticed = Counter((each.writer, note) for each in examples for note in each.notes)
    rows = [
        WriterRow(
            name=names.get(rate.name, rate.name),
            key=rate.name,
            rate=rate,
            notes=tuple(_writer_notes(rate, noticed)),
        )
        for rate in sheet.rates.writers
    ]
    return tuple(sorted(rows, key=lambda row: (not row.notes, -row.rate.verified, row.name)))


def _writer_notes(rate: ErrorRate, noticed: Mapping[tuple[str, str], int]) -> list[str]:
    judged = rate.verified + rate.refused
    notes = []
    if judged >= LEAST_JUDGED and 2 * rate.refused > judged:
        notes.append(f"{rate.refused:,} of {counted(judged, 'example')} refused")
    for note, words in NOTE_WORDS.items():
        found = noticed.get((rate.name, note), 0)
        if found >= LEAST_JUDGED:
            notes.append(f"{found:,} of {counted(rate.examples, 'try', 'tries')}: {words}")
    return notes


def label_of(example: WrittenExample, field: str) -> str:
    """The label that the writer gave it; empty where a task has none."""
    value = example.values.get(field)
    return value if isinstance(value, str) else ""


def own_text(example: WrittenExample, fields: Sequence[str]) -> str:
    """What somebody wrote, on one line."""
    return " · ".join(_words(example.values[name]) for name in fields if example.values.get(name))


def _words(value: Any) -> str:
    if isinstance(value, list):
        turns = [each.get("text", "") if isinstance(each, dict) else str(each) for each in value]
        return " / ".join(turns)
    return str(value)
