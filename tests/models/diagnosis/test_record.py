"""What a diagnosis is made of: figures as they are told, words by strength, files trained on."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
import torch

from palaver.models.checkpoints.folder import Checkpoint, CheckpointError
from palaver.models.diagnosis.record import (
    EXAMINERS,
    Diagnosis,
    DiagnosisRequest,
    FigureColumn,
    FigureRow,
    FigureTable,
    LabelShare,
    WordPicture,
    diagnose,
    full_strength,
    shaded,
)
from palaver.models.measured import MeasuredFigure


def request_of(*files: Path, model: str = "averages", **data: str) -> DiagnosisRequest:
    checkpoint = Checkpoint(folder=Path("made"), model=model, recipe={}, data=data)
    return DiagnosisRequest(checkpoint=checkpoint, device=torch.device("cpu"), files=files)


def test_a_figure_is_told_with_its_interval_unless_all_draws_were_alike() -> None:
    plain = FigureColumn(name="score", heading="its score")
    share = FigureColumn(name="agreed", heading="agreed", is_share=True)
    assert plain.text(MeasuredFigure(name="score", value=6.406, low=5.609, high=7.188)) == (
        "6.41 [5.61, 7.19]"
    )
    assert share.text(MeasuredFigure(name="agreed", value=0.9, low=0.8, high=1.0)) == (
        "90.0 % [80.0 %, 100.0 %]"
    )
    assert share.text(MeasuredFigure(name="agreed", value=1.0, low=1.0, high=1.0)) == "100.0 %"
    assert plain.text_of(5.4) == "5.4"
    assert share.text_of(0.879) == "87.9 %"


def test_a_table_has_the_columns_that_a_row_has_and_says_what_they_count() -> None:
    agreed = MeasuredFigure(name="agreed", value=0.5, about="marked the same deal")
    table = FigureTable(
        title="How it plays",
        caption="",
        columns=tuple(FigureColumn(name=name, heading=name) for name in ("pareto", "agreed")),
        rows=(
            FigureRow(title="one", figures={}),
            FigureRow(title="two", figures={"agreed": agreed}),
        ),
    )
    assert [(column.name, each.about) for column, each in table.known_columns()] == [
        ("agreed", "marked the same deal")
    ]


def test_words_that_weigh_alike_do_not_stand_out_and_one_that_weighs_more_does() -> None:
    even = [0.1] * 10
    assert not any(each.is_told for each in shaded(["w"] * 10, even, full_strength(even)))
    uneven = [0.7, 0.2, *[0.0125] * 8]
    words = shaded(["w"] * 10, uneven, full_strength(uneven))
    assert words[0].strength == 1.0
    assert [each.is_told for each in words[:3]] == [True, False, False]


def test_weights_are_told_as_what_they_are() -> None:
    word = shaded(["yes"], [0.654], 1.0)[0]
    share = WordPicture(title="", caption="", lines=())
    number = WordPicture(title="", caption="", lines=(), is_share=False)
    assert (share.weight(word), number.weight(word)) == ("65 %", "0.65")
    assert LabelShare("CNUG", 0.62, 0.74).text() == "62 % (74 %)"
    assert LabelShare("CNUG", 0.62).text() == "62 %"


def test_a_file_that_was_trained_on_is_known_by_its_content(tmp_path: Path) -> None:
    learnt, new = tmp_path / "renamed.txt", tmp_path / "new.txt"
    learnt.write_text("the same words")
    new.write_text("other words")
    digest = sha256(learnt.read_bytes()).hexdigest()
    assert request_of(new, **{"train.txt": digest}).told_files() == (
        "It was not trained on this file."
    )
    assert (
        "It was trained on renamed.txt"
        in request_of(new, learnt, **{"train.txt": digest}).told_files()
    )


def test_weights_of_a_training_that_goes_on_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Diagnosis(name="made", headline="so far", about="", notes=("One.",))
    monkeypatch.setattr(EXAMINERS, "get", lambda name: lambda request: told)
    request = request_of(model="ngrams")
    assert diagnose(request) == told
    checkpoint = replace(request.checkpoint, measured={"finished": False})
    notes = diagnose(replace(request, checkpoint=checkpoint)).notes
    assert notes == ("Its training is not finished; these are the best weights so far.", "One.")


def test_a_kind_that_nobody_examines_is_refused_with_those_that_are() -> None:
    with pytest.raises(CheckpointError, match=r"kind 'averages', which keeps nothing .* deal-talk"):
        diagnose(request_of())
