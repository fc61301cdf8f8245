"""A diagnosis: figures on a file, language beside it, self-play, samples and pictures."""

from pathlib import Path
from typing import Any

import pytest

from palaver.models.bargain.examination import examine
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError
from palaver.models.diagnosis.record import EXAMINERS, DiagnosisRequest

from .test_learning import learner
from .toys import CPU, WORDS, tiny_checkpoint, write_bargains


def request(checkpoint: Checkpoint, **given: Any) -> DiagnosisRequest:
    few = {"dialogues": 4, "samples": 1, "temperature": 1.0}
    return DiagnosisRequest(checkpoint=checkpoint, device=CPU, **{**few, **given})


def test_a_file_is_read_answered_and_played_about(tmp_path: Path) -> None:
    words = learner(tmp_path).vocabulary
    one = tiny_checkpoint(tmp_path / "one", words=words, spread=0.2, ends=6.0)
    path = write_bargains(tmp_path / "dev.json", 9)
    found = examine(request(one, files=(path,)))
    assert [table.title for table in found.tables] == [
        "How it reads",
        "How it words a turn",
        "How it plays",
    ]
    assert found.headline.startswith("Perplexity ")
    assert {row.title for row in found.tables[1].rows} == {"its own turns", "turns of the file"}
    theirs = found.tables[1].rows[1].figures
    assert theirs["words_per_message"].value > 3
    assert found.tables[2].rows[0].figures["agreed"].n == 4
    (pair,) = found.samples[0].pairs
    assert pair.theirs[-1] == "A deal at $30."
    assert pair.ours[-1].startswith(("A deal", "No deal"))
    losses, looks = found.pictures
    said = [line for line in losses.lines if line.head.word == "Said:"]
    assert all(word.weight > 0 for line in said for word in line.words)
    assert "$25" in {word.word for line in said for word in line.words}
    heads = [line.head.word for line in looks.lines]
    assert {"Heard:", "Title:", "Description:"} <= set(heads)
    for line in looks.lines:
        assert sum(word.weight for word in line.words) == pytest.approx(1.0, abs=1e-3)


def test_without_a_file_it_plays_what_the_game_is_about(tmp_path: Path) -> None:
    one = tiny_checkpoint(tmp_path / "one", spread=0.2, ends=6.0)
    two = tiny_checkpoint(tmp_path / "two", seed=2, spread=0.2, ends=6.0)
    found = examine(request(one, against=two))
    assert [table.title for table in found.tables] == ["How it plays"]
    assert "the scenarios of the game" in found.tables[0].caption
    assert found.tables[0].rows[0].title == "against two"
    assert found.samples[0].ours == "The model as A, two as B"
    assert found.pictures == ()
    assert any("Give it dialogues" in note for note in found.notes)


def test_a_partner_that_it_cannot_hear_is_refused(tmp_path: Path) -> None:
    one = tiny_checkpoint(tmp_path / "one")
    other = tiny_checkpoint(tmp_path / "two", words=learner(tmp_path).vocabulary)
    with pytest.raises(CheckpointError, match="cannot hear each other"):
        examine(request(one, against=other))
    acts = Checkpoint(folder=tmp_path, model="deal-talk", recipe={})
    with pytest.raises(CheckpointError, match="of the kind 'deal-talk'"):
        examine(request(one, against=acts))
    assert WORDS.prices


def test_it_is_found_by_the_names_of_its_kinds() -> None:
    for name in ("bargain-words", "bargain-words-reinforce"):
        assert EXAMINERS.get(name) is examine
