"""The words that a linear baseline goes by."""

from pathlib import Path

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.checkpoints.folder import Checkpoint
from palaver.models.diagnosis.record import Diagnosis, DiagnosisRequest, diagnose

from .made import BAD, GOOD, dialogues, made, passages, statements, written


def diagnosis_of(checkpoint: Checkpoint, **options) -> Diagnosis:
    return diagnose(DiagnosisRequest(checkpoint=checkpoint, device=torch.device("cpu"), **options))


def shown(found: Diagnosis) -> dict[str, list[str]]:
    return {
        line.head.word: [word.word for word in line.words]
        for picture in found.pictures
        for line in picture.lines
    }


def test_the_words_that_decide_stand_first(tmp_path: Path) -> None:
    train, test = (
        written(tmp_path / f"{seed}.jsonl", "sentiment", statements(90, seed=seed))
        for seed in (1, 2)
    )
    found = diagnosis_of(made("ngrams", train, tmp_path / "ngrams", test=test))
    words = shown(found)
    assert set(words) == {"positive:", "negative:", "neutral:"}
    assert {word.split()[-1] for word in words["positive:"][:4]} & set(GOOD)
    assert {word.split()[-1] for word in words["negative:"][:4]} & set(BAD)
    assert not set(words["positive:"][:8]) & set(BAD)
    for line in found.pictures[0].lines:
        weights = [word.weight for word in line.words]
        assert weights == sorted(weights, reverse=True)
        assert min(weights) > 0
    assert found.headline.startswith("Answers sentiment by counted words: ")
    assert found.tables[0].rows[0].figures


@pytest.mark.parametrize(
    ("task", "records", "heads"),
    [
        ("dialogue-nugget", dialogues(20), {"CNUG0:", "HNUG:", "CNaN:"}),
        ("qa", passages(12), {"begins a span:", "stands inside:", "ends it:"}),
    ],
    ids=["turns", "spans"],
)
def test_turns_and_spans_have_words_too(
    task: str, records: list, heads: set[str], tmp_path: Path
) -> None:
    found = diagnosis_of(
        made("ngrams", written(tmp_path / "t.jsonl", task, records), tmp_path / "ngrams")
    )
    words = shown(found)
    assert heads <= set(words)
    assert all(words.values())
    assert found.tables == ()


def test_it_takes_no_dialogues(tmp_path: Path) -> None:
    train = written(tmp_path / "t.jsonl", "sentiment", statements(30))
    checkpoint = made("ngrams", train, tmp_path / "ngrams")
    with pytest.raises(InputError, match=r"Of ngrams, a baseline, .*'palaver evaluate'"):
        diagnosis_of(checkpoint, files=(train,))
