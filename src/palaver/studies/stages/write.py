"""The write stage: people write what a model of a task should get wrong, and see whether it did.

It is a chat with the model in the loop: seat 0 writes, seat 1 answers. What a session asks for comes
from the round of the task that is open (`studies/run/rounds`); the file says what a round is to be.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, Strict, model_validator

from palaver.core.evaluation.rounds import BonusRule, RoundTerms
from palaver.core.words import counted, listed
from palaver.formats.key_problems import KeyProblem
from palaver.games.model_in_the_loop.moves import GAME_NAME
from palaver.studies.stages.chat import ChatStage
from palaver.studies.stages.parts import Count, Duration, Many, Number, Part, Text, Told

# What the model's seat is called in the dialogues of a study, whichever model sits there.
IN_THE_LOOP = "in_the_loop"
# Keys of a chat that a write stage takes too; all others it decides itself.
SHARED = frozenset({"minutes", "limits", "retries"})
USUAL_LIMITS = {"message": None, "dialogue": 3600.0, "idle": 1800.0, "disconnect": None}

Whole = Annotated[int, Strict(), Field(ge=0, le=1000)]
Goals = dict[Text, Count | None]


class DatasetContexts(Part):
    """Contexts from a data set of the task: its items without their gold."""

    dataset: Text
    # How many of its items, drawn by lot; all where that is left out.
    sample: Count | None = None


def _read_goals(given: Any) -> Any:
    """A list of labels as a mapping to how many sessions ask for each."""
    if isinstance(given, list) and all(isinstance(each, str) for each in given):
        return dict.fromkeys(given)
    return given


def _as_list(given: Any) -> Any:
    return [given] if isinstance(given, str) else given


class WriteStage(ChatStage):
    """Sessions of writing against the models of a round."""

    kind: ClassVar[Literal["write"]] = "write"  # type: ignore[assignment]
    called: ClassVar[str] = "writing"

    task: Text
    contexts: Annotated[Text | DatasetContexts | None, Field(union_mode="left_to_right")] = None
    models: Annotated[Many[Text], BeforeValidator(_as_list)] = ("leader",)
    talk: Text | None = None
    tries: Count = 5
    goals: Annotated[Goals, BeforeValidator(_read_goals), Field(default_factory=dict)]
    per_context: Count = 1
    # How many sessions there are where a task has no contexts.
    sessions: Count | None = None
    per_visit: Count = 5
    skips: Whole = 5
    validators: Count = 3
    matching: Count = 2
    answer_within: Duration = 20.0
    bonus: dict[BonusRule, Number] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _gather_game(cls, given: Any) -> Any:
        """A chat with one system and no options that the file could say."""
        if not isinstance(given, Mapping):
            return given
        own = set(cls.model_fields) - set(ChatStage.model_fields) | SHARED
        foreign = sorted(key for key in given if key in ChatStage.model_fields and key not in own)
        if foreign:
            raise ValueError(f"A write stage takes no '{foreign[0]}'. Leave it out.")
        seated = given.get("talk") if isinstance(given.get("talk"), str) else IN_THE_LOOP
        each = given.get("per_context", 1)
        return {
            **given,
            "limits": {**USUAL_LIMITS, **(given.get("limits") or {})}
            if isinstance(given.get("limits") or {}, Mapping)
            else given["limits"],
            "game": {"name": GAME_NAME, "options": {}},
            "blind": False,
            "pace": None,
            "disguise": None,
            "conditions": [
                {"systems": [seated], "per_scenario": each if isinstance(each, int) else 1}
            ],
        }

    @property
    def terms(self) -> RoundTerms:
        """What a round that opens now begins with."""
        return RoundTerms(
            tries=self.tries,
            goals=dict(self.goals),
            per_context=self.per_context,
            sessions=self.sessions,
            validators=self.validators,
            matching=self.matching,
            bonus=dict(self.bonus),
            talk=self.talk or "",
        )

    @property
    def told(self) -> Told:
        """What writers are told before they begin."""
        what = "Talk with a program until it goes wrong" if self.talk else "Outwit a program"
        texts = counted(self.per_visit, "text")
        tries = "messages" if self.talk else "tries"
        return Told(what, f"Up to {texts}, with {self.tries} {tries} for each.")

    def system_names(self) -> set[str]:
        """The dialogue system of the study that sits here, if it is one."""
        return {self.talk} if self.talk else set()

    @property
    def seats_of_systems(self) -> frozenset[int]:
        return frozenset({1})

    def key_problems(self) -> Iterator[KeyProblem]:
        """Where this stage contradicts itself."""
        if self.matching > self.validators:
            message = (
                f"'matching' asks for {self.matching} equal judgements, and there are "
                f"{self.validators} 'validators'."
            )
            yield KeyProblem(("matching",), message)
        elif self.matching * 2 <= self.validators:
            message = (
                f"With {self.validators} 'validators' two verdicts may each have "
                f"{self.matching}. Take at least {self.validators // 2 + 1}."
            )
            yield KeyProblem(("matching",), message)
        if self.contexts is None and self.sessions is None:
            message = (
                "Say what is written about: 'contexts', a file or {dataset: NAME}; or, for a task "
                "without context, how many 'sessions' there are."
            )
            yield KeyProblem((), message)
        elif self.contexts is not None and self.sessions is not None:
            yield KeyProblem(("sessions",), "'sessions' is for a task without contexts.")
        yield from self._talk_problems()
        twice = sorted({name for name in self.models if self.models.count(name) > 1})
        if twice:
            yield KeyProblem(("models",), f"{listed(twice)} is named twice.")

    def _talk_problems(self) -> Iterator[KeyProblem]:
        if self.talk is None:
            return
        if not self.goals:
            message = "With 'talk', 'goals' lists the labels that name something wrong with a turn."
            yield KeyProblem(("talk",), message)
        elif any(count is not None for count in self.goals.values()):
            message = "In talk a writer takes the fault that is found; 'goals' is a list there."
            yield KeyProblem(("goals",), message)
        if "models" in self.model_fields_set:
            yield KeyProblem(("models",), "'talk' names the system; leave 'models' out.")
