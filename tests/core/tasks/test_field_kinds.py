"""What each kind of field takes, as a prediction, as gold, and from an upload."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.core.errors import UnknownNameError
from palaver.core.tasks import (
    FIELDS,
    ContextStringSelection,
    Field,
    Image,
    Multiclass,
    Multilabel,
    Prob,
    String,
    Turns,
)

LABELS = ("entailed", "neutral", "contradictory")
LABEL = Multiclass(name="label", labels=LABELS)
TAGS = Multilabel(name="tags", labels=LABELS)
PROB = Prob(name="prob", labels=LABELS)
SPARSE = Prob(name="prob", labels=LABELS, sparse=True)
CONF = Prob(name="conf")
SPAN = ContextStringSelection(name="answer", reference="context")
TURNS = Turns(name="turns")
EVERY: list[Field] = [LABEL, TAGS, PROB, SPARSE, CONF, SPAN, TURNS, String(name="text")]
EVERY.append(Image(name="image"))

RIGHT: list[tuple[Field, Any]] = [
    (String(name="text"), ""),
    (Image(name="image"), "https://example.org/a.png"),
    (TURNS, [{"speaker": "a", "text": ""}]),
    (TURNS, []),
    (LABEL, "neutral"),
    (TAGS, []),
    (TAGS, ["neutral", "entailed"]),
    (CONF, 1),
    (SPAN, "the mat"),
]
WRONG: list[tuple[Field, Any, str]] = [
    (String(name="text"), 3, "expected a text; got 3"),
    (Image(name="image"), "", "address of an image"),
    (TURNS, "hi", "a list of turns"),
    (TURNS, [{"speaker": "a"}], "turn 1 needs 'speaker' and 'text'"),
    (LABEL, "Neutral", "expected one of entailed, neutral, contradictory; got 'Neutral'"),
    (LABEL, ["neutral"], "expected one of"),
    (LABEL, True, "expected one of"),
    (TAGS, "neutral", "a list of labels"),
    (TAGS, ["neutral", "neutral"], "is listed twice"),
    (TAGS, ["maybe"], "expected labels from"),
    (PROB, {"entailed": 0.5, "neutral": 0.5}, "missing: contradictory"),
    (PROB, {"entailed": 1, "neutral": 0, "contradictory": 0, "x": 0}, "unknown: x"),
    (PROB, {"entailed": 0.5, "neutral": 0.2, "contradictory": 0.2}, "add up to 0.9, not 1"),
    (PROB, {"entailed": 1.5, "neutral": 0, "contradictory": -0.5}, "from 0 to 1; got 1.5"),
    (PROB, [0.2, 0.3, 0.5], "a probability for each label"),
    (SPARSE, {"x": 1.0}, "unknown: x"),
    (CONF, float("nan"), "from 0 to 1"),
    (CONF, True, "from 0 to 1"),
    (SPAN, "the dog", "'the dog' is not in 'context'"),
    (SPAN, None, "a part of 'context'"),
]
RECORD = {"context": "The cat sat on the mat."}


@pytest.mark.parametrize(("field", "value"), RIGHT)
def test_what_a_kind_takes(field: Field, value: Any) -> None:
    assert field.check(value, RECORD) == value


@pytest.mark.parametrize(("field", "value", "message"), WRONG)
def test_what_a_kind_refuses(field: Field, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        field.check(value, RECORD)
    assert message in str(refused.value)


@pytest.mark.parametrize("field", EVERY, ids=lambda field: field.kind)
def test_a_sample_is_a_right_value(field: Field) -> None:
    assert field.check(field.sample(RECORD), RECORD) == field.sample(RECORD)


@pytest.mark.parametrize("kind", FIELDS.names())
def test_every_kind_is_found_by_its_name(kind: str) -> None:
    assert FIELDS.get(kind).kind == kind


def test_an_unknown_kind_is_named_with_its_neighbours() -> None:
    with pytest.raises(
        UnknownNameError, match=r"No kind of field 'multi_class'\. Near: 'multiclass'"
    ):
        FIELDS.get("multi_class")


def test_gold_may_be_several_right_values() -> None:
    assert SPAN.check_gold(["cat", "The cat"], RECORD) == ["cat", "The cat"]
    assert LABEL.check_gold(["neutral", "contradictory"], {}) == ["neutral", "contradictory"]
    with pytest.raises(ValueError, match="an empty list"):
        LABEL.check_gold([], {})
    with pytest.raises(ValueError, match="is not in 'context'"):
        SPAN.check_gold(["cat", "dog"], RECORD)


def test_an_upload_need_not_copy_nor_name_every_label() -> None:
    assert SPAN.check_uploaded("a dog", RECORD) == "a dog"
    assert PROB.check_uploaded({"neutral": 1.0}, {}) == dict(zip(LABELS, (0, 1, 0), strict=True))
    with pytest.raises(ValueError, match="add up to"):
        PROB.check_uploaded({"neutral": 0.5}, {})
    with pytest.raises(ValueError, match="a part of 'context'"):
        SPAN.check_uploaded(3, RECORD)


def test_labels_are_read_by_their_old_names_and_as_numbers() -> None:
    codes = {"e": "entailed", "2": "contradictory"}
    assert LABEL.named("e", codes) == "entailed"
    assert LABEL.named(2, codes) == "contradictory"
    assert LABEL.named(["e", "neutral"], codes) == ["entailed", "neutral"]
    assert PROB.named({"e": 1.0}, codes) == {"entailed": 1.0}
    assert LABEL.named("unheard", codes) == "unheard"
    assert Multiclass(name="point", labels=("1", "2")).named(1, {}) == "1"
    assert String(name="text").named("e", codes) == "e"


def test_masses_are_measured_in_the_order_of_the_labels() -> None:
    checked = PROB.check({"contradictory": 0.1, "entailed": 0.7, "neutral": 0.2}, {})
    assert PROB.measured(checked) == [0.7, 0.2, 0.1]
    assert CONF.measured(0.4) == 0.4
    assert LABEL.measured("neutral") == "neutral"


def test_what_is_right() -> None:
    assert LABEL.is_right("neutral", ["neutral", "contradictory"])
    assert not LABEL.is_right("entailed", ["neutral", "contradictory"])
    assert TAGS.is_right(["neutral", "entailed"], ["entailed", "neutral"])
    assert not TAGS.is_right(["neutral"], ["entailed", "neutral"])


def test_labels_must_be_told_apart() -> None:
    with pytest.raises(ValueError, match="'a' is listed twice"):
        Multiclass(name="label", labels=("a", "b", "a"))
    with pytest.raises(ValueError, match="two labels or more"):
        Multilabel(name="label", labels=("a",))


@given(st.lists(st.floats(0.001, 1), min_size=3, max_size=3))
def test_a_distribution_is_kept_and_measured_whole(masses: list[float]) -> None:
    shares = [mass / sum(masses) for mass in masses]
    checked = PROB.check(dict(zip(reversed(LABELS), reversed(shares), strict=True)), {})
    assert PROB.measured(checked) == shares


@given(st.lists(st.sampled_from(LABELS), unique=True))
def test_any_set_of_labels_is_taken(labels: list[str]) -> None:
    assert TAGS.check(labels, {}) == labels
