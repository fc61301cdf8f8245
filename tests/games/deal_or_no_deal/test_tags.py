"""The game in tags: what a language model is told, and what its tags stand for."""

import pytest

from palaver.core.errors import MoveError
from palaver.core.events import Event
from palaver.games.deal_or_no_deal.game import GAME

from .deals import SCENARIO

SEEN = SCENARIO.seen_by(0)


def test_the_brief_tells_the_own_values_and_no_others() -> None:
    told = " ".join(GAME.brief(SEEN, 0))
    assert "You and a partner divide 2 books, 1 hat and 3 balls." in told
    assert "To you each book is worth 4, each hat is worth 2 and each ball is worth 0" in told
    assert "<select> 2 0 0" in told
    assert "<quit>" in told
    assert "worth 3" not in told


@pytest.mark.parametrize(
    ("words", "taken"),
    [
        ("1 0 3", (1, 0, 3)),
        (" 1, 0, 3 ", (1, 0, 3)),
        ("1 book 2 balls", (1, 0, 2)),
        ("1 book, 1 hat and 2 balls", (1, 1, 2)),
        ("3 BALLS", (0, 0, 3)),
        ("9 0 0", (9, 0, 0)),
    ],
)
def test_a_selection_is_read(words: str, taken: tuple[int, ...]) -> None:
    move = GAME.read_tag("select", words, SEEN, 0)
    assert move.data == {"take": dict(zip(("book", "hat", "ball"), taken, strict=True))}


@pytest.mark.parametrize("words", ["", "1 0", "1 0 3 4", "books", "two 0 0", "-1 0 3", "1 book 2"])
def test_a_selection_that_cannot_be_read_is_refused(words: str) -> None:
    with pytest.raises(MoveError, match=r"<select> takes '2 1 3' or '2 books 1 hat 3 balls'"):
        GAME.read_tag("select", words, SEEN, 0)


def test_unknown_items_and_tags_are_refused() -> None:
    with pytest.raises(MoveError, match="Unknown item 'cars'; there are book, hat, ball"):
        GAME.read_tag("select", "2 cars", SEEN, 0)
    with pytest.raises(MoveError, match="There is no move '<offer>'"):
        GAME.read_tag("offer", "5", SEEN, 0)


def test_tags_are_written_as_they_are_read() -> None:
    move = GAME.read_tag("select", "1 0 3", SEEN, 0)
    event = Event(seq=1, seat=0, action=move.action, data=move.data, time=0)
    assert GAME.write_tag(event) == "<select> 1 0 3"
    quits = GAME.read_tag("quit", "", SEEN, 0)
    assert quits.data == {"no_deal": True}
    assert GAME.write_tag(Event(seq=1, seat=0, action="quit", data=quits.data, time=0)) == "<quit>"
    assert GAME.write_tag(Event(seq=1, seat=0, action="message", data={"text": "x"}, time=0)) == ""
