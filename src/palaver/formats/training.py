"""Training sets: dialogues whose right answers are known, in rounds, with the rule of passing.

Ours are YAML: `question`, `pass`, `introduction` and `rounds`, whose turns are `user: …` or
`system: …` with `answer` (or `any_of`), `why` and the `clause` of the definition that decides. Those
of the ChatEvaluationPlatform (`onboarding_data/*.json`) are read unchanged: rounds by name, the last
one counts. Both are given here as plain data; whether the answers are answers to the question, and
the clauses are in its definition, is asked where the question is known.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from palaver.core.registry import near
from palaver.formats.dialogue_texts import DialogueText, TurnText, any_of
from palaver.formats.json_places import Steps
from palaver.formats.line_problems import FormatProblem, LineProblems, Locate, wrong_type

T = TypeVar("T")

TURN_KEYS = ("user", "system", "answer", "any_of", "clause", "why")


class TrainingSet(msgspec.Struct, frozen=True, kw_only=True):
    """What a screen stage teaches. Rounds are counted from 1.

    `clauses` names, for each turn that says so, the clauses of the question's definition that decide
    its answer; steps lead to the turn in the file. `must_explain` says whether the format asks for an
    explanation of every right answer.
    """

    question: str
    introduction: str = ""
    rounds: tuple[DialogueText, ...]
    passing_rounds: tuple[int, ...]
    mistakes: int
    clauses: dict[Steps, tuple[str, ...]] = {}
    must_explain: bool = True


class _Pass(msgspec.Struct, forbid_unknown_fields=True):
    rounds: list[int]
    mistakes: int


class _File(msgspec.Struct, forbid_unknown_fields=True, rename={"passing": "pass"}):
    question: str
    passing: _Pass
    rounds: list[Any]
    introduction: str = ""


class _Round(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    turns: list[Any]


class _Onboarding(msgspec.Struct):
    turns: list[Any]
    annotation_tasks: list[str]
    dialogue_id: str = ""
    pass_criteria: int = 0
    bot_persona: Any = None


def read_training(data: Any, line_problems: LineProblems, locate: Locate) -> TrainingSet | None:
    """The training set in a file of ours or of the ChatEvaluationPlatform; None where it is none.

    `locate` gives the place of a part of the file; what is wrong goes to `line_problems`.
    """
    reading = _Reading(line_problems, locate)
    try:
        if not isinstance(data, dict) or not data:
            raise FormatProblem((), "A training set is a mapping with 'question' and 'rounds'.")
        if _is_onboarding(data):
            return reading.onboarding(data)
        return reading.own(data)
    except FormatProblem as problem:
        reading.report(problem)
        return None


def _is_onboarding(data: dict[str, Any]) -> bool:
    rounds = [entry for entry in data.values() if isinstance(entry, dict) and "turns" in entry]
    return "rounds" not in data and bool(rounds)


class _Reading:
    """One file on its way; a turn that is wrong does not hide the next one."""

    def __init__(self, line_problems: LineProblems, locate: Locate) -> None:
        self._line_problems = line_problems
        self._locate = locate
        self._clauses: dict[Steps, tuple[str, ...]] = {}

    def report(self, problem: FormatProblem) -> None:
        """Note what is wrong, where it stands."""
        line, column = self._locate(problem.steps)
        self._line_problems.add(problem.message, line=line, column=column)

    def own(self, data: dict[str, Any]) -> TrainingSet:
        file = _convert(data, _File, ())
        if not file.rounds:
            raise FormatProblem(("rounds",), "'rounds' is empty.")
        rounds = tuple(self._round(n, given) for n, given in enumerate(file.rounds))
        self._check_ids(rounds)
        for n, number in enumerate(file.passing.rounds):
            if not 1 <= number <= len(rounds):
                message = f"'rounds' takes 1 to {len(rounds)}; got {number}."
                self.report(FormatProblem(("pass", "rounds", n), message))
        if file.passing.mistakes < 0:
            message = f"'mistakes' takes 0 or more; got {file.passing.mistakes}."
            self.report(FormatProblem(("pass", "mistakes"), message))
        return TrainingSet(
            question=file.question,
            introduction=file.introduction,
            rounds=rounds,
            passing_rounds=tuple(file.passing.rounds),
            mistakes=file.passing.mistakes,
            clauses=self._clauses,
        )

    def onboarding(self, data: dict[str, Any]) -> TrainingSet:
        """A file of the ChatEvaluationPlatform; its order is the order of the rounds."""
        given = [(name, _convert(entry, _Onboarding, (name,))) for name, entry in data.items()]
        first_name, first = given[0]
        if len(first.annotation_tasks) != 1:
            steps = (first_name, "annotation_tasks")
            message = f"'annotation_tasks' takes one task; got {len(first.annotation_tasks)}."
            raise FormatProblem(steps, message)
        for name, entry in given:
            if entry.annotation_tasks != first.annotation_tasks:
                message = f"'{name}' teaches another task than '{first_name}'."
                self.report(FormatProblem((name, "annotation_tasks"), message))
        return TrainingSet(
            question=first.annotation_tasks[0],
            rounds=tuple(
                DialogueText(
                    id=entry.dialogue_id or name,
                    turns=self._turns(entry.turns, (name, "turns"), _onboarding_turn),
                    steps=(name, "turns"),
                )
                for name, entry in given
            ),
            passing_rounds=(len(given),),
            mistakes=given[-1][1].pass_criteria,
            must_explain=False,
        )

    def _round(self, n: int, given: Any) -> DialogueText:
        steps: Steps = ("rounds", n)
        entry = _convert(given, _Round, steps)
        inside = (*steps, "turns")
        turns = self._turns(entry.turns, inside, self._own_turn)
        return DialogueText(id=entry.id, turns=turns, steps=inside)

    def _own_turn(self, given: Any, steps: Steps) -> TurnText:
        turn = _own_turn(given, steps)
        if "clause" in given:
            self._clauses[steps] = _clauses(given["clause"], steps)
        return turn

    def _turns(
        self, given: list[Any], steps: Steps, read: Callable[[Any, Steps], TurnText]
    ) -> tuple[TurnText, ...]:
        if not given:
            self.report(FormatProblem(steps, "'turns' is empty."))
        turns: list[TurnText] = []
        for n, turn in enumerate(given):
            try:
                turns.append(read(turn, (*steps, n)))
            except FormatProblem as problem:
                self.report(problem)
        return tuple(turns)

    def _check_ids(self, rounds: tuple[DialogueText, ...]) -> None:
        seen: set[str] = set()
        for n, text in enumerate(rounds):
            if text.id in seen:
                message = f"The id '{text.id}' is used twice."
                self.report(FormatProblem(("rounds", n, "id"), message))
            seen.add(text.id)


def _own_turn(given: Any, steps: Steps) -> TurnText:
    number = int(steps[-1]) + 1
    if not isinstance(given, dict):
        raise FormatProblem(steps, f"Turn {number} is 'user: …' or 'system: …' with its answer.")
    for key in given:
        if key not in TURN_KEYS:
            hint = near(key, TURN_KEYS) or f" Known keys: {', '.join(TURN_KEYS)}."
            raise FormatProblem((*steps, key), f"Turn {number}: unknown key '{key}'.{hint}")
    speakers = [key for key in ("user", "system") if key in given]
    if len(speakers) != 1:
        raise FormatProblem(steps, f"Turn {number} has either 'user' or 'system'.")
    for key in (speakers[0], "why"):
        if not isinstance(given.get(key, ""), str):
            raise FormatProblem(
                (*steps, key), f"Turn {number}: '{key}' takes text. Put it in quotes."
            )
    if "answer" in given and "any_of" in given:
        message = f"Turn {number} has either 'answer' or 'any_of', not both."
        raise FormatProblem((*steps, "any_of"), message)
    answers = given.get("answer")
    if "any_of" in given:
        if not isinstance(given["any_of"], list) or not given["any_of"]:
            message = f"Turn {number}: 'any_of' takes a list of right answers."
            raise FormatProblem((*steps, "any_of"), message)
        answers = any_of(given["any_of"])
    return TurnText(speakers[0], given[speakers[0]], answers, given.get("why"))


def _clauses(given: Any, steps: Steps) -> tuple[str, ...]:
    names = given if isinstance(given, list) else [given]
    if not names or not all(isinstance(name, str) and name for name in names):
        number = int(steps[-1]) + 1
        message = f"Turn {number}: 'clause' takes the name of a clause, or a list of names."
        raise FormatProblem((*steps, "clause"), message)
    return tuple(names)


def _onboarding_turn(given: Any, steps: Steps) -> TurnText:
    return _convert(given, TurnText, steps)


def _convert(given: Any, kind: type[T], steps: Steps) -> T:
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise wrong_type(error, steps) from error
