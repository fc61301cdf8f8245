"""The page of a diagnosis: one file, its first line the answer, its numbers those of the record."""

import re
from dataclasses import replace
from html import unescape

import pytest

from palaver.models.diagnosis.page import diagnosis_page, dot_pictures
from palaver.models.diagnosis.record import (
    Diagnosis,
    FigureColumn,
    FigureRow,
    FigureTable,
    JudgedPart,
    JudgedSample,
    LabelShare,
    PictureLine,
    PublishedRow,
    SamplePair,
    SampleSet,
    WordPicture,
    shaded,
)
from palaver.models.measured import MeasuredFigure

SCORE = FigureColumn(name="score", heading="its score")
AGREED = FigureColumn(name="agreed", heading="agreed", is_share=True)
TABLE = FigureTable(
    title="How it plays",
    caption="64 dialogues.",
    columns=(SCORE, AGREED, FigureColumn(name="pareto", heading="Pareto-optimal")),
    rows=(
        FigureRow(
            title="against itself",
            figures={
                "score": MeasuredFigure(
                    name="score",
                    value=5.0,
                    low=4.0,
                    high=8.0,
                    n=64,
                    unit="dialogues",
                    about="points",
                ),
                "agreed": MeasuredFigure(name="agreed", value=0.75, low=0.5, high=0.9),
            },
        ),
        FigureRow(title="against nobody", figures={}),
    ),
    published=(PublishedRow(title="Lewis", values={"score": 7.1}),),
    source="Lewis et al.",
    drawn=("score",),
)
HEAD, *WORDS = shaded(["A:", "hats", "<eos>"], [0.1, 0.6, 0.3], 0.6)
RICH = Diagnosis(
    name="gru",
    headline="5.00 points against itself",
    about="A small GRU",
    tables=(TABLE,),
    pictures=(
        WordPicture(
            title="Where it looks", caption="One.", lines=(PictureLine(HEAD, tuple(WORDS)),)
        ),
    ),
    samples=(
        SampleSet(
            title="What it says",
            ours="The model",
            theirs="People",
            pairs=(SamplePair(about="1 book", ours=("A: mine",), theirs=("A: yours",)),),
        ),
    ),
    judged=(
        JudgedSample(
            title="Dialogue d7",
            parts=(
                JudgedPart(
                    name="Customer:",
                    text="my line is dead",
                    shares=(LabelShare("CNUG0", 0.625, 0.5), LabelShare("CNaN", 0.375, 0.5)),
                ),
            ),
        ),
    ),
    notes=("Intervals draw dialogues anew.",),
)
EMPTY = Diagnosis(name="gru", headline="Nothing is known", about="")


def text_of(page: str) -> str:
    body = page.partition("<body>")[2]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def test_the_first_line_is_the_answer_and_all_of_the_record_follows() -> None:
    page = diagnosis_page(RICH)
    assert "<h1>5.00 points against itself</h1>" in page
    told = text_of(page)
    for words in (
        "5.00 [4.00, 8.00]",
        "75.0 % [50.0 %, 90.0 %]",
        "Lewis 7.1",
        "points (n = 64 dialogues)",
        "hats 60 %",
        "A: mine People A: yours",
        "Customer: my line is dead CNUG0 62 % (50 %) CNaN 38 % (50 %)",
        "the model, (annotators)",
        "Intervals draw dialogues anew.",
    ):
        assert words in told, words
    assert "Pareto" not in told


def test_dots_lie_where_their_numbers_are_from_nothing_on() -> None:
    (picture,) = dot_pictures(TABLE)
    own, published = picture.rows
    # The largest number there is, 8, and a twentieth of room after it.
    assert own.high == pytest.approx(100 / 1.05)
    assert own.at == pytest.approx(own.high * 5 / 8)
    assert own.low == pytest.approx(own.high * 4 / 8)
    assert published.at == published.low == published.high == pytest.approx(own.high * 7.1 / 8)
    assert (published.text, published.is_published) == ("7.1", True)


def test_numbers_that_are_all_nothing_lie_at_the_line() -> None:
    row = FigureRow(title="mute", figures={"score": MeasuredFigure(name="score", value=0.0)})
    (picture,) = dot_pictures(replace(TABLE, rows=(row,), published=()))
    assert (picture.rows[0].at, picture.rows[0].high) == (0.0, 0.0)


@pytest.mark.parametrize("diagnosis", [RICH, EMPTY], ids=["rich", "empty"])
def test_it_needs_nothing_from_elsewhere(diagnosis: Diagnosis) -> None:
    page = diagnosis_page(diagnosis)
    assert not re.search(r"(?:src|href)=|url\(|@import|https?://|<script", page)


def test_without_anything_to_show_there_is_a_headline_and_no_empty_frame() -> None:
    page = diagnosis_page(EMPTY)
    assert text_of(page) == "gru Nothing is known"
    assert "<section" not in page


def test_words_of_people_cannot_break_out_of_the_page() -> None:
    evil = '<script>alert("1")</script>'
    word = shaded([evil], [1.0], 1.0)[0]
    page = diagnosis_page(
        replace(
            RICH,
            name=evil,
            headline=evil,
            about=evil,
            tables=(replace(TABLE, title=evil, caption=evil, source=evil),),
            pictures=(
                replace(RICH.pictures[0], caption=evil, lines=(PictureLine(word, (word,)),)),
            ),
            samples=(replace(RICH.samples[0], pairs=(SamplePair(about=evil, ours=(evil,)),)),),
            judged=(
                JudgedSample(title=evil, parts=(JudgedPart(name=evil, text=evil, shares=()),)),
            ),
            notes=(evil,),
        )
    )
    assert "<script" not in page
    assert page.count("&lt;script&gt;") > 10


def test_without_people_no_key_speaks_of_them() -> None:
    shares = (LabelShare("CNUG0", 1.0),)
    part = JudgedPart(name="Customer:", text="hello", shares=shares)
    page = diagnosis_page(replace(RICH, judged=(JudgedSample(title="d", parts=(part,)),)))
    assert "(annotators)" not in page
    assert "CNUG0 100 %" in text_of(page)
