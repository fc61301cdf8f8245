"""A single value of a YAML text is set, and not a character beside it changes."""

import pytest

from palaver.core.errors import InputError
from palaver.formats.edited_yaml import with_value
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
