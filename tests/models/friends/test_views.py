"""Dialogues as either side lives through them."""

import pytest

from palaver.core.errors import InputError
from palaver.games.mutual_friends.lexicon import Entity
from palaver.models.chats import Chat, ChatEvent, held_out, read_chats
from palaver.models.friends.tokens import END, SELECT, UNKNOWN
from palaver.models.friends.views import FriendsView, learnable, views_of
from palaver.models.friends.words import FriendsWords, surfaces_of

from .toys import made_views, write_made_chats

ADA, BO, CY = (
    {"Name": n, "Hobby": h}
    for n, h in (("Adele", "Rock climbing"), ("Boris", "Chess"), ("Cyrus", "Chess"))
)
KNOWN = frozenset(
    Entity(name, value)
    for friend in (ADA, BO, CY, {"Name": "Dinah", "Hobby": "Yoga"})
    for name, value in friend.items()
)


def chat(*events: tuple[int, object], succeeded: bool = True) -> Chat:
    return Chat(
        id="d",
        kbs=([ADA, BO], [BO, CY]),
        events=tuple(
            ChatEvent(seat=seat, action="message", text=what)
            if isinstance(what, str)
            else ChatEvent(seat=seat, action="select", selected=what)
            for seat, what in events
        ),
        succeeded=succeeded,
        attributes=(("Name", "name"), ("Hobby", "hobby")),
    )


def told(view: FriendsView) -> list[tuple[str, str]]:
    """Heard and said, values in brackets with their attribute, rows by number."""
    return [
        tuple(
            " ".join(
                f"row-{token.row}"
                if token.row is not None
                else f"[{token.entity.attribute} {token.entity.value}]"
                if token.entity
                else token.word
                for token in tokens
            )
            for tokens in (each.heard, each.said)
        )
        for each in view.exchanges
    ]


def test_hyphens_go_number_words_become_digits_and_values_are_found() -> None:
    (first, second) = views_of([chat((1, "Ten like Rock-climbing - and I'm Boris!"))], KNOWN)
    said = f"10 like [Hobby Rock climbing] and i'm [Name Boris] ! {END}"
    assert told(first) == [(said, "")]
    # What is not in the own table and was not heard cannot be copied, and is said without a name.
    assert told(second) == [("", said.replace("[Hobby Rock climbing]", UNKNOWN))]


def test_a_selection_is_heard_as_values_and_said_as_a_row() -> None:
    (first, second) = views_of([chat((0, "hi"), (1, CY), (0, BO), (1, BO))], KNOWN)
    boris = f"{SELECT} [Name Boris] [Hobby Chess] {END}"
    cyrus = f"{SELECT} [Name Cyrus] [Hobby Chess] {END}"
    assert told(first) == [("", f"hi {END}"), (cyrus, f"{SELECT} row-1 {END}"), (boris, "")]
    assert told(second) == [
        (f"hi {END}", f"{SELECT} row-1 {END}"),
        (boris, f"{SELECT} row-0 {END}"),
    ]
    assert first.heard_of == (Entity("Name", "Cyrus"),)


def test_what_one_side_says_in_a_row_is_one_turn_and_turns_begin_with_the_partner() -> None:
    (first, second) = views_of([chat((0, "hi"), (0, "chess?"), (1, "no"), (1, BO))], KNOWN)
    assert told(first) == [
        ("", f"hi {END} [Hobby Chess] ? {END}"),
        (f"no {END} {SELECT} [Name Boris] [Hobby Chess] {END}", ""),
    ]
    assert [len(view.exchanges) for view in (first, second)] == [2, 1]


def test_what_was_heard_can_be_said() -> None:
    (first, _) = views_of([chat((0, "Dinah?"), (1, "no Dinah"), (0, "no Dinah either"))], KNOWN)
    assert [said for _, said in told(first)] == [
        f"{UNKNOWN} ? {END}",
        f"no [Name Dinah] either {END}",
    ]


def test_dialogues_without_success_or_of_one_turn_are_left_out() -> None:
    good = chat((0, "hi"), (1, "hello"))
    assert learnable(
        [chat((0, "hi"), (0, "hi")), chat((0, "a"), (1, "b"), succeeded=False), good]
    ) == [good]
    with pytest.raises(InputError, match="In none of the dialogues was the friend found"):
        learnable([chat((0, "hi"), (1, "hello"), succeeded=False)])


def test_a_dialogue_of_another_game_is_refused() -> None:
    other = Chat(id="b", kbs=({"personal": {}}, {}), events=(), succeeded=True)
    with pytest.raises(InputError, match="'b': A table of MutualFriends is a list of friends"):
        views_of([other], KNOWN)


def test_both_views_of_a_dialogue_are_held_out_together(tmp_path) -> None:
    chats = read_chats([write_made_chats(tmp_path / "c.json", 30)])
    learnt, held = (views_of(each, KNOWN) for each in held_out(chats, fold=0, folds=3, seed=1))
    assert not {view.dialogue for view in learnt} & {view.dialogue for view in held}
    assert all(sum(v.dialogue == view.dialogue for v in held) == 2 for view in held)


def test_words_are_the_same_after_a_checkpoint(tmp_path) -> None:
    _, words = made_views(tmp_path)
    again = FriendsWords.read(words.written())
    assert again.vocabulary.words == words.vocabulary.words
    assert (again.known, again.surfaces, again.attributes) == (
        words.known,
        words.surfaces,
        words.attributes,
    )
    with pytest.raises(InputError, match="has no 'attributes'"):
        FriendsWords.read({"words": ["a"]})
    with pytest.raises(InputError, match="is not one of MutualFriends"):
        FriendsWords.read({**words.written(), "entities": ["torn"]})


def test_surfaces_are_counted_as_they_are_written_where_capitals_are_used() -> None:
    chats = [chat((0, "I like Rock-climbing"), (1, "CLIMBING is hard")), chat((0, "rock climbing"))]
    same = [chat((0, "Boris?"), (1, "Boris!"))]
    assert surfaces_of([*chats, *chats, *same], KNOWN) == {
        Entity("Hobby", "Rock climbing"): {"Rock-climbing": 4, "CLIMBING": 2}
    }
