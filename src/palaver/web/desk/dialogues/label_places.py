"""The labels of a dialogue in their place: under the turn they judge, at its end, beside another."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palaver.core.dialogue import Dialogue, Turn
from palaver.core.questions.comparative import FIRST, SECOND, SIDES, Comparative, side_of
from palaver.core.questions.question import Question, spoken
from palaver.core.records import PlacedLabel
from palaver.core.words import isolated
from palaver.studies.review.answers import answer_words, unit_words
from palaver.web.desk.questions.judgements import excluded_words
from palaver.web.shell import ChoiceLink

# The questions of each study, by study and name.
Questions = Mapping[tuple[str, str], Question]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedAnswer:
    """One rater's answer to a question about a unit; `history` is what they said before."""

    label: PlacedLabel
    answer: str
    notes: tuple[str, ...]
    counted: bool
    history: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuestion:
    """A question about one unit with everybody's answers; `summary` is their distribution."""

    study: str
    question: str
    text: str
    about: str
    summary: tuple[str, ...]
    answers: tuple[PlacedAnswer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAnswer:
    """An answer to a question about this dialogue and another one, `other` by its key."""

    answer: str
    other: str
    other_name: str
    other_source: str | None
    said: PlacedAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueJudgements:
    """The labels of a dialogue: by the event they stand under, about the whole, and comparisons."""

    by_event: Mapping[int, tuple[JudgedQuestion, ...]]
    whole: tuple[JudgedQuestion, ...]
    comparisons: tuple[PairAnswer, ...]
    count: int
    excluded: str
    choices: tuple[ChoiceLink, ...]


def place_labels(
    labels: Sequence[PlacedLabel],
    dialogue: Dialogue,
    questions: Questions,
    *,
    key: str,
    choices: tuple[ChoiceLink, ...],
) -> DialogueJudgements:
    """Everything that was said about a dialogue, each in its place."""
    by_id = {label.id: label for label in labels}
    newest = [label for label in labels if not label.superseded]
    pairs = [label for label in newest if label.place.kind == "pair"]
    groups: dict[tuple[int, str], list[PlacedLabel]] = {}
    for label in newest:
        if label.place.kind != "pair":
            groups.setdefault((label.place.id, label.question), []).append(label)
    by_event: dict[int, list[JudgedQuestion]] = {}
    whole: list[JudgedQuestion] = []
    for (_, name), given in groups.items():
        unit = given[0].place
        judged = _judged(
            given,
            by_id,
            questions.get((given[0].study, name)),
            text="" if unit.first_seq is None else _text(dialogue, unit.first_seq, unit.last_seq),
        )
        if unit.first_seq is None:
            whole.append(judged)
        else:
            by_event.setdefault(unit.last_seq or unit.first_seq, []).append(judged)
    return DialogueJudgements(
        by_event={seq: tuple(judged) for seq, judged in by_event.items()},
        whole=tuple(whole),
        comparisons=tuple(
            _comparison(label, by_id, questions.get((label.study, label.question)), key)
            for label in pairs
        ),
        count=len(newest),
        excluded=excluded_words(len({label.rater for label in newest if label.excluded})),
        choices=choices,
    )


def _judged(
    given: Sequence[PlacedLabel],
    by_id: Mapping[int, PlacedLabel],
    question: Question | None,
    *,
    text: str,
) -> JudgedQuestion:
    first = given[0]
    answers = tuple(_placed(label, by_id, question, text) for label in given)
    tally = Counter(answer.answer for answer in answers if answer.counted)
    return JudgedQuestion(
        study=first.study,
        question=first.question,
        text=spoken(question.text) if question is not None else "",
        about="" if first.place.seat is None else unit_words(first.place),
        summary=tuple(f"{isolated(words)} × {count}" for words, count in tally.most_common()),
        answers=answers,
    )


def _placed(
    label: PlacedLabel,
    by_id: Mapping[int, PlacedLabel],
    question: Question | None,
    text: str,
) -> PlacedAnswer:
    notes: list[str] = [label.purpose] if label.purpose != "real" else []
    notes += ["rater left out"] if label.excluded else []
    notes += ["given up"] if label.abandoned else []
    notes += (
        ["older wording"]
        if question is not None and label.question_version != question.version
        else []
    )
    says_something = not (label.abstained or label.erased)
    is_real = label.purpose == "real" and not label.abandoned
    return PlacedAnswer(
        label=label,
        answer=answer_words(question, label, text=text),
        notes=tuple(notes),
        counted=says_something and is_real and not label.excluded,
        history=tuple(
            ", ".join(part for part in (answer_words(question, old, text=text), _took(old)) if part)
            for old in _before(label, by_id)
        ),
    )


def _before(label: PlacedLabel, by_id: Mapping[int, PlacedLabel]) -> list[PlacedLabel]:
    """What the same rater said before, newest first."""
    earlier: list[PlacedLabel] = []
    while label.supersedes is not None and label.supersedes in by_id:
        label = by_id[label.supersedes]
        earlier.append(label)
    return earlier


def _comparison(
    label: PlacedLabel,
    by_id: Mapping[int, PlacedLabel],
    question: Question | None,
    key: str,
) -> PairAnswer:
    sides = label.place.sides or ("", "")
    here, beside = (FIRST, 1) if sides[0] == key else (SECOND, 0)
    names, sources = label.place.names, label.place.source_ids
    said = _placed(label, by_id, question, "")
    return PairAnswer(
        answer=_side(label, here, question) or said.answer,
        other=sides[beside],
        other_name=names[beside] if len(names) == 2 else sides[beside],
        other_source=sources[beside] if len(sources) == 2 else None,
        said=said,
    )


def _side(label: PlacedLabel, here: str, question: Question | None) -> str:
    """A comparison from the side of this dialogue; empty for what compares nothing or was not said."""
    if label.value is None or (question is not None and question.level != "pairwise"):
        return ""
    side = side_of(label.value) if isinstance(label.value, str) else ""
    if side not in SIDES:
        return "no difference"
    degree = question.degree_words(label.value) if isinstance(question, Comparative) else ()
    return ", ".join(["this dialogue" if side == here else "the other dialogue", *degree])


def _text(dialogue: Dialogue, first: int, last: int | None) -> str:
    return Turn(0, dialogue.events[first - 1 : last or first]).text


def _took(label: PlacedLabel) -> str:
    return "" if label.seconds is None else f"{label.seconds:.1f} s"
