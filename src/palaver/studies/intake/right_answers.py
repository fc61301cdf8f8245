"""The right answers of training and gold: what a file says, read by the question itself.

A ground truth that its question does not take is a mistake in the file; it is found here, before a
rater is measured against it. Files of the ChatEvaluationPlatform name steps and answers by their
texts and wrap some values; the question reads the texts, and the wrapping is taken off here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from palaver.annotation.screens import turn_askings
from palaver.core.dialogue import Dialogue
from palaver.core.errors import AnswerError
from palaver.core.questions.comparative import SIDES
from palaver.core.questions.question import Question, Shown
from palaver.core.sheets import RightAnswer, Truth
from palaver.core.units import Unit, dialogue_unit, pair_unit
from palaver.formats.dialogue_texts import DialogueText, PartRecord, alternatives
from palaver.formats.json_places import Steps

# Whether right answers come with an explanation: they must, should, or need not.
Whys = Literal["required", "advised", "free"]
# Under `<task>_labels` the ChatEvaluationPlatform keeps what was selected.
LABELS = "_labels"


@dataclass(frozen=True, slots=True)
class TruthProblem:
    """Something wrong with a ground truth; the steps lead there in the file's document."""

    steps: Steps
    message: str
    warning: bool = False


@dataclass(frozen=True, slots=True)
class Grounding:
    """The right answers that could be read, and what is wrong with the others."""

    truth: Truth
    key_problems: tuple[TruthProblem, ...]


def truth_of(
    dialogue: Dialogue, question: Question, text: DialogueText, *, whys: Whys = "free"
) -> Grounding:
    """The right answers to a question about the turns of a dialogue that was made from `text`."""
    return _gather(_turn_truths(dialogue, question, text, whys=whys, several=False))


def truth_of_parts(
    parts: Sequence[PartRecord],
    dialogues: Mapping[str, Dialogue],
    questions: Mapping[str, Question],
    *,
    whys: Whys = "free",
) -> Grounding:
    """The right answers of a whole sheet; `dialogues` holds its dialogues by their file names."""
    return _gather(
        found for part in parts for found in _part_truths(part, dialogues, questions, whys)
    )


def _part_truths(
    part: PartRecord,
    dialogues: Mapping[str, Dialogue],
    questions: Mapping[str, Question],
    whys: Whys,
) -> Iterator[RightAnswer | TruthProblem]:
    asked = [questions[name] for name in part.ask or ()]
    by_turn = [question for question in asked if question.about == "turn"]
    for question in by_turn:
        for text in part.dialogues:
            several = len(by_turn) > 1
            yield from _turn_truths(dialogues[text.id], question, text, whys=whys, several=several)
    unit, shown = _whole([dialogues[text.id] for text in part.dialogues])
    for question in asked:
        if question.about == "turn":
            continue
        if question.name not in part.answers:
            message = f"'answers' has no ground truth for question '{question.name}'."
            yield TruthProblem(part.steps, message)
            continue
        steps = (*part.steps, "answers", question.name)
        yield _read(unit, question, part.answers[question.name], shown, "", steps, "")


def _turn_truths(
    dialogue: Dialogue, question: Question, text: DialogueText, *, whys: Whys, several: bool
) -> Iterator[RightAnswer | TruthProblem]:
    """One finding per turn that is asked; with `several` questions, answers stand under names."""
    asked: set[int] = set()
    for asking in turn_askings(dialogue, question):
        assert asking.turn is not None
        # Each message of the file is one event, numbered from 1; a run by one speaker is one turn.
        positions = [event.seq - 1 for event in asking.turn.events]
        asked.update(positions)
        given = [n for n in positions if _answers(text, n, question, several) is not None]
        here = f"Turn {(given or positions)[0] + 1} of '{text.id}'"
        if len(given) != 1:
            what = "more than one ground truth" if given else "no ground truth"
            yield TruthProblem((*text.steps, positions[-1]), f"{here} has {what}.")
            continue
        steps, turn = (*text.steps, given[0]), text.turns[given[0]]
        if not turn.why and whys != "free":
            message = f"{here} has no explanation ('why')."
            yield TruthProblem(steps, message, warning=whys == "advised")
        answers = _answers(text, given[0], question, several)
        why = turn.why or ""
        yield _read(asking.unit, question, answers, asking.shown, why, steps, f"{here}: ")
    for n in range(len(text.turns)):
        if n not in asked and text.turns[n].answers is not None and not several:
            message = f"Turn {n + 1} of '{text.id}' has an answer, but is not asked about."
            yield TruthProblem((*text.steps, n), message, warning=True)


def _answers(text: DialogueText, n: int, question: Question, several: bool) -> Any:
    answers = text.turns[n].answers
    if not several:
        return answers
    return answers.get(question.name) if isinstance(answers, dict) else None


def _read(
    unit: Unit,
    question: Question,
    answers: Any,
    shown: Shown,
    why: str,
    steps: Steps,
    here: str,
) -> RightAnswer | TruthProblem:
    options = alternatives(answers)
    if not options:
        return TruthProblem(steps, f"{here}'options' lists no right answer.")
    try:
        values = tuple(read_answer(question, answer, shown) for answer in options)
    except AnswerError as error:
        return TruthProblem(steps, f"{here}{error}")
    return RightAnswer(unit=unit.key, question=question.name, any_of=values, why=why)


def read_answer(question: Question, answer: Any, shown: Shown) -> Any:
    """The value of an answer as a file writes it; AnswerError if the question does not take it."""
    wrapped = isinstance(answer, dict) and len(answer) == 1
    key, inner = next(iter(answer.items())) if wrapped else ("", None)
    if isinstance(key, str) and key.endswith(LABELS):
        return question.read(inner, shown)
    try:
        return question.read(answer, shown)
    except AnswerError:
        # Nothing selected is written {} whatever the question; a rating is written {name: point}.
        if not wrapped and answer != {}:
            raise
        try:
            return question.read(inner if wrapped else [], shown)
        except AnswerError:
            pass
        raise


def _whole(dialogues: Sequence[Dialogue]) -> tuple[Unit, Shown]:
    """What questions about the whole judge; "a" is the dialogue that the file names first."""
    units = [dialogue_unit(dialogue.id) for dialogue in dialogues]
    if len(units) == 1:
        return units[0], Shown()
    pair = pair_unit(*units)
    as_written = pair.members == tuple(unit.key for unit in units)
    return pair, Shown(order=SIDES if as_written else SIDES[::-1])


def _gather(found: Iterable[RightAnswer | TruthProblem]) -> Grounding:
    answers: list[RightAnswer] = []
    key_problems: list[TruthProblem] = []
    for one in found:
        if isinstance(one, RightAnswer):
            answers.append(one)
        else:
            key_problems.append(one)
    return Grounding(Truth(answers=tuple(answers)), tuple(key_problems))
