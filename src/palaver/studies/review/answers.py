"""Stored answers: what of each is measured, and what it means in the words of its question.

A coefficient compares single values of a known level. A point or a name is one; a set of labels is
as many as there are labels (given or not); points for aspects and places of options are one each.
What an answer looks like and the level that its question states decide, never the question's kind.
Where the two speakers are offered different answers, what is said of their turns is measured apart:
answers that no other speaker can get would count as agreement.
A value that the question no longer knows (its wording changed) is shown as it was stored.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from palaver.analysis.agreement import Measured
from palaver.core.questions.comparative import FIRST, NEITHER, SECOND, TIE, side_of
from palaver.core.questions.options import Option, meanings, offered_to
from palaver.core.questions.question import Level, Question
from palaver.core.questions.turns import ROLES, Role
from palaver.core.records import PlacedLabel
from palaver.core.units import UnitPlace
from palaver.storage.judging.ratings import Rating

# The coefficient for each level; words are not measured.
MEASURED: dict[Level, Measured] = {
    "nominal": "nominal",
    "pairwise": "nominal",
    "ordinal": "ordinal",
    "interval": "interval",
    "ratio": "ratio",
}
# The levels at which an answer is a number and not one of a few.
NUMBERS: tuple[Measured, ...] = ("interval", "ratio")

Labels = tuple[str, ...]
# The scale of a label: given, or not.
PRESENCE = (True, False)


SIDES = {FIRST: "the first", SECOND: "the second"}


@dataclass(frozen=True, slots=True)
class Facet:
    """One thing that answers to a question say.

    `name` is the label, aspect or option it is about, empty for the answer as a whole. With a
    `speaker` it is about the turns of that role alone, and has its name where it is about the answer
    as a whole. `scale` are the possible values in order. `code` gives what is compared: a name, the
    place on the scale of an ordinal value, or a number; None where the answer says nothing of it (or
    belonged to an older question that had other answers).
    """

    name: str
    level: Measured
    scale: tuple[Any, ...]
    ends: tuple[float, float] | None
    code: Callable[[Any, Labels], Any]
    speaker: Role | None = None

    @property
    def is_presence(self) -> bool:
        """Whether it says that a label was given or not."""
        return self.scale == PRESENCE

    @property
    def options(self) -> int:
        """How many answers there are to choose from."""
        return max(2, len(self.scale))

    def shown(self, code: Any) -> Any:
        """The value behind a code."""
        return self.scale[code] if self.level == "ordinal" else code


# The role of the speaker of each unit that is a turn.
Speakers = Mapping[int, Role]
NO_SPEAKERS: Speakers = {}


def speakers_apart(question: Question) -> bool:
    """Whether a question offers the two speakers different answers, so that they are measured apart."""
    if question.about != "turn" or question.speaker in ROLES:
        return False
    options = getattr(question, "options", ())
    user, system = (offered_to(options, role) for role in ROLES)
    return user != system


def facets_of(
    question: Question, ratings: Sequence[Rating], speakers: Speakers = NO_SPEAKERS
) -> tuple[Facet, ...]:
    """What the answers to a question say; nothing where there are none or they are words.

    `speakers` are needed where `speakers_apart`; without them an answer that only one speaker is
    offered tells whose turn it is about.
    """
    if question.level not in MEASURED or not ratings:
        return ()
    level = MEASURED[question.level]
    version = question.version
    newest = [r.value for r in ratings if r.version == version]
    values = newest or [r.value for r in ratings]
    if isinstance(values[0], dict | list) and level == "nominal":
        names = question.label_names
        return tuple(_presence(question, name) for name in names) if names else (_alike(),)
    if isinstance(values[0], dict):
        return tuple(_part(question, level, name, values) for name in _parts(question, values))
    if isinstance(values[0], list):
        return tuple(_rank(name, len(values[0])) for name in _parts(question, values))
    if speakers_apart(question):
        return _of_speakers(question, level, ratings, speakers)
    return (_whole(question, level, values),)


def _of_speakers(
    question: Question, level: Measured, ratings: Sequence[Rating], speakers: Speakers
) -> tuple[Facet, ...]:
    """The answer as a whole, once for each role whose turns were judged."""
    by_role: dict[Role | None, list[Rating]] = {}
    for rating in ratings:
        by_role.setdefault(_role(question, rating, speakers), []).append(rating)
    facets = []
    for role in ROLES:
        if given := by_role.get(role):
            newest = [r.value for r in given if r.version == question.version]
            whole = _whole(question, level, newest or [r.value for r in given], role)
            facets.append(replace(whole, name=role, speaker=role))
    return tuple(facets)


def _role(question: Question, rating: Rating, speakers: Speakers) -> Role | None:
    """Whose turn an answer is about: as is known, or as the answer tells."""
    known = speakers.get(rating.unit_id)
    if known is not None:
        return known
    of_one = _offered_to_one(tuple(getattr(question, "options", ())))
    given = rating.value if isinstance(rating.value, list) else [rating.value]
    roles = {of_one[value] for value in given if isinstance(value, str) and value in of_one}
    return roles.pop() if len(roles) == 1 else None


@lru_cache(maxsize=64)
def _offered_to_one(options: tuple[Option, ...]) -> dict[str, Role]:
    """The options that one role alone is offered, by id."""
    user, system = ({option.id for option in offered_to(options, role)} for role in ROLES)
    return {**dict.fromkeys(user - system, ROLES[0]), **dict.fromkeys(system - user, ROLES[1])}


def labels_of(question: Question, rating: Rating) -> Labels:
    """The labels that an answer gave, under the wording it was given to."""
    if rating.version == question.version:
        return question.labels(rating.value)
    return tuple(rating.label.split("|")) if rating.label else ()


def codes_of(
    question: Question,
    facets: Sequence[Facet],
    rating: Rating,
    speakers: Speakers = NO_SPEAKERS,
) -> tuple[Any, ...]:
    """What one answer says of each facet."""
    by_label = facets[0].is_presence
    by_role = any(facet.speaker is not None for facet in facets)
    role = _role(question, rating, speakers) if by_role else None
    labels = labels_of(question, rating) if by_label else ()
    return tuple(
        facet.code(rating.value, labels) if facet.speaker in (None, role) else None
        for facet in facets
    )


class Coded(NamedTuple):
    """One rater's answer about one unit, as the codes of all facets."""

    unit_id: int
    rater_id: int
    codes: tuple[Any, ...]


