"""What every question kind promises, tested once for all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.core.errors import AnswerError
from palaver.core.questions import QUESTION_KINDS, Question, Shown
from palaver.studies.file.questions import build_questions

OPTIONS = [
    {"id": "self", "text": "Contradicts itself", "label": "self contradiction"},
    {"id": "partner", "text": "Contradicts the partner"},
    {"id": "repeat", "text": "Says it again", "label": "redundant"},
]
ACCURACY = {
    "id": "accuracy",
    "text": "Is it true?",
    "answers": [
        {"id": "yes", "text": "Yes.", "label": "correct fact"},
        {"id": "unsure", "text": "I am not sure.", "ask": []},
    ],
}
TURN = Shown(role="system", seat=1, text="I live in Rome, in Rome.")


@dataclass(frozen=True)
class Specimen:
    """A question of one kind, a good answer as a form sends it, its value and a bad answer."""

    declared: Mapping[str, Any]
    fields: Mapping[str, Sequence[str]]
    value: Any
    bad: Any
    labels: tuple[str, ...] = ()
    shown: Shown = TURN
    takes_values: bool = True

    @property
    def question(self) -> Question:
        """The question, built as a study builds it."""
        asked = build_questions({"q": {"text": "How is it?", **self.declared}})
        assert asked.key_problems == []
        return asked.questions["q"]


SPECIMENS = {
    "aspects": Specimen(
        {"kind": "aspects", "aspects": OPTIONS, "anchors": {1: "None", "5": "Much"}},
        {"repeat": ["1"], "self": ["5"], "partner": ["3"]},
        {"self": 5, "partner": 3, "repeat": 1},
        {"self": 5, "partner": 3, "repeat": 6},
    ),
    "choice": Specimen(
        {"kind": "choice", "options": OPTIONS},
        {"": ["self"]},
        "self",
        "both",
        ("self contradiction",),
    ),
    "comparative": Specimen(
        {"kind": "comparative"},
        {"": ["a"]},
        "second",
        "c",
        ("second",),
        Shown(order=("second", "first")),
        takes_values=False,  # a page names sides of the screen, a value those of the unit
    ),
    "flow": Specimen(
        {"kind": "flow", "ask": [ACCURACY]},
        {"accuracy": ["", "yes"]},
        {"accuracy": "yes"},
        {"accuracy": "perhaps"},
        ("correct fact",),
    ),
    "likert": Specimen({"kind": "likert", "label": "empathy"}, {"": ["4"]}, 4, 6),
    "multiselect": Specimen(
        {"kind": "multiselect", "options": OPTIONS},
        {"": ["repeat", "self"]},
        ["self", "repeat"],
        ["self", "other"],
        ("self contradiction", "redundant"),
    ),
    "ranking": Specimen(
        {"kind": "ranking", "options": OPTIONS},
        {"self": ["3"], "partner": ["1"], "repeat": ["2"]},
        ["partner", "repeat", "self"],
        ["partner", "repeat", "other"],
    ),
    "slider": Specimen({"kind": "slider"}, {"": ["62"]}, 62, 101),
    "spans": Specimen(
        {"kind": "spans", "options": OPTIONS, "speaker": "system"},
        {"": ['[{"start": 16, "end": 23, "label": "repeat"}]']},
        [{"start": 16, "end": 23, "label": "repeat"}],
        [{"start": 16, "end": 23, "label": "other"}],
        ("redundant",),
    ),
    "text": Specimen(
        {"kind": "text", "max_characters": 20},
        {"": [" Fine,\r\nreally. "]},
        "Fine,\nreally.",
        "x" * 21,
    ),
    "thumbs": Specimen({"kind": "thumbs"}, {"": ["up"]}, "up", "sideways", ("up",)),
}

every_kind = pytest.mark.parametrize("specimen", SPECIMENS.values(), ids=SPECIMENS)

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["", "self", "accuracy", "yes", "start", "end", "label", "1", "[[]]", "nan"])
)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner) | st.dictionaries(scalars.filter(lambda s: s == s), inner),
    max_leaves=8,
)


def test_every_kind_has_a_specimen():
    assert list(SPECIMENS) == QUESTION_KINDS.names()


@every_kind
def test_a_kind_is_found_by_the_name_it_gives_itself(specimen):
    question = specimen.question

    assert QUESTION_KINDS.get(question.kind) is type(question)


@every_kind
def test_a_form_becomes_a_value(specimen):
    question = specimen.question

    assert question.read(question.parse(specimen.fields), specimen.shown) == specimen.value


@every_kind
def test_a_value_read_again_stays_as_it_is(specimen):
    if specimen.takes_values:
        assert specimen.question.read(specimen.value, specimen.shown) == specimen.value


@every_kind
def test_a_value_survives_json(specimen):
    question = specimen.question
    value = question.read(question.parse(specimen.fields), specimen.shown)

    assert msgspec.json.decode(msgspec.json.encode(value)) == value


@every_kind
def test_a_question_survives_json(specimen):
    question = specimen.question
    again = msgspec.json.decode(msgspec.json.encode(question), type=type(question))

    assert again.version == question.version
    assert again.read(again.parse(specimen.fields), specimen.shown) == specimen.value


@every_kind
def test_an_answer_outside_is_refused_by_name(specimen):
    with pytest.raises(AnswerError, match=r"^Question 'q'.*\.$"):
        specimen.question.read(specimen.bad, specimen.shown)


@every_kind
def test_nothing_is_no_answer(specimen):
    with pytest.raises(AnswerError, match="got nothing"):
        specimen.question.read(None, specimen.shown)


@every_kind
@given(answer=anything)
def test_only_answer_errors_are_raised_and_values_stay_json(specimen, answer):
    question = specimen.question
    try:
        value = question.read(answer, specimen.shown)
    except AnswerError as error:
        value, message = None, str(error)
    else:
        message = ""
        assert isinstance(question.labels(value), tuple)
    assert len(message) < 500
    assert msgspec.json.decode(msgspec.json.encode(value)) == value


@every_kind
@pytest.mark.parametrize(
    "answer",
    [10**5000, [10**5000], "9" * 100_000, "[" * 100_000, "\ud800", "\0", {"\ud800": "\0"}, [[]]],
    ids=["huge", "huge inside", "long", "deep", "half a pair", "NUL", "odd key", "nested"],
)
def test_a_hostile_answer_is_refused(specimen, answer):
    with pytest.raises(AnswerError):
        specimen.question.read(answer, specimen.shown)


@every_kind
def test_a_nest_without_end_is_refused(specimen):
    nest: list[Any] = []
    for _ in range(5000):
        nest = [nest]

    with pytest.raises(AnswerError):
        specimen.question.read(nest, specimen.shown)


@every_kind
@given(
    fields=st.dictionaries(
        st.sampled_from(["", "self", "partner", "repeat", "accuracy", "x"]),
        st.lists(st.text(max_size=3) | st.sampled_from(["1", "yes", "self", "[]"]), max_size=3),
    )
)
def test_any_form_is_read_or_refused(specimen, fields):
    question = specimen.question
    answer = question.parse(fields)
    if answer is not None:
        try:
            question.read(answer, specimen.shown)
        except AnswerError:
            return


@every_kind
def test_the_labels_of_an_answer_are_announced(specimen):
    question = specimen.question
    labels = question.labels(specimen.value)

    assert labels == specimen.labels
    assert not question.label_names or set(labels) <= set(question.label_names)


@every_kind
@pytest.mark.parametrize(
    "change",
    [
        {"text": "How was it?"},
        {"help": "Take your time."},
        {"definition": "What is meant."},
        {"examples": [{"response": "Hello."}]},
        {"required": False},
    ],
    ids=lambda change: next(iter(change)),
)
def test_the_version_changes_with_what_a_rater_sees(specimen, change):
    changed = Specimen({**specimen.declared, **change}, {}, None, None)

    assert changed.question.version != specimen.question.version


@every_kind
def test_the_version_does_not_change_with_the_expected_answer(specimen):
    checked = Specimen({**specimen.declared, "expected": specimen.value}, {}, None, None)

    assert checked.question.version == specimen.question.version


@every_kind
def test_the_version_does_not_change_when_a_default_is_written_out(specimen):
    question = specimen.question
    written = {
        field.name: msgspec.to_builtins(getattr(question, field.name))
        for field in msgspec.structs.fields(question)
        if field.name not in ("name", "speaker", "indices")
    }

    assert Specimen({**specimen.declared, **written}, {}, None, None).question.version == (
        question.version
    )


@every_kind
def test_an_optional_question_may_be_left_out(specimen):
    optional = Specimen({**specimen.declared, "required": False}, {}, None, None).question

    assert optional.parse({}) is None
    # "None of these" sends an empty value; every other kind has no answer like it.
    assert optional.parse({"": [""]}) == ([] if optional.kind == "multiselect" else None)


@every_kind
def test_a_stored_value_fills_the_form_that_gave_it(specimen):
    question = specimen.question

    assert question.on_form(None) is None
    assert not question.left_open(question.on_form(specimen.value))


@every_kind
def test_a_kind_knows_its_level(specimen):
    assert specimen.question.level in ("nominal", "ordinal", "interval", "pairwise", "text")


WORDS = {
    "aspects": "Contradicts itself 5; Contradicts the partner 3; Says it again 1",
    "choice": "Contradicts itself",
    "comparative": "the second",
    "flow": "Yes.",
    "likert": "4",
    "multiselect": "Contradicts itself; Says it again",
    "ranking": "Contradicts the partner > Says it again > Contradicts itself",
    "slider": "62",
    "spans": "Says it again (16–23)",
    "text": "Fine,\nreally.",
    "thumbs": "Good",
}


@pytest.mark.parametrize("kind", SPECIMENS)
def test_a_value_can_be_said_in_words(kind):
    specimen = SPECIMENS[kind]
    assert specimen.question.in_words(specimen.value) == WORDS[kind]


@pytest.mark.parametrize("kind", SPECIMENS)
def test_the_codebook_holds_what_is_stored(kind: str) -> None:
    specimen = SPECIMENS[kind]
    book = specimen.question.codebook

    assert specimen.question.stored_as
    known = {value.value for value in book} | {value.of for value in book}
    if book and specimen.question.level not in ("interval", "ratio"):
        assert _plain_values(specimen.value) <= known


def _plain_values(value: Any) -> set[Any]:
    """The values that an answer is made of; where a mark stands is no value of the codebook."""
    if isinstance(value, dict):
        if "start" in value:
            return {value["label"]}
        return set(value) | {each for inner in value.values() for each in _plain_values(inner)}
    if isinstance(value, list):
        return {each for inner in value for each in _plain_values(inner)}
    return {value}
