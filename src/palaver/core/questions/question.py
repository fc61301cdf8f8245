"""What every question kind has in common.

A question is declared in a study file, checked on the server, and knows its measurement level, so
that no later table picks the wrong coefficient. A kind is one class here and one template.

An answer comes from a form (`parse` makes it out of the fields) or from a model judge (as it is);
`read` checks it and gives the value to store. `labels` says what that value means.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec

from palaver.core.questions.turns import ANY, Indices, is_speaker

Level = Literal["nominal", "ordinal", "interval", "ratio", "pairwise", "text"]
# What a question judges: a whole dialogue, each of some turns, or two dialogues side by side.
About = Literal["dialogue", "turn", "pair"]
# What stands for the worse and the better of two, in a question beside a comparison.
WORSE, BETTER = "{worse}", "{better}"
# What they are called while nobody knows which is which.
WORSE_ONE, BETTER_ONE = "the worse one", "the better one"
# The form fields of one question about one unit, by what follows the field's name ("" for itself).
Fields = Mapping[str, Sequence[str]]


class Shown(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What stood on the page: the order of sides or options, who spoke the judged turn, its words.

    `role` is "user" or "system", `seat` the number of the seat; both are None for a whole dialogue.
    """

    order: tuple[str, ...] | None = None
    role: str | None = None
    seat: int | None = None
    text: str = ""


