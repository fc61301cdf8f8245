"""The words of a turn, and what is counted on its surface."""

import pytest

from palaver.core.errors import InputError
from palaver.models.dialeval.dialogues import HelpDialogue, HelpTurn
from palaver.models.dialeval.tensors import as_tensors, vocabulary_of
from palaver.models.dialeval.words import BEGIN, END, MARKS, SURFACE, surface, turn_words, words_of


def dialogue(*turns: tuple[str, str]) -> HelpDialogue:
    return HelpDialogue("d", tuple(HelpTurn(who, text) for who, text in turns))


def counted(given: HelpDialogue, name: str) -> list[float]:
    return [turn[SURFACE.index(name)] for turn in surface(given)]


def test_words_are_small_and_signs_stand_alone() -> None:
    assert words_of("My line's DEAD… why?") == ["my", "line's", "dead", "…", "why", "?"]
    assert words_of("See www.help.com or 123456789") == ["see", "<address>", "or", "<number>"]
    assert words_of("您好 ok") == ["您", "好", "ok"]
    assert words_of("看http://t.cn/x我的网。www.x.cn，好") == (
        ["看", "<address>", "我", "的", "网", "。", "<address>", "，", "好"]
    )


def test_a_turn_is_cut_after_so_many_words_and_never_empty() -> None:
    turn = HelpTurn("customer", "one two three four")
    assert turn_words(turn, 2) == [BEGIN, "one", "two", END]
    assert turn_words(HelpTurn("customer", " "), 2) == [BEGIN, END]


def test_the_vocabulary_has_the_words_that_are_read_and_are_frequent() -> None:
    given = [dialogue(("customer", "red red lamp late late"))]
    assert vocabulary_of(given, least=2, most=3).words == [*MARKS[:2], *MARKS[2:], "red"]
    with pytest.raises(InputError, match="The vocabulary is empty"):
        vocabulary_of(given, least=3, most=3)


def test_the_surface_counts_signs_places_and_what_was_said_before() -> None:
    given = dialogue(
        ("customer", "Why? @shop see http://a.b"),
        ("helpdesk", "restart the box"),
        ("customer", "restart"),
        ("helpdesk", "restart the box"),
    )
    assert all(len(turn) == len(SURFACE) for turn in surface(given))
    assert [value > 0 for value in counted(given, "questions")] == [True, False, False, False]
    assert [value > 0 for value in counted(given, "mentions")] == [True, False, False, False]
    assert [value > 0 for value in counted(given, "addresses")] == [True, False, False, False]
    assert counted(given, "first") == [1, 0, 0, 0]
    assert counted(given, "last") == [0, 0, 0, 1]
    assert counted(given, "shared with the turn before") == [0, 0, 1, pytest.approx(1 / 3)]
    assert counted(given, "shared with the own turn before") == [0, 0, 0, 1]
    assert counted(given, "same as an earlier turn") == [0, 0, 0, 1]


def test_tensors_are_padded_and_unknown_words_are_one() -> None:
    given = [
        dialogue(("customer", "red lamp"), ("helpdesk", "red")),
        dialogue(("helpdesk", "blue")),
    ]
    vocabulary = vocabulary_of(given[:1], least=2, most=9)
    found = as_tensors(given, vocabulary, most=9)
    number = vocabulary.number
    assert found.words[0].tolist() == [
        [number(BEGIN), number("red"), number("<unk>"), number(END)],
        [number(BEGIN), number("red"), number(END), 0],
    ]
    assert found.words[1].tolist()[1] == [0, 0, 0, 0]
    assert found.present.tolist() == [[True, True], [True, False]]
    assert found.senders.tolist() == [[0, 1], [1, 0]]
