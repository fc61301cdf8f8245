"""Each step of cleaning, on texts made for it."""

import pytest

from palaver.formats.advice.cleaning import cleaned, cleaned_title, without_additions


@pytest.mark.parametrize(
    ("given", "left"),
    {
        # What cannot be seen goes; a tab is a space.
        "a\tb": "a b",
        "a\u200bb\x07c": "abc",
        "Windows\r\nlines": "Windows\nlines",
        "emoji 🙂 stay": "emoji 🙂 stay",
        # Last lines that were added later go, as long as there are any.
        "Asked.\nEdit: thanks": "Asked.",
        "Asked.\nmore\nEDIT 2: x\n**Update:** y": "Asked.\nmore",
        "Asked.\n\n\n*edited* to add\n": "Asked.",
        # So does a first paragraph, and lines of symbols before the text.
        "UPDATE: I did it\nand it worked\n\nAsked.": "Asked.",
        "-----\n***\nAsked.": "Asked.",
        "---\nEdit: hm\n\n===\nAsked.": "Asked.",
        # Everything from a later line that begins so goes, too.
        "Asked.\n\nEdit: I forgot\nthis and that": "Asked.",
        "I edit films.\nI update them.": "I edit films.\nI update them.",
        "Edit: only this": "",
        # Entities, once; what is invisible as an entity goes.
        "you &amp; me &lt;3": "you & me <3",
        "a&amp;#x200B;b&amp;nbsp;c&nbsp;d": "abcd",
        # Gaps.
        "a \n\n \n b": "a\n\n b",
        "a\nb": "a\nb",
        "One.   Two.  Three": "One. Two. Three",
        "  around  ": "around",
        "": "",
    }.items(),
)
def test_a_text_is_cleaned(given: str, left: str) -> None:
    assert cleaned(given) == left


def test_cleaning_twice_changes_nothing_more() -> None:
    text = "## \nEdit: a\n\nHello there.  I asked.\n\n\nupdate: b\nc"
    assert cleaned(cleaned(text)) == cleaned(text) == "Hello there. I asked."


def test_additions_alone_leave_the_rest_as_it_is() -> None:
    assert without_additions("a  b &amp; c\n\n\n\nd\nEdit: e") == "a  b &amp; c\n\n\n\nd"


def test_a_title_is_one_line_of_text() -> None:
    assert cleaned_title("<b>Me</b> &amp;\n my\u200b boss 🙂 ") == "<b>Me</b> & my boss 🙂"
