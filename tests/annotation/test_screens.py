"""What a rater sees one after the other."""

from collections.abc import Sequence

from palaver.annotation.screens import Screen, screens_of
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.events import Event
from palaver.core.questions import Question
from palaver.core.sheets import SheetPart
from palaver.studies.file.questions import built_in_question

NAMES = ("empathy", "knowledge", "quality_likert", "relevant_likert", "preference")


def talk(key: str, *speakers: int) -> Dialogue:
    dialogue = Dialogue(
        id=key,
        seats=[
            Seat(index=0, kind="person", occupant="p"),
            Seat(index=1, kind="system", occupant="s"),
        ],
    )
    for seq, seat in enumerate(speakers, start=1):
        dialogue.apply(
            Event(seq=seq, seat=seat, action="message", data={"text": f"{seq}"}, time=0.0)
        )
    return dialogue


def questions() -> dict[str, Question]:
    found = {name: built_in_question(name) for name in NAMES}
    return {name: question for name, question in found.items() if question is not None}


DIALOGUES = {"x": talk("x", 0, 1, 0, 1, 1), "y": talk("y", 0, 1)}
ALONE = SheetPart(dialogues=("x",), ask=NAMES[:4])
PAIR = SheetPart(dialogues=("x", "y"), ask=("preference",))


def screens(parts: Sequence[SheetPart], seed: str = "ann", **options: bool) -> list[Screen]:
    return screens_of(parts, DIALOGUES, questions(), seed=seed, **options)


def asked(found: Sequence[Screen]) -> list[list[str]]:
    return [list(dict.fromkeys(a.question.name for a in screen.askings)) for screen in found]


def test_each_question_about_turns_has_a_screen_and_the_others_share_one() -> None:
    found = screens([ALONE])
    assert asked(found) == [["empathy"], ["knowledge"], ["quality_likert", "relevant_likert"]]
    assert [a.unit.key for a in found[0].askings] == ["event:x:2", "turn:x:4-5"]
    assert [a.shown.text for a in found[0].askings] == ["2", "4\n5"]
    assert found[2].askings[0].unit.key == "dialogue:x"


def test_the_sides_of_a_pair_are_drawn_for_each_rater_and_stay_for_one() -> None:
    seen = {
        seed: tuple(d.id for d in screens([PAIR], seed)[0].dialogues) for seed in map(str, range(9))
    }
    assert set(seen.values()) == {("x", "y"), ("y", "x")}
    for seed, order in seen.items():
        again = screens([PAIR], seed)[0]
        assert tuple(d.id for d in again.dialogues) == order
        # The sides of the unit are named after the sorted keys: x is the first.
        assert again.askings[0].shown.order == (
            ("first", "second") if order == ("x", "y") else ("second", "first")
        )


def test_own_conversations_keep_the_order_in_which_they_were_held() -> None:
    parts = [SheetPart(dialogues=(key,), ask=("quality_likert",)) for key in ("y", "x")]
    held = SheetPart(dialogues=("y", "x"), ask=("preference",))
    for seed in map(str, range(5)):
        found = screens([*parts, held], seed, shuffle=True, as_held=True)
        assert [[d.id for d in screen.dialogues] for screen in found] == [["y"], ["x"], ["y", "x"]]


def test_a_drawn_order_of_questions_is_recorded_and_comparisons_come_last() -> None:
    orders = set()
    for seed in map(str, range(12)):
        found = screens([PAIR, ALONE], seed, shuffle=True)
        assert asked(found)[-1] == ["preference"]
        together = next(s for s in found if s.askings[0].unit.key == "dialogue:x")
        order = together.askings[0].shown.order
        assert order == tuple(a.question.name for a in together.askings)
        orders.add(order)
    assert len(orders) == 2
    assert screens([ALONE])[2].askings[0].shown.order is None
