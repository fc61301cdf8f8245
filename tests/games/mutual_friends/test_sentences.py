"""Every sentence of the bot says what it is meant to say: its reader gets that out of it again."""

from collections.abc import Iterator

import pytest

from palaver.formats.cocoa.schema import load_schema
from palaver.games.mutual_friends.generator import SCHEMA
from palaver.games.mutual_friends.lexicon import Entity, lexicon_of, schema_entities
from palaver.games.mutual_friends.reading import Claim, ReadMessage, read_message
from palaver.games.mutual_friends.speech import SENTENCES
from palaver.games.sentences import load_sentences

SCHEMA_FILE = load_schema(SCHEMA)
LEXICON = lexicon_of(schema_entities(SCHEMA_FILE))
PURPOSES = load_sentences(SENTENCES).purposes
CHESS = frozenset({Entity("Hobby", "Chess")})
VALUES = {
    "Name": "Thea",
    "School": "Ashgrove Polytechnic",
    "Major": "Law",
    "Company": "Lantern Books",
    "Hobby": "hiking",
    "Time Preference": "morning",
    "Location Preference": "outdoors",
}


def read(text: str) -> ReadMessage:
    """What somebody says who was asked about chess."""
    return read_message(text, LEXICON, attributes=SCHEMA_FILE.names, topic=CHESS)


def others(text: str) -> list[Claim]:
    """What is claimed beside a yes or no to what was asked."""
    return [claim for claim in read(text).claims if claim.group != CHESS]


def phrases(number: str) -> Iterator[tuple[str, str]]:
    """A value, and each way to say that friends have it."""
    for name, value in VALUES.items():
        for template in PURPOSES[f"{name} {number}"]:
            yield value.lower(), template.text.format(value=value)


def named(group: frozenset[Entity]) -> list[str]:
    return sorted(entity.value.lower() for entity in group)


@pytest.mark.parametrize("purpose", ["inform_one", "one_of"])
def test_one_friend(purpose: str) -> None:
    for value, what in phrases("one"):
        for template in PURPOSES[purpose]:
            text = template.text.format(what=what)
            assert [(named(c.group), c.count) for c in others(text)] == [([value], 1)], text


@pytest.mark.parametrize(
    ("purpose", "count"),
    [("inform_some", 2), ("some_of", 2), ("none_of", 0), ("all_of", None), ("inform_all", None)],
)
def test_several_friends(purpose: str, count: int | None) -> None:
    for value, what in phrases("many"):
        for template in PURPOSES[purpose]:
            text = template.text.format(what=what, count="two").lower()
            [claim] = others(text)
            assert (named(claim.group), claim.count) == ([value], count), text
            assert claim.every == (count is None), text


def test_questions() -> None:
    for value, what in phrases("many"):
        for template in PURPOSES["ask"]:
            text = template.text.format(what=what)
            reading = read(text)
            assert [named(group) for group in reading.asked] == [[value]], text
            assert reading.claims == (), text
    for template in PURPOSES["ask_back"]:
        reading = read(f"I have two friends who like yoga. {template.text}")
        assert [named(group) for group in reading.asked] == [["yoga"]], template.text


@pytest.mark.parametrize(("purpose", "count"), [("none", 0), ("one", 1), ("some", 2)])
@pytest.mark.parametrize("two", ["2", "two"])
def test_answers(purpose: str, count: int, two: str) -> None:
    for template in PURPOSES[purpose]:
        text = template.text.format(count=two)
        assert [(c.group, c.count) for c in read(text).claims] == [(CHESS, count)], text


@pytest.mark.parametrize(
    ("purpose", "before", "parts"),
    [("detail_one", "one", 1), ("detail_two", "some", 2), ("detail_both", "some", 1)],
)
def test_details_describe_all_of_them(purpose: str, before: str, parts: int) -> None:
    places = {"what": "studied Law", "one": "studied Law", "other": "went for Physics"}
    for answer in PURPOSES[before]:
        for template in PURPOSES[purpose]:
            text = f"{answer.text.format(count='two')} {template.text.format(**places)}"
            assert len(read(text).claims[0].parts) == parts, text


@pytest.mark.parametrize("purpose", ["greet", "unsure", "stuck"])
def test_small_talk_claims_nothing(purpose: str) -> None:
    for template in PURPOSES[purpose]:
        assert not read(template.text).groups, template.text