def coded_answers(
    question: Question | None,
    facets: Sequence[Facet],
    ratings: Iterable[Rating],
    speakers: Speakers = NO_SPEAKERS,
) -> list[Coded]:
    """What each answer says; should two of one rater about one unit stand, the newer one."""
    if question is None or not facets:
        return []
    standing = {(rating.unit_id, rating.rater_id): rating for rating in ratings}
    # The same few answers come again and again: each is read once.
    known: dict[Any, tuple[Any, ...]] = {}
    by_label = facets[0].is_presence
    by_role = any(facet.speaker is not None for facet in facets)
    coded = []
    for (unit, rater), rating in standing.items():
        role = _role(question, rating, speakers) if by_role else None
        key = (rating.version, rating.label if by_label else _key(rating.value), role)
        codes = known.get(key) if key[1] is not None else None
        if codes is None:
            codes = known[key] = codes_of(question, facets, rating, speakers)
        coded.append(Coded(unit, rater, codes))
    return coded


def answer_words(question: Question | None, label: PlacedLabel, *, text: str = "") -> str:
    """What a label says; `text` is the judged turn, from which marked words are quoted."""
    if label.erased:
        return "erased"
    if label.abstained:
        return "left out"
    if question is None or question.version != label.question_version:
        return label.label or value_words(None, label.value)
    return _marked(label.value, text) or question.in_words(label.value)


def value_words(question: Question | None, value: Any) -> str:
    """A value in words: the text of an option, a point with its anchor, an order, a mapping."""
    texts = option_texts(question)
    if isinstance(value, str):
        return texts.get(value, value)
    if isinstance(value, bool) or value is None:
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return " ".join(part for part in (f"{value:g}", _anchor(question, value)) if part)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return " › ".join(texts.get(part, part) for part in value)
    if isinstance(value, dict) and all(isinstance(part, int | float) for part in value.values()):
        return ", ".join(f"{texts.get(name, name)} {point:g}" for name, point in value.items())
    return msgspec.json.encode(value).decode()


def code_words(question: Question | None, facet: Facet, code: Any) -> str:
    """What one code of a facet means."""
    if isinstance(code, bool):
        return "given" if code else "not given"
    value = facet.shown(code)
    if question is not None and question.level == "pairwise":
        ties = "label_neither" if value == NEITHER else "label_tie"
        return SIDES.get(value, str(getattr(question, ties, TIE)))
    return value_words(question, value)


def facet_words(question: Question | None, facet: Facet) -> str:
    """The label, aspect or option that a facet is about, as a rater read it; or whose turns."""
    if facet.speaker is not None and facet.name == facet.speaker:
        return f"turns of the {facet.speaker}"
    return option_texts(question).get(facet.name, facet.name)


def unit_words(place: UnitPlace) -> str:
    """What was judged, as people say it."""
    if place.kind == "pair":
        return "two conversations compared"
    if place.seat is not None:
        return "the user" if place.seat == 0 else "the partner"
    if place.first_seq is None:
        return "the whole conversation" if place.kind == "dialogue" else place.key
    return "a message" if place.turn is None else f"turn {place.turn}"


