"""What a field of a task may hold: one class per kind, which checks predictions and gold alike.

A field checks a value beside the whole record it stands in, because a span must stand in its
context. `check` raises ValueError with what is wrong; whoever called it adds which record it was.
Kinds with labels stand in `labelled.py`; `FIELDS` finds every kind by its name.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from palaver.core.registry import Registry
from palaver.core.words import shortened

SHOWN = 60
MISSING = "it is missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field(ABC):
    """A named part of an example or of an answer."""

    kind: ClassVar[str]
    # Whether gold may be a list of values that are all right.
    takes_several: ClassVar[bool] = False

    name: str
    title: str = ""
    about: str = ""

    @abstractmethod
    def check(self, value: Any, record: Mapping[str, Any]) -> Any:
        """The value as it is kept; ValueError if it is none of this kind."""

    @abstractmethod
    def sample(self, record: Mapping[str, Any]) -> Any:
        """A value to show, fit for a record that holds `record` already."""

    def absent(self) -> Any:
        """The value in a record that has none; ValueError if it must have one."""
        raise ValueError(MISSING)

    @property
    def refers_to(self) -> tuple[str, ...]:
        """The other fields without which it cannot be checked."""
        return ()

    def check_gold(self, value: Any, record: Mapping[str, Any]) -> Any:
        """A gold value as it is kept: one value, or a list of values that are all right."""
        if not (self.takes_several and isinstance(value, list)):
            return self.check(value, record)
        return [self.check(each, record) for each in value]

    def check_uploaded(self, value: Any, record: Mapping[str, Any]) -> Any:
        """The value of a prediction that was uploaded; some kinds ask less of those."""
        return self.check(value, record)

    def named(self, value: Any, codes: Mapping[str, str]) -> Any:
        """The value with its labels by their names of today; `codes` maps old names to them."""
        return value

    def measured(self, value: Any) -> Any:
        """The value as metrics take it."""
        return value

    def is_right(self, value: Any, gold: Any) -> bool:
        """Whether a checked value is the gold one, or one of several that are all right."""
        if self.takes_several and isinstance(gold, list):
            return value in gold
        return bool(value == gold)


@dataclass(frozen=True, slots=True, kw_only=True)
class String(Field):
    """A text, also an empty one; `default` stands in records that lack it."""

    kind: ClassVar[str] = "string"
    takes_several: ClassVar[bool] = True

    default: str | None = None

    def absent(self) -> str:
        if self.default is None:
            raise ValueError(MISSING)
        return self.default

    def check(self, value: Any, record: Mapping[str, Any]) -> str:
        if not isinstance(value, str):
            raise ValueError(f"expected a text; got {shown(value)}")
        return value

    def sample(self, record: Mapping[str, Any]) -> str:
        return f"Some words for the {self.title or self.name}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Image(Field):
    """The address of an image; a model is sent its bytes in base64."""

    kind: ClassVar[str] = "image"

    def check(self, value: Any, record: Mapping[str, Any]) -> str:
        if not isinstance(value, str) or not value:
            raise ValueError(f"expected the address of an image; got {shown(value)}")
        return value

    def sample(self, record: Mapping[str, Any]) -> str:
        return "https://example.org/image.png"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns(Field):
    """A dialogue so far: a list of objects with `speaker` and `text`.

    Where `speakers` are listed, nobody else speaks.
    """

    kind: ClassVar[str] = "turns"

    speakers: tuple[str, ...] = ()

    def check(self, value: Any, record: Mapping[str, Any]) -> list[dict[str, Any]]:
        if not isinstance(value, list):
            raise ValueError(f"expected a list of turns; got {shown(value)}")
        for n, turn in enumerate(value, 1):
            texts = isinstance(turn, dict) and all(
                isinstance(turn.get(key), str) for key in ("speaker", "text")
            )
            if not texts:
                raise ValueError(f"turn {n} needs 'speaker' and 'text'; got {shown(turn)}")
            if self.speakers and turn["speaker"] not in self.speakers:
                known = ", ".join(self.speakers)
                raise ValueError(f"turn {n} is of '{turn['speaker']}'; the speakers are {known}")
        return value

    def sample(self, record: Mapping[str, Any]) -> list[dict[str, str]]:
        return self.said("Can you help me?", "What is the matter?")

    def said(self, *texts: str) -> list[dict[str, str]]:
        """These texts as turns, the speakers one after the other."""
        speakers = self.speakers or ("user", "system")
        return [
            {"speaker": speakers[n % len(speakers)], "text": text} for n, text in enumerate(texts)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextStringSelection(Field):
    """A text that stands word for word in another field."""

    kind: ClassVar[str] = "context_string_selection"
    takes_several: ClassVar[bool] = True

    reference: str

    def check(self, value: Any, record: Mapping[str, Any]) -> str:
        text = self.check_uploaded(value, record)
        if text not in str(record.get(self.reference, "")):
            raise ValueError(f"{shown(text)} is not in '{self.reference}'")
        return text

    def check_uploaded(self, value: Any, record: Mapping[str, Any]) -> str:
        """The text; a model that wrote it need not have copied it."""
        if not isinstance(value, str):
            raise ValueError(f"expected a part of '{self.reference}'; got {shown(value)}")
        return value

    def sample(self, record: Mapping[str, Any]) -> str:
        """The first words of the text it is taken from."""
        return " ".join(str(record.get(self.reference, "")).rstrip(".").split()[:2])

    @property
    def refers_to(self) -> tuple[str, ...]:
        """The field it is taken from."""
        return (self.reference,)


def shown(value: Any) -> str:
    """A value for a message, cut to a readable length."""
    return shortened(repr(value), SHOWN)


FIELDS: Registry[type[Field]] = Registry(
    "kind of field",
    "palaver.fields",
    {
        "context_string_selection": "palaver.core.tasks.fields:ContextStringSelection",
        "image": "palaver.core.tasks.fields:Image",
        "multiclass": "palaver.core.tasks.labelled:Multiclass",
        "multilabel": "palaver.core.tasks.labelled:Multilabel",
        "prob": "palaver.core.tasks.labelled:Prob",
        "string": "palaver.core.tasks.fields:String",
        "turn_probs": "palaver.core.tasks.turn_probs:TurnProbs",
        "turns": "palaver.core.tasks.fields:Turns",
    },
    see=" See docs/tasks.md.",
)
