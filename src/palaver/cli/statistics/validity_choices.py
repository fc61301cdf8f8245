"""Which judgements `palaver validity` takes: whose quality, how many annotators, which labels."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from math import isnan
from random import Random
from typing import Literal, NamedTuple

from palaver.analysis.validity import DialogueComparison, DialogueScores, Timed, dialogue_scores
from palaver.core.errors import InputError
from palaver.core.labels import COLLECTED, section_ending
from palaver.core.registry import near
from palaver.core.words import counted, listed

Whose = Literal["own", "others"]
Annotators = Literal["all", "one", "first"]

BEHAVIOURS, LIKERT, LIKERT_TURN = "behaviours", "likert", "likert_turn"
# The sets of labels that have a name, and what is in them.
NAMED_SETS = {
    BEHAVIOURS: "labels that are given or not",
    LIKERT: "points given to dialogues",
    LIKERT_TURN: "points given to turns",
}
WHO = {"own": "by people who held the dialogue themselves", "others": "by others"}


class JudgedValue(NamedTuple):
    """One judgement: a label of a dialogue, or of a part of it, and its value.

    `question` is what an annotator answers as a whole. `own` says whether the rater held the
    dialogue; None where nobody knows.
    """

    dialogue: str
    label: str
    value: float
    system: str | None = None
    rater: str | None = None
    question: str = ""
    own: bool | None = None


class JudgedComparison(NamedTuple):
    """Two dialogues compared, and whether by somebody who held one of them."""

    comparison: DialogueComparison
    own: bool | None = None


@dataclass(slots=True)
class Judged:
    """What a table or a study holds; `kinds` says which named set each label belongs to."""

    where: str
    rows: list[JudgedValue] = field(default_factory=list)
    comparisons: list[JudgedComparison] = field(default_factory=list)
    timed: Timed | None = None
    kinds: dict[str, str] = field(default_factory=dict)
    # Sentences that say which judgements were taken.
    basis: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidityChoices:
    """Whose quality counts (None: everybody's), how many annotators, and the sets of labels."""

    quality_by: Whose | None = None
    annotators: Annotators = "all"
    seed: int = 1
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ValidityInput:
    """Judgements per dialogue, comparisons if quality is comparative, and times if there are any."""

    scores: DialogueScores
    comparisons: list[DialogueComparison]
    timed: Timed | None
    sets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    basis: tuple[str, ...] = ()


def chosen(judged: Judged, quality: str, choices: ValidityChoices) -> ValidityInput:
    """What is analysed of the judgements; InputError where nothing is left."""
    basis = list(judged.basis)
    rows, comparisons = judged.rows, judged.comparisons
    if choices.quality_by is not None:
        judged = replace(judged, rows=_with_collected(judged.rows, quality))
        rows = _quality_by(judged, quality, choices.quality_by, basis)
        comparisons = _compared_by(judged, quality, choices.quality_by, basis)
    if choices.annotators != "all":
        rows = _annotators(rows, choices, judged.where, basis)
    sets = {asked: _set(asked, rows, quality, judged) for asked in dict.fromkeys(choices.labels)}
    timed = judged.timed
    if sets:
        wanted = {quality}.union(*sets.values())
        rows = [row for row in rows if row.label in wanted]
        timed = timed_of(timed, {row.question for row in rows} | wanted)
    if not rows:
        raise InputError(f"{judged.where} has no labels to predict '{quality}' from.")
    return ValidityInput(
        dialogue_scores(
            [row.dialogue for row in rows],
            [row.label for row in rows],
            [row.value for row in rows],
            systems=[row.system for row in rows],
        ),
        [each.comparison for each in comparisons],
        timed,
        sets,
        tuple(basis),
    )


def _with_collected(rows: list[JudgedValue], quality: str) -> list[JudgedValue]:
    """Released data keep what those who chatted said under a name of its own: here it is theirs."""
    collected = f"{quality}{section_ending(COLLECTED)}"
    if all(row.label != collected for row in rows):
        return rows
    asked = next((row.question for row in rows if row.label == quality), quality)
    return [
        row._replace(label=quality, question=asked, own=True) if row.label == collected else row
        for row in rows
    ]


def _quality_by(judged: Judged, quality: str, whose: Whose, basis: list[str]) -> list[JudgedValue]:
    """The quality of some people; that of the others becomes a label beside it."""
    given = [row for row in judged.rows if row.label == quality and not isnan(row.value)]
    if not given:
        return judged.rows
    _check_known([row.own for row in given], judged, quality, whose)
    wanted, other = whose == "own", "others" if whose == "own" else "own"
    beside = f"{quality} ({other})"
    rows: list[JudgedValue] = []
    for row in judged.rows:
        if row.label != quality or row.own is wanted:
            rows.append(row)
        elif row.own is not None:
            question = f"{row.question or quality} ({other})"
            rows.append(row._replace(label=beside, question=question))
    if quality in judged.kinds:
        judged.kinds[beside] = judged.kinds[quality]
    kept = sum(row.own is wanted for row in given)
    left = sum(row.own is (not wanted) for row in given)
    told = f"Quality: {counted(kept, 'judgement')} {WHO[whose]}"
    basis.append(f"{told}; {left:,} {WHO[other]} are the label '{beside}'." if left else f"{told}.")
    if kept + left < len(given):
        basis.append(_unknown(len(given) - kept - left, quality))
    return rows


def _compared_by(
    judged: Judged, quality: str, whose: Whose, basis: list[str]
) -> list[JudgedComparison]:
    if not judged.comparisons:
        return []
    known = [each.own for each in judged.comparisons]
    _check_known(known, judged, quality, whose)
    kept = [each for each in judged.comparisons if each.own is (whose == "own")]
    basis.append(
        f"Quality: {counted(len(kept), 'comparison')} {WHO[whose]} of {len(known):,} in all."
    )
    return kept


def _check_known(own: Sequence[bool | None], judged: Judged, quality: str, whose: Whose) -> None:
    if all(each is None for each in own):
        raise InputError(
            f"{judged.where} does not say who held the dialogues, so '{quality}' cannot be told by "
            "who chatted. A table says it in a column (--own COL)."
        )
    if not any(each is (whose == "own") for each in own):
        other = "others" if whose == "own" else "own"
        raise InputError(
            f"{judged.where} has no '{quality}' {WHO[whose]}; "
            f"{counted(sum(each is not None for each in own), 'judgement')} {WHO[other]}. "
            f"Take --quality-by {other}, or quality from another study (--quality-from STUDY)."
        )


def _unknown(count: int, quality: str) -> str:
    return f"{counted(count, 'judgement')} of '{quality}' left out: nobody knows who held the dialogue."


def _annotators(
    rows: Sequence[JudgedValue], choices: ValidityChoices, where: str, basis: list[str]
) -> list[JudgedValue]:
    """One annotator of each dialogue and question: the first, or one drawn by chance."""
    raters: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        if row.rater is None:
            raise InputError(
                f"{where} does not say who judged '{row.label}'; --annotators needs a column of "
                "raters (--rater COL)."
            )
        raters.setdefault((row.dialogue, row.question or row.label), {})[row.rater] = None
    dice = Random(choices.seed)
    taken = {
        key: next(iter(who)) if choices.annotators == "first" else dice.choice(list(who))
        for key, who in raters.items()
    }
    kept = [row for row in rows if taken[row.dialogue, row.question or row.label] == row.rater]
    how = "the first" if choices.annotators == "first" else f"one drawn with seed {choices.seed}"
    several = sum(len(who) > 1 for who in raters.values())
    basis.append(
        f"Annotators: {how} where a dialogue has several ({several:,} of {len(raters):,} times); "
        f"{len(kept):,} of {len(rows):,} judgements."
    )
    return kept


def _set(asked: str, rows: Sequence[JudgedValue], quality: str, judged: Judged) -> tuple[str, ...]:
    """The labels of a set: a named one, or names of labels and questions separated by commas."""
    questions = {row.label: row.question for row in rows if row.label != quality}
    found: dict[str, None] = {}
    for part in (part.strip() for part in asked.split(",")):
        if part:
            found.update(dict.fromkeys(_matching(part, questions, quality, judged)))
    if not found:
        raise InputError(f"--labels names no label: got '{asked}'.")
    return tuple(found)


def _matching(part: str, questions: Mapping[str, str], quality: str, judged: Judged) -> list[str]:
    if part == quality:
        raise InputError(
            f"'{quality}' is the quality that labels predict; leave it out of --labels."
        )
    if part in NAMED_SETS and part not in questions:
        found = [label for label in questions if judged.kinds.get(label) == part]
        if not found:
            raise InputError(
                f"{judged.where} has no labels for the set '{part}' ({NAMED_SETS[part]}). "
                f"It has: {_offered(questions)}."
            )
        return found
    for fits in (
        lambda label: label == part,
        lambda label: questions[label] == part,
        lambda label: label.rpartition(": ")[2] == part,
        lambda label: fnmatchcase(label, part),
    ):
        found = [label for label in questions if fits(label)]
        if found:
            return found
    known = dict.fromkeys([*questions, *(each for each in questions.values() if each), *NAMED_SETS])
    hint = near(part, known) or f" It has: {_offered(questions)}; sets: {listed([*NAMED_SETS])}."
    raise InputError(f"{judged.where} has no label '{part}'.{hint}")


def _offered(labels: Collection[str]) -> str:
    return listed([f"'{label}'" for label in labels], most=12) or "none"


def timed_of(timed: Timed | None, wanted: Collection[str]) -> Timed | None:
    """The times of some labels or questions."""
    if timed is None:
        return None
    kept = [n for n, label in enumerate(timed.labels) if label in wanted]
    return Timed(
        [timed.labels[n] for n in kept],
        [timed.dialogues[n] for n in kept],
        [timed.raters[n] for n in kept],
        [timed.seconds[n] for n in kept],
    )


def label_kinds(rows: Sequence[JudgedValue], parts: Mapping[str, bool]) -> dict[str, str]:
    """The named set of each label of a table; `parts` says which labels were given to turns."""
    points: set[str] = {
        row.label for row in rows if not isnan(row.value) and row.value not in (0, 1)
    }
    return {
        label: (LIKERT_TURN if parts[label] else LIKERT) if label in points else BEHAVIOURS
        for label in dict.fromkeys(row.label for row in rows)
    }


def known_label(quality: str, labels: list[str], where: str) -> None:
    """InputError unless there is such a label."""
    if quality not in labels:
        known = list(dict.fromkeys(labels))
        hint = near(quality, known) or f" It has: {', '.join(known)}."
        raise InputError(f"{where} has no label '{quality}'.{hint}")