class QuestionExample(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A turn that shows what a question means; `applies` tells positive from negative examples."""

    response: str
    context: tuple[str, ...] = ()
    applies: bool = True
    answer: str = ""
    why: str = ""


class CodedValue(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One value of the codebook: what is stored, what raters read, and the label that it gives.

    `of` is the step or aspect that it belongs to, where a question has several.
    """

    value: str | int | float
    text: str = ""
    label: str = ""
    of: str = ""


class Question(Protocol):
    """A question of some kind."""

    @property
    def name(self) -> str:
        """The name by which studies and tables know it."""
        ...

    @property
    def kind(self) -> str:
        """The name of its class in the registry, and of its template."""
        ...

    @property
    def text(self) -> str:
        """What the rater reads."""
        ...

    @property
    def help(self) -> str:
        """A smaller line under the question."""
        ...

    @property
    def definition(self) -> str:
        """What is judged and where its borders are, as Markdown."""
        ...

    @property
    def examples(self) -> tuple[QuestionExample, ...]:
        """Turns that show what is meant."""
        ...

    @property
    def required(self) -> bool:
        """Whether it must be answered."""
        ...

    @property
    def expected(self) -> Any:
        """The right answer of an attention check; it never reaches a page."""
        ...

    @property
    def indices(self) -> Indices | None:
        """Which turns it is asked of, by position."""
        ...

    @property
    def speaker(self) -> str | int | None:
        """Whose turns it is asked of."""
        ...

    @property
    def response(self) -> bool:
        """Whether it judges the last message alone, in the light of those before it."""
        ...

    @property
    def beside(self) -> str:
        """The comparison that it is asked with, of the same pair; empty where it is of none."""
        ...

    @property
    def names_a_side(self) -> bool:
        """Whether it speaks of the better or the worse of two, and so cannot follow a tie."""
        ...

    @property
    def about(self) -> About:
        """What it judges."""
        ...

    @property
    def level(self) -> Level:
        """Its measurement level."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever anything a rater sees changes."""
        ...

    @property
    def label_names(self) -> tuple[str, ...]:
        """Every label that an answer can give; empty where values speak for themselves."""
        ...

    @property
    def stored_as(self) -> str:
        """What the stored value of an answer is, in a few words."""
        ...

    @property
    def codebook(self) -> tuple[CodedValue, ...]:
        """Every value that an answer is made of; empty where it can be anything."""
        ...

    def parse(self, fields: Fields) -> Any:
        """The answer that the fields of a form hold; None if the question was left out."""
        ...

    def read(self, answer: Any, shown: Shown) -> Any:
        """The value to store for an answer; AnswerError if it is not one."""
        ...

    def on_form(self, value: Any) -> Any:
        """A stored value as a form holds it: what `parse` would make of it."""
        ...

    def left_open(self, answer: Any) -> bool:
        """Whether an answer of a form leaves a part open in which "none" is a thing to tick."""
        ...

    def labels(self, value: Any) -> tuple[str, ...]:
        """The labels that a stored value gives."""
        ...

    def in_words(self, value: Any) -> str:
        """A stored value as the rater read it."""
        ...


class Stem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The fields of every kind, and what most kinds say of themselves.

    `speaker` or `indices` make it a question about turns; without either it is about the whole. With
    `response` the last message is what is judged: a page marks it, and shows what came before once.
    With `beside` it is asked of the pair that the comparison of this name is asked of, once that is
    answered; its words may say `{worse}` and `{better}`.
    """

    name: str
    text: str
    help: str = ""
    definition: str = ""
    examples: tuple[QuestionExample, ...] = ()
    required: bool = True
    speaker: str | int | None = None
    indices: Indices | None = None
    response: bool = False
    beside: str = ""
    expected: Any = None

    def __post_init__(self) -> None:
        if self.speaker is not None and not is_speaker(self.speaker):
            raise ValueError(
                f"'speaker' takes 'system', 'user', '{ANY}' or the number of a seat; "
                f"got '{self.speaker}'."
            )
        if self.speaker is not None and self.indices is not None:
            raise ValueError("'speaker' and 'indices' both choose turns. Leave one of them out.")
        if self.beside and self._is_of_turns:
            raise ValueError(
                "'beside' asks about two dialogues, 'speaker' and 'indices' about turns. Leave one out."
            )

    @property
    def _is_of_turns(self) -> bool:
        return self.speaker is not None or self.indices not in (None, "no_indices")

    @property
    def about(self) -> About:
        """Turns where a speaker or positions are named, a pair beside a comparison, else the whole."""
        if self.beside:
            return "pair"
        return "turn" if self._is_of_turns else "dialogue"

    @property
    def names_a_side(self) -> bool:
        """Whether any of its words are `{worse}` or `{better}`."""
        said = msgspec.json.encode(self) if self.beside else b""
        return any(sign.encode() in said for sign in (WORSE, BETTER))

    @property
    def version(self) -> str:
        """Changes with any word of the question."""
        return VERSIONS.of(self)

    @property
    def label_names(self) -> tuple[str, ...]:
        """No labels beyond the values themselves."""
        return ()

    @property
    def stored_as(self) -> str:
        return "the answer itself"

    @property
    def codebook(self) -> tuple[CodedValue, ...]:
        """Nothing: an answer can be anything."""
        return ()

    def parse(self, fields: Fields) -> Any:
        """The one field's value; None where it is missing or empty."""
        given = fields.get("", ())
        return given[0] if given and given[0] != "" else None

    def on_form(self, value: Any) -> Any:
        """The value itself."""
        return value

    def left_open(self, answer: Any) -> bool:
        """No kind but a flow has parts of this sort."""
        return False

    def labels(self, value: Any) -> tuple[str, ...]:
        """A text stands for itself; any other value gives no label."""
        return (value,) if isinstance(value, str) else ()

    def in_words(self, value: Any) -> str:
        """The value itself."""
        return str(value)


def spoken(
    text: str,
    *,
    speaker: str = "the speaker",
    partner: str = "the other person",
    worse: str = WORSE_ONE,
    better: str = BETTER_ONE,
) -> str:
    """A text of a question with the names of those it speaks of.

    >>> spoken("Did SPEAKER_X answer {partner}?", speaker="Alex")
    'Did Alex answer the other person?'
    >>> spoken("How good is {worse}?", worse="B")
    'How good is B?'
    """
    text = text.replace(WORSE, worse).replace(BETTER, better)
    for sign in ("{speaker}", "SPEAKER_X"):
        text = text.replace(sign, speaker)
    for sign in ("{partner}", "SPEAKER_Y"):
        text = text.replace(sign, partner)
    return text[:1].upper() + text[1:]


def content_version(question: msgspec.Struct) -> str:
    """A short digest of everything a question says; what it expects is no part of that."""
    said = msgspec.to_builtins(question, str_keys=True)
    said.pop("expected", None)
    # msgspec leaves out a default only where it is the very same object; here equality counts, so
    # that writing a default out changes nothing.
    for field in msgspec.structs.fields(question):
        if getattr(question, field.name) == field.default:
            said.pop(field.encode_name, None)
    encoded = msgspec.json.encode(said, order="deterministic")
    return hashlib.sha256(encoded).hexdigest()[:12]


class Versions:
    """The versions of questions that were asked for: every label of a sheet needs one.

    A question is frozen and may hold what cannot be hashed, so it is known by its identity; it is
    kept with its version, so that no other question takes its place.
    """

    def __init__(self, most: int = 4096) -> None:
        self._most = most
        self._known: dict[int, tuple[msgspec.Struct, str]] = {}

    def of(self, question: msgspec.Struct) -> str:
        """The version of a question."""
        known = self._known.get(id(question))
        if known is not None:
            return known[1]
        if len(self._known) >= self._most:
            self._known.clear()
        version = content_version(question)
        self._known[id(question)] = (question, version)
        return version


VERSIONS = Versions()
