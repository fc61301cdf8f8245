"""The pages of training and diagnosis, opened from disk as those who train open them."""

import os
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from palaver.models.diagnosis.page import diagnosis_page
from palaver.models.diagnosis.record import (
    Diagnosis,
    FigureColumn,
    FigureRow,
    FigureTable,
    PictureLine,
    SamplePair,
    SampleSet,
    WordPicture,
    shaded,
)
from palaver.models.measured import MeasuredFigure
from palaver.models.training.curve import CurveRow
from palaver.models.training.curve_page import curve_page
from palaver.models.training.snapshot import TrainingState
from support.browsing import scrolls_sideways

from .conftest import NewPage

pytestmark = pytest.mark.browser


def curve_file(folder: Path, epochs: int, *, done: bool) -> Path:
    rows = [
        CurveRow(
            epoch=n,
            loss=9 / n,
            rate=0.001,
            seconds=2.0,
            measured={"perplexity": 5 + 20 / n, "token_accuracy": 0.5, "selection_accuracy": 0.4},
            is_best=True,
        )
        for n in range(1, epochs + 1)
    ]
    state = TrainingState(epoch=epochs, rows=rows, best=5 + 20 / epochs, best_epoch=epochs)
    path = folder / "curve.html"
    page = curve_page(state, name="deal", watched="perplexity", epochs=60, done=done)
    path.write_text(page, "utf-8")
    return path


@pytest.mark.parametrize("epochs", [1, 60])
def test_a_curve_fits_a_phone(tmp_path: Path, new_page: NewPage, epochs: int) -> None:
    page = new_page(phone=True)
    page.goto(curve_file(tmp_path, epochs, done=True).as_uri())
    expect(page.locator("#watched svg .ring")).to_have_count(1)
    expect(page.locator("#epochs tbody tr")).to_have_count(epochs)
    assert not scrolls_sideways(page)


def test_a_page_that_is_no_longer_renewed_says_so(tmp_path: Path, new_page: NewPage) -> None:
    path, page = curve_file(tmp_path, 3, done=False), new_page()
    page.goto(path.as_uri())
    expect(page.locator("#standing")).to_contain_text("Running: 3 of 60 epochs")
    expect(page.locator("#standing")).not_to_contain_text("stopped")

    hour_ago = time.time() - 3600
    os.utime(path, (hour_ago, hour_ago))
    page.reload()

    expect(page.locator("#standing")).to_contain_text(
        "Nothing new for 60 minutes: it may have been stopped."
    )


def test_a_diagnosis_fits_a_phone(tmp_path: Path, new_page: NewPage) -> None:
    figure = MeasuredFigure(
        name="score", value=5.15, low=4.9, high=5.4, n=256, unit="dialogues", about="points"
    )
    words = shaded(["i", "take", "x" * 300], [0.1, 0.2, 0.7], 0.7)
    diagnosis = Diagnosis(
        name="gru",
        headline="Perplexity 5.66 [5.36, 5.99]; 5.15 [4.90, 5.40] points against itself",
        about="A small GRU.",
        tables=(
            FigureTable(
                title="How it plays",
                caption="256 dialogues.",
                columns=tuple(
                    FigureColumn(name="score", heading=f"column {n}", is_amount=True)
                    for n in range(9)
                ),
                rows=(FigureRow(title="against itself", figures={"score": figure}),),
                drawn=("score",),
            ),
        ),
        pictures=(
            WordPicture(
                title="Where it looks", caption="", lines=(PictureLine(words[0], words[1:]),)
            ),
        ),
        samples=(
            SampleSet(
                title="What it says",
                ours="The model",
                theirs="People",
                pairs=(SamplePair(about="1 book", ours=("A: mine" * 40,), theirs=("B: no",)),),
            ),
        ),
    )
    path = tmp_path / "gru.html"
    path.write_text(diagnosis_page(diagnosis), "utf-8")
    page = new_page(phone=True)
    page.goto(path.as_uri())
    expect(page.locator("h1")).to_contain_text("5.15 [4.90, 5.40] points")
    assert not scrolls_sideways(page)
