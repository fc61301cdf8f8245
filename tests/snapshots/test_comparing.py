"""How a test is told what differs from a snapshot, and what shapes say."""

from support.shapes import shape_of
from support.snapshots import differences


def test_a_difference_is_one_line_with_what_was_and_what_is() -> None:
    was = {"a": [1, {"b": "x"}], "gone": None, "same": {"c": 1}}
    now = {"a": [1.0, {"b": "y"}, 3], "new": True, "same": {"c": 1}}
    assert list(differences(was, now)) == [
        "a[0]: was 1, is 1.0",
        'a[1] > b: was "x", is "y"',
        "a[2]: was absent, is 3",
        "gone: was null, is absent",
        "new: was absent, is true",
    ]


def test_a_shape_joins_what_it_has_seen() -> None:
    rows = [{"n": 1, "of": []}, {"n": None, "of": ["x", 2.5], "more": {"yes": True}}]
    assert shape_of({"rows": rows}) == {
        "rows": [{"n": "null | number", "of": ["number | text"], "more?": {"yes": "true or false"}}]
    }
    assert shape_of([], "text") == {"any of": ["text", []]}
