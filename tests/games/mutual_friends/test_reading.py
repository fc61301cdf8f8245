"""What the bot understands of what people write."""

import pytest

from palaver.formats.cocoa.schema import load_schema
from palaver.games.mutual_friends.generator import SCHEMA
from palaver.games.mutual_friends.lexicon import Entity, lexicon_of, schema_entities, words_of
from palaver.games.mutual_friends.reading import NOTHING, Group, ReadMessage, read_message

LEXICON = lexicon_of(schema_entities(load_schema(SCHEMA)))
NAMES = load_schema(SCHEMA).names
HIKING = frozenset({Entity("Hobby", "Hiking")})
COMPUTERS = Entity("Major", "Computer Science")


def found(text: str, *own: Entity) -> list[str]:
    """The values that a text mentions, the likeliest of each mention."""
    return [mention.entities[0].value for mention in LEXICON.find(words_of(text), own=own)]


def read(text: str, topic: Group = NOTHING) -> ReadMessage:
    return read_message(text, LEXICON, attributes=NAMES, topic=topic)


def shown(group: Group) -> str:
    return "+".join(sorted(entity.value for entity in group))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("anyone from alderbrook?", ["Alderbrook University"]),
        ("I have 3 hikers", ["Hiking"]),
        ("one that likes to swim in the afternoons", ["Swimming", "afternoon"]),
        ("majoring in mechancal engineering", ["Mechanical Engineering"]),
        ("two study comp sci", ["Computer Science"]),
        ("any at WIT?", ["Wildrose Institute of Technology"]),
        ("outdoor people who enjoy knittng", ["outdoors", "Knitting"]),
        ("my friend zahra works for acorn", ["Zahra", "Acorn Analytics"]),
        ("wren robotics, not robotics", ["Wren Robotics", "Robotics"]),
        ("astronomy nights", ["Astronomy nights"]),
        ("do you like the college or the company?", []),
        ("Hi there, how are you doing today?", []),
        ("", []),
        ("?!., ...", []),
    ],
)
def test_values_are_found_in_free_text(text: str, values: list[str]) -> None:
    assert found(text) == values


def test_two_initials_mean_what_one_has() -> None:
    assert found("any CS majors?") == []
    assert found("any CS majors?", COMPUTERS) == ["Computer Science"]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("I have 3 hikers and 2 rowers", [("Hiking", 3), ("Rowing", 2)]),
        ("none of mine like chess", [("Chess", 0)]),
        ("I don't have anyone who likes chess or yoga", [("Chess", 0), ("Yoga", 0)]),
        ("I have no one who studied law but 2 who studied physics", [("Law", 0), ("Physics", 2)]),
        ("My hiker studied Law", [("Hiking+Law", None)]),
        ("I have one at Lantern Books who studied chemistry", [("Chemistry+Lantern Books", 1)]),
        ("nope", [("Hiking", 0)]),
        ("2", [("Hiking", 2)]),
        ("yes", [("Hiking", None)]),
        ("I do not know", []),
        ("no problem", []),
        ("Four of mine like chess. One of them studied Law.", [("Chess", 4), ("Chess+Law", None)]),
        ("Yes, two. Both studied Law.", [("Hiking", 2), ("Hiking+Law", None)]),
    ],
)
def test_claims_say_what_the_writer_has(text: str, claims: list[tuple[str, int | None]]) -> None:
    """The writer was asked for people who like hiking."""
    reading = read(text, HIKING)
    assert [(shown(claim.group), claim.count) for claim in reading.claims] == claims


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Do you have any friends who like hiking?", ["Hiking"]),
        ("Hikers?", ["Hiking"]),
        ("How about people who work at Acorn", ["Acorn Analytics"]),
        ("Anyone at Acorn Analytics or Lantern Books?", ["Acorn Analytics", "Lantern Books"]),
        ("I have two hikers, do you?", ["Hiking"]),
        ("None of mine. Do any of yours go to Ashgrove?", ["Ashgrove Polytechnic"]),
        ("I have a hiker.", []),
    ],
)
def test_questions_say_what_is_asked(text: str, asked: list[str]) -> None:
    assert [shown(group) for group in read(text).asked] == asked


def test_an_attribute_can_be_asked_about() -> None:
    assert read("what majors do your friends have?").attribute == "Major"
    assert read("where do they work?").attribute == "Company"


def test_friends_who_were_all_described_rule_out_the_others() -> None:
    [base, *_] = read("Yes, two. One studied Law and the other studied Physics.", HIKING).claims
    assert [shown(part) for part in base.parts] == ["Hiking+Law", "Hiking+Physics"]
    [base, *_] = read("I have three hikers. One studied Law.").claims
    assert base.parts == ()
    [everyone] = read("All of my friends prefer evenings").claims
    assert everyone.every
