"""A number, its interval, and what stands where there is none."""

import json
import math

import numpy as np

from palaver.core.estimates import Estimate, Interval, html_table
from palaver.core.serial import plain


def test_an_interval_holds_its_ends() -> None:
    interval = Interval(0.25, 0.5)

    assert 0.25 in interval
    assert 0.5 in interval
    assert 0.51 not in interval
    assert interval.overlaps(Interval(0.5, 0.75))
    assert not interval.overlaps(Interval(0.51, 0.75))


def test_what_is_undefined_is_null_with_a_reason() -> None:
    found = Estimate.undefined("nobody has voted", n=3)

    assert not found.is_defined
    assert plain(found) == {
        "value": None,
        "interval": None,
        "n": 3,
        "reason": "nobody has voted",
    }
    assert str(found) == "undefined: nobody has voted"
    json.dumps(plain(found), allow_nan=False)


def test_an_estimate_keeps_full_precision() -> None:
    third = Estimate(value=1 / 3, interval=Interval(0.1, 2 / 3), n=3, warnings=("Few votes.",))

    assert json.loads(json.dumps(plain(third)))["value"] == 1 / 3
    assert plain(third)["warnings"] == ["Few votes."]
    assert str(third) == "0.333 [0.100, 0.667]"


def test_plain_values() -> None:
    assert plain(math.inf) is None
    assert plain(np.float64("nan")) is None
    assert type(plain(np.int64(3))) is int
    assert plain("nan") == "nan"


def test_a_notebook_shows_a_table_that_cannot_be_broken_by_a_name() -> None:
    shown = html_table([{"<b>": "a & b", "n": None}, {"n": [0.5, None]}], caption="1 < 2")

    assert "<th>&lt;b&gt;</th>" in shown
    assert "<td>a &amp; b</td>" in shown
    assert "<td>0.5, ?</td>" in shown
    assert "<caption>1 &lt; 2</caption>" in shown
    assert "0.333" in Estimate(value=1 / 3)._repr_html_()
