"""Distributions over any label set, from long tables."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.core.errors import InputError
from palaver.evaluation.distribution_tables import DistributionScores, score_tables
from palaver.formats.frames import Frame
from palaver.metrics.distances import jsd, nmd, rnss, rsnod


def frame(*rows: tuple[Any, Any, Any], name: str = "table.csv") -> Frame:
    columns = list(map(list, zip(*rows, strict=True))) if rows else [[], [], []]
    return Frame(name, dict(zip(("item", "label", "n"), columns, strict=True)), first_row=2)


GOLD = frame(("a", 1, 3), ("a", 2, 5), ("b", 3, 4), name="gold.csv")
PRED = frame(("a", 1, 0.5), ("a", 3, 0.5), ("b", 3, 1), name="pred.csv")


def scored(gold: Frame = GOLD, pred: Frame = PRED, **more: Any) -> DistributionScores:
    settings = {"item": "item", "label": "label", "count": "n", "prob": "n", "level": "ordinal"}
    return score_tables(gold, pred, **(settings | more))


def test_ordinal_labels() -> None:
    found = scored(labels=["1", "2", "3"])
    for name, distance in (("rsnod", rsnod), ("nmd", nmd)):
        assert found.values[name][0] == pytest.approx(distance([0.5, 0, 0.5], [3, 5, 0]))
        assert found.values[name][1] == 0
    assert found.warnings == ()
    assert found.estimate("nmd").n == 2


def test_nominal_labels_of_any_name() -> None:
    gold = frame(("a", "joy", 3), ("a", "rage", 1))
    pred = frame(("a", "rage", 2), ("a", "fear", 2))
    found = scored(gold, pred, level="nominal")
    assert found.labels == ("joy", "rage", "fear")
    assert found.values["jsd"][0] == pytest.approx(jsd([0, 2, 2], [3, 1, 0]))
    assert found.values["rnss"][0] == pytest.approx(rnss([0, 2, 2], [3, 1, 0]))


def test_rows_without_a_weight_count_once_each() -> None:
    gold = frame(*[("a", label, None) for label in (1, 1, 1, 2, 2, 2, 2, 2)], ("b", 3, None))
    assert scored(gold, count=None).values["nmd"].tolist() == scored().values["nmd"].tolist()


def test_a_scale_of_numbers_stands_in_their_order_and_is_said() -> None:
    gold = frame(("a", 10, 1), ("a", -2, 1), ("a", "9", 1))
    found = scored(gold, gold)
    assert found.labels == ("-2", "9", "10")
    assert "-2, 9, 10" in found.warnings[0]


def test_items_on_one_side_only_are_refused_or_counted() -> None:
    gold = frame(("a", 1, 1), ("b", 2, 1), ("c", 1, 1), name="gold.csv")
    pred = frame(("a", 1, 1), ("b", 1, 1), ("x", 2, 1), name="pred.csv")
    with pytest.raises(InputError, match=r"1 items have no prediction in pred\.csv: c"):
        scored(gold, pred)
    with pytest.raises(InputError, match=r"predicted but not in gold\.csv: x"):
        scored(frame(("a", 1, 1), ("b", 2, 1), name="gold.csv"), pred)
    found = scored(gold, pred, lenient=True)
    assert (found.missing, found.unknown) == (("c",), ("x",))
    assert found.estimate("nmd").value == pytest.approx(0.5)
    assert [row["reason"] for row in found.rows()] == ["", "", "no prediction"]
    assert found.as_json()["missing"] == 1
    with pytest.raises(InputError, match="no item in common"):
        scored(gold, frame(("x", 1, 1), ("y", 2, 1)), lenient=True)


def test_a_distribution_that_sums_to_0_is_undefined() -> None:
    found = scored(pred=frame(("a", 1, 0), ("a", 2, 0), ("b", 3, 1)))
    assert found.undefined == ("a",)
    assert math.isnan(found.values["nmd"][0])
    assert found.estimate("nmd").n == 1
    assert found.rows()[0]["reason"] == "a distribution sums to 0"
    nothing = scored(GOLD, frame(("a", 1, 0), ("b", 3, 0)))
    assert nothing.as_json()["nmd"]["value"] is None
    assert nothing.as_json()["nmd"]["reason"] == "no item has a score"


@pytest.mark.parametrize(
    ("pred", "more", "message"),
    [
        (frame(), {}, "has no rows"),
        (
            frame(("a", 1, -0.5)),
            {},
            r"table\.csv, row 2: 'n' takes numbers of 0 or more; got -0\.5",
        ),
        (frame(("a", 1, None)), {}, "row 2: 'n' takes numbers of 0 or more; got nan"),
        (frame(("a", 1, "x")), {}, "should contain finite numbers; got 'x'"),
        (frame(("a", 1, 1), ("a", "1", 1)), {}, "row 3: item 'a' has the label '1' twice"),
        (frame((None, 1, 1)), {}, "'item' and 'label' need a value"),
        (frame(("a", None, 1)), {}, "'item' and 'label' need a value"),
        (frame(("a", "low", 1)), {}, "need an order"),
        (PRED, {"labels": ["1", "2"]}, "'3' is in the tables but not among the given labels"),
        (PRED, {"labels": ["1", "2", "2", "3"]}, "A label is listed twice"),
        (PRED, {"item": "thing"}, "has no column 'thing'"),
    ],
)
def test_bad_tables(pred: Frame, more: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        scored(pred=pred, **more)


def test_one_category_has_no_order() -> None:
    same = frame(("a", 1, 1))
    with pytest.raises(InputError, match="two or more labels; got 1"):
        scored(same, same)
    assert scored(same, same, level="nominal").values["jsd"].tolist() == [0]


@given(st.permutations(range(4)), st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any))
@settings(max_examples=50, deadline=None)
def test_the_order_of_rows_does_not_matter(order: list[int], counts: list[int]) -> None:
    rows = [("a", label, count) for label, count in enumerate(counts)]
    pred = frame(("a", 0, 1), ("a", 3, 2))
    labels = ["0", "1", "2", "3"]
    one = scored(frame(*rows), pred, labels=labels)
    other = scored(frame(*(rows[n] for n in order)), pred, labels=labels)
    assert one.values["nmd"].tolist() == other.values["nmd"].tolist()


def test_a_notebook_shows_a_table() -> None:
    assert scored()._repr_html_().count("<tr>") == 3
