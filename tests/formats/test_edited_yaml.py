"""A single value of a YAML text is set, and not a character beside it changes."""

import pytest

from palaver.core.errors import InputError
from palaver.formats.edited_yaml import Value, with_value, without_key
from palaver.formats.json_places import Steps

TEXT = """\
# A study.
stages:
  - chat:
      conditions:          # two
        - {systems: [a], needed: 3}   # few
        - systems: [b]
  - rate: {ask: [x]}
empty:
"""


@pytest.mark.parametrize(
    ("steps", "value", "old", "new"),
    [
        (("stages", 0, "chat", "conditions", 0, "needed"), 5, "needed: 3", "needed: 5"),
        (
            ("stages", 0, "chat", "conditions", 1, "needed"),
            5,
            "- systems: [b]",
            "- needed: 5\n          systems: [b]",
        ),
        (("stages", 1, "rate", "raters"), 2, "{ask: [x]}", "{ask: [x], raters: 2}"),
        (("stages", 0, "chat", "conditions", 0, "needed"), None, "needed: 3", "needed: null"),
        (("empty",), "a: b", "empty:\n", 'empty: "a: b"\n'),
        (("empty",), "10", "empty:\n", 'empty: "10"\n'),
    ],
)
def test_a_value_is_set_in_place(steps: Steps, value: int | str | None, old: str, new: str) -> None:
    assert with_value(TEXT, steps, value) == TEXT.replace(old, new)


def test_a_new_mapping_stands_at_the_end() -> None:
    made = with_value(TEXT.rstrip("\n"), ("dates", "opens"), "2026-11-20 09:00")
    assert made == f"{TEXT}dates: {{opens: 2026-11-20 09:00}}\n"
    assert with_value(made, ("dates", "zone"), "Europe/Berlin").endswith(
        "dates: {opens: 2026-11-20 09:00, zone: Europe/Berlin}\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "base: &b {raters: 1}\nrate: *b\nother: *b\n",
        "rate: [1]\n",
        "rate: text\n",
    ],
)
def test_what_is_shared_or_not_there_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        with_value(text, ("rate", "raters"), 2)


FILTERS = """\
recruit:
  # What people read.
  description: Talk.
  filters:
    age:            # who
      from: 18
      to: 40        # not older
    # Where they live.
    country: [Ireland, "Korea, South"]   # two
crowd: {kind: prolific}
"""
AGE = ("recruit", "filters", "age")


@pytest.mark.parametrize(
    ("text", "steps", "value", "old", "new"),
    [
        (
            FILTERS,
            AGE,
            {"from": 20},
            "            # who\n      from: 18\n      to: 40",
            " {from: 20}",
        ),
        (FILTERS, AGE, ["1", "b"], "            # who\n      from: 18\n      to: 40", ' ["1", b]'),
        (FILTERS, (*AGE[:2], "country"), ["Chad"], '[Ireland, "Korea, South"]', "[Chad]"),
        (
            FILTERS,
            (*AGE[:2], "hand"),
            ["Left", "a, b"],
            "   # two\n",
            '   # two\n    hand: [Left, "a, b"]\n',
        ),
        ("recruit: # none\n", AGE, [True], "recruit:", "recruit: {filters: {age: [true]}}"),
        ("a: 1\n", AGE, {"to": 2.5}, "a: 1\n", "a: 1\nrecruit: {filters: {age: {to: 2.5}}}\n"),
        (
            "recruit:\n  # First.\n  title: x\nz: 1\n",
            AGE,
            {"to": 2},
            "x\n",
            "x\n  filters: {age: {to: 2}}\n",
        ),
    ],
)
def test_lists_and_mappings_are_set_with_one_line(
    text: str, steps: Steps, value: Value, old: str, new: str
) -> None:
    assert with_value(text, steps, value) == text.replace(old, new)


@pytest.mark.parametrize(
    ("text", "steps", "left"),
    [
        (FILTERS, (*AGE[:2], "country"), FILTERS.replace(FILTERS.splitlines(True)[8], "")),
        ("a: {b: 1, c: 2, d: 3}\n", ("a", "b"), "a: {c: 2, d: 3}\n"),
        ("a: {b: 1, c: 2, d: 3}\n", ("a", "d"), "a: {b: 1, c: 2}\n"),
        ("a: {b: {c: [1, 2]}, d: 3}\n", ("a", "b", "c"), "a: {d: 3}\n"),
        ("x: 1\na:\n  b:\n    c: 1  # c\n# z\nz: 2\n", ("a", "b", "c"), "x: 1\n# z\nz: 2\n"),
        ("a: 1\nb: |\n  x\n  y\nc: 2\n", ("b",), "a: 1\nc: 2\n"),
    ],
)
def test_a_key_is_taken_out_and_what_it_leaves_empty(text: str, steps: Steps, left: str) -> None:
    assert without_key(text, steps) == left


def test_a_key_that_is_not_there_or_shared_is_not_taken_out() -> None:
    for text in ("a: {b: 1}\n", "c: [1]\n", "b: 1\n", "d: &d {c: 1, e: 2}\na: *d\n"):
        with pytest.raises(InputError):
            without_key(text, ("a", "c"))
