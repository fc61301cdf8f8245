"""Masking: what must go, what must stay, and that no text makes it slow."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.core.dialogue import Seat
from palaver.core.events import Event
from palaver.core.records import DialogueRecord, LabelRecord
from palaver.core.scenario import Scenario, SeedUtterance
from palaver.formats.masking import DialogueMasker, KnownNames, Masker, mask, mask_label

MASKED = [
    # e-mail addresses
    ("write to ann@example.com please", "write to [email] please"),
    ("<ann.b+c@mail.example.co.uk>,", "<[email]>,"),
    ("o'brien@example.org", "[email]"),
    ("'ann@example.com'", "'[email]'"),
    ("mailto:ann@example.com.", "mailto:[email]."),
    ("a@b.co,c@d.io;e@f.de", "[email],[email];[email]"),
    ("josé.ñandú@correo.es!", "[email]!"),
    ("иван@почта.рф", "[email]"),
    ("用户@例子.广告", "[email]"),
    ("我的邮箱是ann@example.com谢谢", "我的邮箱是[email]谢谢"),
    ("ann＠example.com", "[email]"),
    ("user1234567@example.com", "[email]"),
    ("x@xn--bcher-kva.example", "[email]"),
    # telephone numbers
    ("call +44 20 7946 0018 now", "call [phone] now"),
    ("+44 (0)20 7946 0018", "[phone]"),
    ("+1-555-123-4567", "[phone]"),
    ("+15551234567", "[phone]"),
    ("(555) 123-4567", "[phone]"),
    ("(tel 555 123 4567)", "(tel [phone])"),
    ("555-123-4567", "[phone]"),
    ("555.123.4567", "[phone]"),
    ("555-1234", "[phone]"),
    ("020 7946 0018", "[phone]"),
    ("07911 123456", "[phone]"),
    ("07911123456", "[phone]"),
    ("06 12 34 56 78", "[phone]"),
    ("06.12.34.56.78", "[phone]"),
    ("030/1234567", "[phone]"),
    ("0049 30 123456", "[phone]"),
    ("08-123 45 67", "[phone]"),
    ("612 345 678", "[phone]"),
    ("12 34 56 78", "[phone]"),
    ("555\u2013123\u20134567", "[phone]"),
    ("555\u00a0123\u00a04567", "[phone]"),
    ("Tel:0201234567", "Tel:[phone]"),
    ("at 10:30 call 555 123 4567", "at 10:30 call [phone]"),
    ("٠١٢٣ ٤٥٦ ٧٨٩", "[phone]"),
    ("+٩٦٦ ٥٠ ١٢٣ ٤٥٦٧", "[phone]"),
    ("+۹۸ ۹۱۲ ۳۴۵ ۶۷۸۹", "[phone]"),
    ("０９０-１２３４-５６７８", "[phone]"),
    # cards, accounts and other long numbers
    ("4111 1111 1111 1111", "[card]"),
    ("4111-1111-1111-1111", "[card]"),
    ("4111111111111111", "[card]"),
    ("3782 822463 10005", "[card]"),
    ("2012 3456 7890 1234", "[number]"),
    ("id 123456", "id [id]"),
    ("A1234567", "A[number]"),
    ("order #98765432.", "order #[number]."),
    ("078-05-1120", "[id]"),
    ("12-34-56", "[number]"),
    ("١٢٣٤٥٦", "[number]"),
    ("1 2 3 4 5 6 7", "[phone]"),
    ("5 5 5 1 2 3 4 5 6 7", "[phone]"),
    ("192.168.10.115", "[ip]"),
    ("from SW1A 1AA to b2 4qa", "from [address] to [address]"),
    ("https://example.com/u/12345678?x=1", "[link]"),
]

KEPT = [
    "",
    "no numbers at all",
    "in 1998 and 2026",
    "1998-2004 and 1998\u20132004, 2025/26, 1990-95",
    "2019 2020 2021",
    "2026-11-15",
    "2026-11-15 10:30 and 2026-11-15T10:30:59Z",
    "2026-11-15 10 people came",
    "15.11.2026, 15/11/2026, 11/15/2026, 15.11.26",
    "15-20.11.2026",
    "2026-11-15\u20132026-11-20",
    "Nov 15 2026 10:30",
    "November 15, 2026",
    "at 10:30:00 or 23:59",
    "$1,299,000.50 or 1,299,000",
    "1.299.000 or 12 500 000",
    "250 000 people",
    "$250000 and 250000 € and EUR 1234567",
    "10 000 - 20 000",
    "500-1000 or 1000-2000",
    "3.14159265 and 3,14159265",
    "0.5 0.25 1.75",
    "-0.123456789",
    "51.5",
    "12345",
    "12 15 18",
    "4 8 15 16 23 42",
    "room 12345, floor 3",
    "24/7, 50/50, 1/2",
    "٢٠٢٦ و ١٢٣",
    "٣٫١٤١٥٩٢٦٥",
    "me @ home, a@b, 2@3.50, ann@localhost",
    "line 123\n456\n789",
    "(2026)",
    "the M2 8GB model, XX1 1AA",
    "5+5=10",
]


@pytest.mark.parametrize(("text", "masked"), MASKED)
def test_what_must_go(text: str, masked: str) -> None:
    assert mask(text) == masked


@pytest.mark.parametrize("text", KEPT)
def test_what_must_stay(text: str) -> None:
    assert mask(text) == text


WORDS = st.text(alphabet="abc dé中,.!?\n", max_size=30)


@given(WORDS, WORDS, st.from_regex(r"\A[a-z]{1,12}(\.[a-z]{1,5})?@[a-z]{1,9}\.(com|org|de)\Z"))
def test_an_address_goes_from_any_text(before: str, after: str, address: str) -> None:
    assert address not in mask(f"{before} {address} {after}")


@given(WORDS, WORDS, st.integers(10**9, 10**15 - 1), st.sampled_from(["", "+", "+00"]))
def test_a_long_number_goes_from_any_text(before: str, after: str, n: int, plus: str) -> None:
    assert str(n) not in mask(f"{before} {plus}{n} {after}")


@given(st.text(alphabet="0123456789+-. ()/:,@a٣€\n", max_size=40))
def test_any_text_is_masked_once_and_for_all(text: str) -> None:
    once = mask(text)
    assert mask(once) == once


# The beginnings of everything that is looked for, over and over.
BEGINNINGS = [
    *(
        "a",
        "1",
        "1 ",
        "1:",
        "a@",
        "@a.a.1",
        "a@a.a.1 ",
        "+(",
        "1,111",
        "2026-11-",
        "中@",
        "1)-",
        "a.b",
    ),
    *(
        "my name is ",
        "I'm Ann ",
        "Hi ",
        "van der ",
        "best\n",
        "\n- A",
        "name: ",
        "Mr. A ",
        "my wife A ",
    ),
    *(
        "我叫",
        "名前は",
        "이름은 가",
        "born on 1 ",
        "jan 1 ",
        "my insta is ",
        "u/a",
        "#1234",
        "@",
        "A.",
        "’",
    ),
    *(
        "www.",
        "https://a/",
        "(at)",
        " at a dot ",
        "1 Elm ",
        "12 a b c d ",
        "straße 1 ",
        "1 street ",
    ),
    *("ul. A ", "via Roma ", "fe80:", "00:", "GB82WEST1", "AB1 1", "ssn 1-", "id 1"),
]


@pytest.mark.parametrize("unit", BEGINNINGS)
def test_time_grows_with_the_length_of_any_text(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    start = time.process_time()
    mask(text)
    # A pattern that looks back over everything before would take minutes.
    assert time.process_time() - start < 20.0


def test_every_string_of_a_nested_value_is_masked() -> None:
    value = {"text": "a@b.co", "n": 1234567, "deep": [{"x": ("123456", None, True)}]}
    assert Masker().value(value) == {
        "text": "[email]",
        "n": 1234567,
        "deep": [{"x": ("[number]", None, True)}],
    }


def test_a_dialogue_is_masked_where_people_speak() -> None:
    record = DialogueRecord(
        id="d_1234567",
        study="s",
        scenario=Scenario(
            id="case 1234567",
            personas=(("I am a@b.co",), ()),
            seeds=(SeedUtterance(seat=0, text="123456"),),
            kbs=({"tel": "555-1234"},),
        ),
        seats=[Seat(index=0, kind="person", occupant="p_1234567")],
        events=[
            Event(seq=1, seat=0, action="message", data={"text": "123456", "seed": True}, time=1.0),
            Event(seq=2, seat=0, action="message", data=None, time=2.0),
            Event(seq=3, seat=0, action="offer", data={"note": ["mail a@b.co"]}, time=3.0),
        ],
    )
    masked = DialogueMasker(Masker(), record).record()
    assert (masked.id, masked.seats, masked.scenario.id) == (
        record.id,
        record.seats,
        record.scenario.id,
    )
    assert masked.scenario.personas == (("I am [email]",), ())
    assert masked.scenario.seeds[0].text == "[number]"
    assert masked.scenario.kbs == ({"tel": "[phone]"},)
    assert [event.data for event in masked.events] == [
        {"text": "[number]", "seed": True},
        None,
        {"note": ["mail [email]"]},
    ]


def test_a_label_is_masked_in_its_answer_only() -> None:
    record = LabelRecord(
        study="s", unit="event:d_1234567:2", dialogue="d_1234567", seq=2, turn=None, question="why",
        question_version="1", purpose="real", rater="p_1234567", rater_kind="person",
        assignment="a_1234567", shown_order=None, value="ask a@b.co", label="ask a@b.co",
        seconds=1.0, superseded=False, time=1.0,
    )  # fmt: skip
    masked = mask_label(record, (), Masker())
    assert (masked.value, masked.label) == ("ask [email]", "ask [email]")
    assert (masked.unit, masked.rater) == (record.unit, record.rater)


# --- Names that are known -------------------------------------------------------------------------


def said(*texts: str) -> DialogueRecord:
    return DialogueRecord(
        id="d",
        study="s",
        seats=[Seat(index=0, kind="person", occupant="p")],
        events=[
            Event(seq=n, seat=0, action="message", data={"text": text}, time=1.0)
            for n, text in enumerate(texts, start=1)
        ],
    )


def masked_texts(*texts: str, known: KnownNames | None = None) -> list[str]:
    masker = Masker(known) if known else Masker()
    return [event.text for event in DialogueMasker(masker, said(*texts)).record().events]


def test_a_name_that_was_said_once_is_masked_in_the_whole_dialogue() -> None:
    texts = ("Tamsin again", "hi, my name is Tamsin Okoro", "so tamsin it is, Ms. Okoro")
    masked = ["[name] again", "hi, my name is [name]", "so [name] it is, Ms. [name]"]
    assert masked_texts(*texts) == masked


def test_a_name_of_one_dialogue_says_nothing_of_another() -> None:
    masker = Masker()
    DialogueMasker(masker, said("my name is Tamsin")).record()
    assert masker.text("Tamsin is a name") == "Tamsin is a name"


def test_a_name_that_is_a_word_counts_with_its_capital() -> None:
    texts = ("my name is Will", "I will ask Will", "Will you come?")
    assert masked_texts(*texts) == ["my name is [name]", "I will ask [name]", "Will you come?"]


def test_names_that_the_study_knows_are_masked() -> None:
    known = KnownNames(ids=["Gudrun Ebert", "A3XKQ9ZP7LMN2B", "w-204-b", "admin", "p1", "17"])
    texts = (
        "ask gudrun or Gudrun Ebert",
        "I am a3xkq9zp7lmn2b",
        "w-204-b!",
        "the admin of p1 is 17",
    )
    assert masked_texts(*texts, known=known) == [
        "ask [name] or [name]",
        "I am [name]",
        "[name]!",
        "the admin of p1 is 17",
    ]


# --- Places ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marked", "now"),
    [
        ("to", "to"),
        ("now", "now"),
        ("ann@b.co", "[email]"),
        ("n@b", "[email]"),
        ("to ann", "to [email]"),
        ("co, or", "[email], or"),
        ("or 555-123", "or [phone]"),
        ("write to ann@b.co, or 555-123-4567 now", "write to [email], or [phone] now"),
    ],
)
def test_a_mark_covers_the_same_words_or_their_placeholder(marked: str, now: str) -> None:
    text = "write to ann@b.co, or 555-123-4567 now"
    start = text.index(marked)
    masked = Masker().masked(text)
    one, other = masked.shift(start, start + len(marked))
    assert masked.text[one:other] == now


@given(st.text(alphabet="ab@.co 1234567", max_size=40), st.data())
def test_what_is_not_masked_stays_under_its_mark(text: str, data: st.DataObject) -> None:
    masked = Masker().masked(text)
    taken = {n for find in masked.finds for n in range(find.start, find.end)}
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    one, other = masked.shift(start, end)
    assert 0 <= one <= other <= len(masked.text)
    if taken.isdisjoint(range(start, end)) and start < end:
        assert masked.text[one:other] == text[start:end]


def test_marks_in_a_turn_of_several_messages_move() -> None:
    record = said("I'm Ann", "write to a@b.co", "ask Ann now")
    turn = "I'm Ann\nwrite to a@b.co\nask Ann now"
    marks = [
        {"start": turn.index(words), "end": turn.index(words) + len(words), "label": "x"}
        for words in ("write", "a@b.co", "now")
    ]
    inside = DialogueMasker(Masker(), record)
    moved = inside.answer(marks, seq=2, closed=True)
    now = "\n".join(event.text for event in inside.record().events)
    assert [now[m["start"] : m["end"]] for m in moved] == ["write", "[email]", "now"]


def test_what_was_masked_is_counted_by_kind() -> None:
    masker = Masker()
    masker.value(["I'm Ann", {"a": "a@b.co, c@d.io"}])
    assert masker.counts == {"name": 1, "email": 2}
