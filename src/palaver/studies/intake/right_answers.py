"""The right answers of training and gold: what a file says, read by the question itself.

A ground truth that its question does not take is a mistake in the file; it is found here, before a
rater is measured against it. Files of the ChatEvaluationPlatform name steps and answers by their
texts and wrap some values; the question reads the texts, and the wrapping is taken off here.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from palaver.annotation.screens import turn_askings
from palaver.core.dialogue import Dialogue
from palaver.core.errors import AnswerError
from palaver.core.questions.comparative import SIDES
from palaver.core.questions.multiselect import Multiselect
from palaver.core.questions.question import CodedValue, Question, Shown
from palaver.core.sheets import RightAnswer, Truth
from palaver.core.units import Unit, dialogue_unit, pair_unit
from palaver.formats.dialogue_texts import DialogueText, PartRecord, alternatives
from palaver.formats.excel import Selected
from palaver.formats.json_places import Steps

# Whether right answers come with an explanation: they must, should, or need not.
Whys = Literal["required", "advised", "free"]
# Under `<task>_labels` the ChatEvaluationPlatform keeps what was selected.
LABELS = "_labels"
# The short names in its Excel files, and the labels that they stand for.
ONLY, NO_LABEL = "x", ""
CODES = {
    "empathy": "empathetic",
    "lack": "lack of empathy",
    "na": NO_LABEL,
    "value": "preference info",
    "life": "life info",
    "cont_s_ctxt": "self contradiction",
    "cont_p_ctxt": "partner contradiction",
}


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
    for question in () if part.partial else by_turn:
        for text in part.dialogues:
            several = len(by_turn) > 1
            yield from _turn_truths(dialogues[text.id], question, text, whys=whys, several=several)
    unit, shown = _whole([dialogues[text.id] for text in part.dialogues])
    for question in asked:
        if question.about == "turn":
            continue
        if question.name not in part.answers:
            if part.partial:
                continue
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
    if isinstance(answer, Selected):
        return question.read(_selected(question, answer.codes), shown)
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


def _selected(question: Question, codes: Sequence[str]) -> Any:
    """The answer that some short names stand for; AnswerError for one that is unknown."""
    chosen = [_coded(question, code) for code in codes]
    if any(value.of for value in chosen):
        steps: dict[str, list[Any]] = {}
        for value in chosen:
            steps.setdefault(value.of, []).append(value.value)
        return {step: said[0] if len(said) == 1 else said for step, said in steps.items()}
    said = [value.value for value in chosen]
    return said if isinstance(question, Multiselect) else said[0]


def _coded(question: Question, code: str) -> CodedValue:
    """What a short name stands for: the only value, an id, a label, a text, or how one begins."""
    known = question.codebook
    if code.lower() == ONLY and len(known) == 1:
        return known[0]
    meant = CODES.get(code.lower(), code).lower()
    steps = Counter(value.of for value in known)
    if meant == NO_LABEL:
        without = [value for value in known if not value.label]
        if len(without) == 1:
            return without[0]
    for name in filter(None, (meant, code.lower())):
        for matches in (str.__eq__, str.startswith):
            for value in known:
                # A step with one answer is as good as the answer.
                step = value.of if steps[value.of] == 1 else ""
                said = (str(value.value), value.label, value.text, step)
                if any(matches(each.lower(), name) for each in said if each):
                    return value
    takes = ", ".join(f"'{value.value}'" for value in known)
    raise AnswerError(f"Question '{question.name}' does not know '{code}'. It takes {takes}.")


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