def option_texts(question: Question | None) -> Mapping[str, str]:
    """The text of each option (or aspect), by its id."""
    offered = (*getattr(question, "options", ()), *getattr(question, "aspects", ()))
    return {option.id: option.text for option in offered}


def _key(value: Any) -> Any:
    return value if isinstance(value, str | int | float) else None


def _presence(question: Question, name: str) -> Facet:
    """A label; where one speaker alone can get it, the others' turns say nothing of it."""
    apart = speakers_apart(question)
    options = getattr(question, "options", ()) if apart else ()
    roles = [role for role in ROLES if name in meanings(offered_to(options, role))]
    only = roles[0] if len(roles) == 1 else None
    return Facet(name, "nominal", PRESENCE, None, lambda value, labels: name in labels, only)


def _alike() -> Facet:
    return Facet("", "nominal", (), None, lambda value, labels: _canonical(value))


def _canonical(value: Any) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()


def _whole(
    question: Question, level: Measured, values: Iterable[Any], role: Role | None = None
) -> Facet:
    if question.level == "pairwise":
        # However much better: raters agree who prefer the same side.
        sides = [_side(value) for value in values]
        return _scaled("", question, level, sides, _side, role)
    return _scaled("", question, level, list(values), lambda value: value, role)


def _side(value: Any) -> Any:
    return side_of(value) if isinstance(value, str) else value


def _part(question: Question, level: Measured, name: str, values: Iterable[Any]) -> Facet:
    given = [value[name] for value in values if name in value]
    return _scaled(name, question, level, given, lambda value: _entry(value, name))


def _entry(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _rank(name: str, places: int) -> Facet:
    scale = tuple(range(1, places + 1))

    def code(value: Any, labels: Labels) -> int | None:
        known = isinstance(value, list) and name in value and len(value) == places
        return value.index(name) if known else None

    return Facet(name, "ordinal", scale, (0, places - 1), code)


def _scaled(
    name: str,
    question: Question,
    level: Measured,
    values: list[Any],
    pick: Callable[[Any], Any],
    role: Role | None = None,
) -> Facet:
    scale = _scale(question, level, values, role)
    if level in NUMBERS:
        ends = _ends(question, values)
        return Facet(name, level, scale, ends, lambda value, labels: _number(pick(value)))
    if level == "nominal":
        return Facet(name, level, scale, None, lambda value, labels: _name(pick(value)))
    places = {value: place for place, value in enumerate(scale)}
    return Facet(
        name,
        level,
        scale,
        (0, len(scale) - 1),
        lambda value, labels: places.get(pick(value)) if _is_scalar(pick(value)) else None,
    )


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _name(value: Any) -> Any:
    return value if _is_scalar(value) else None


def _scale(
    question: Question, level: Measured, values: Iterable[Any], role: Role | None
) -> tuple[Any, ...]:
    """The possible values: what the question offers, and then what else was answered."""
    if level in NUMBERS:
        return ()
    seen = {value for value in values if _is_scalar(value)}
    offered = _offered(question, role)
    left = sorted(seen - set(offered), key=lambda value: (str(type(value)), value))
    return (*offered, *left)


def _offered(question: Question, role: Role | None) -> tuple[Any, ...]:
    if question.level == "pairwise":
        between = (TIE,) if getattr(question, "tie", True) else ()
        beyond = (NEITHER,) if getattr(question, "label_neither", "") else ()
        return (FIRST, *between, SECOND, *beyond)
    points = tuple(getattr(question, "points", ()))
    shown = getattr(question, "options", ())
    options = tuple(option.id for option in (offered_to(shown, role) if role else shown))
    return points or options or question.label_names


def _ends(question: Question, values: Sequence[Any]) -> tuple[float, float]:
    numbers = [value for value in values if isinstance(value, int | float)]
    least, most = getattr(question, "least", None), getattr(question, "most", None)
    low = float(least) if isinstance(least, int | float) else min(numbers, default=0.0)
    high = float(most) if isinstance(most, int | float) else max(numbers, default=1.0)
    return low, high


def _parts(question: Question, values: Iterable[Any]) -> list[str]:
    """The ids of aspects or options: those the question names, and then what else was answered."""
    named = [*getattr(question, "aspects", ()), *getattr(question, "options", ())]
    answered = [part for value in values for part in value]
    return list(dict.fromkeys([*(option.id for option in named), *answered]))


def _anchor(question: Question | None, value: float) -> str:
    anchor = getattr(question, "anchor", None)
    return str(anchor(value)) if callable(anchor) else ""


def _marked(value: Any, text: str) -> str:
    """Marked stretches of a turn, quoted; empty where the value holds none."""
    if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
        return ""
    return ", ".join(
        f"{part.get('label', '')}: “{text[part.get('start', 0) : part.get('end', 0)]}”"
        for part in value
    )
