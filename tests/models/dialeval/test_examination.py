"""Diagnoses of judges of dialogues: distances, shares beside annotators', and what is picked."""

import json
from pathlib import Path

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.checkpoints.folder import Checkpoint, open_checkpoint, write_checkpoint
from palaver.models.diagnosis.record import Diagnosis, DiagnosisRequest, diagnose
from palaver.models.dialeval.dialogues import read_dialogues
from palaver.models.dialeval.kinds import dialeval_settings, judge_of
from palaver.models.dialeval.learner import measured_on
from palaver.models.dialeval.tensors import as_tensors
from palaver.models.dialeval.turns import TurnAttention
from support.dialeval import TRUTH, plain_scores, prediction
from support.helpdesk import (
    CPU,
    helpdesk_dialogues,
    helpdesk_file,
    lines_file,
    material_of,
    tiny_recipe,
)


def untrained(
    folder: Path, model: str = "dialeval-turns", *, seed: int = 1, **sections
) -> Checkpoint:
    """A checkpoint of a tiny network that has learnt nothing but its words."""
    folder.mkdir(parents=True)
    data = helpdesk_file(folder.parent / "learnt.jsonl", 20)
    recipe = tiny_recipe(model, **sections)
    learner = recipe.kind().learner(recipe.settings, material_of(data, seed=seed))
    write_checkpoint(
        folder,
        settings={"model": model, "recipe": recipe.as_json()},
        words=learner.words(),
        weights=learner.network.state_dict(),
    )
    return open_checkpoint(folder)


def diagnosis_of(checkpoint: Checkpoint, *files: Path, **options) -> Diagnosis:
    return diagnose(DiagnosisRequest(checkpoint=checkpoint, device=CPU, files=files, **options))


@pytest.fixture
def dev(tmp_path: Path) -> Path:
    return helpdesk_file(tmp_path / "dev.jsonl", 12, seed=2)


@pytest.mark.parametrize("model", ["dialeval-bilstm", "dialeval-turns"])
def test_the_figures_are_those_of_a_training(model: str, tmp_path: Path, dev: Path) -> None:
    checkpoint = untrained(tmp_path / "m", model)
    found = diagnosis_of(checkpoint, dev)
    reading = dialeval_settings(checkpoint).data
    known = {
        e.name: e for e in measured_on([judge_of(checkpoint, CPU)], [dev], reading, device=CPU)
    }
    nuggets, quality = found.tables[:2]
    assert nuggets.rows[0].figures == quality.rows[0].figures == known
    assert "Jensen–Shannon divergence in bits" in known["jsd"].about
    assert "quality; satisfaction; lower is better" in known["rsnod-S"].about
    assert {column.name for table in (nuggets, quality) for column in table.columns} == set(known)
    jsd, rsnod = (
        f"{name.upper()} {known[name].value:.4f} [{known[name].low:.4f}, {known[name].high:.4f}]"
        for name in ("jsd", "rsnod")
    )
    assert found.headline == f"{jsd}, {rsnod} from the annotators of dev.jsonl"


def test_whoever_says_all_labels_alike_is_as_far_as_an_independent_reckoning_says(
    tmp_path: Path,
) -> None:
    path = tmp_path / "dch2.json"
    path.write_text(json.dumps(TRUTH))
    found = diagnosis_of(untrained(tmp_path / "m"), path)
    alike = found.tables[0].rows[-1]
    assert alike.title == "all labels alike"
    scores = [plain_scores(each, prediction(each)) for each in TRUTH]
    for name in ("jsd", "rnss", "rsnod-A", "nmd-E"):
        mean = sum(each[name] for each in scores) / len(scores)
        assert alike.figures[name].value == pytest.approx(mean, abs=1e-6), name


def test_its_shares_stand_beside_those_of_annotators_turn_by_turn(tmp_path: Path) -> None:
    checkpoint = untrained(tmp_path / "m")
    path = lines_file(tmp_path / "dev.jsonl", [{**helpdesk_dialogues(1)[0], "id": "d7"}])
    (sample,) = diagnosis_of(checkpoint, path).judged
    turns = read_dialogues(path)[0].turns
    assert sample.title == "Dialogue d7"
    assert [part.text for part in sample.parts[: len(turns)]] == [turn.text for turn in turns]
    first = sample.parts[0]
    assert (first.name, [each.label for each in first.shares]) == (
        "Customer:",
        ["CNUG0", "CNUG", "CNUG*", "CNaN"],
    )
    assert [each.theirs for each in first.shares] == pytest.approx([17 / 19, 2 / 19, 0, 0])
    assert [part.name for part in sample.parts[-3:]] == [
        "Accomplishment",
        "Satisfaction",
        "Effectiveness",
    ]
    for part in sample.parts:
        assert sum(each.ours for each in part.shares) == pytest.approx(1.0)


def test_labels_on_average_are_the_means_of_the_file(tmp_path: Path, dev: Path) -> None:
    nuggets, quality = diagnosis_of(untrained(tmp_path / "m"), dev).tables[2:]
    said, annotators = nuggets.rows
    turns = [
        (turn, shares)
        for each in read_dialogues(dev)
        for turn, shares in zip(each.turns, each.nugget, strict=True)
    ]
    customers = [shares for turn, shares in turns if turn.sender == "customer"]
    mean = sum(shares[0] for shares in customers) / len(customers)
    assert annotators.figures["CNUG0"].value == pytest.approx(mean)
    assert annotators.figures["CNUG0"].n == len(customers)
    for row in (said, annotators):
        assert sum(each.value for each in row.figures.values()) == pytest.approx(2.0)
    assert [row.title for row in quality.rows[:2]] == ["A, it says", "A, annotators"]


@pytest.mark.parametrize("recurrent", [0, 6], ids=["alone", "in a panel"])
def test_the_picture_shows_what_is_picked_in_each_turn(
    recurrent: int, tmp_path: Path, dev: Path
) -> None:
    checkpoint = untrained(tmp_path / "m", network={"recurrent": recurrent})
    (picture,) = diagnosis_of(checkpoint, dev).pictures
    dialogue = next(each for each in read_dialogues(dev) if len(each.turns) >= 3)
    assert len(picture.lines) == len(dialogue.turns)
    assert [line.head.word for line in picture.lines[:2]] == ["Customer:", "Help desk:"]
    words = [word.word for word in picture.lines[1].words]
    assert words == ["please", "restart", "it", "and", "tell", "us", "↵"]
    for line in picture.lines:
        assert line.head.weight + sum(word.weight for word in line.words) == pytest.approx(1.0)


def test_the_picture_says_where_a_long_turn_is_cut(tmp_path: Path) -> None:
    checkpoint = untrained(tmp_path / "m", data={"words": 4})
    long = helpdesk_dialogues(1)[0]
    assert len(long["turns"][1]["utterances"][0].split()) > 4
    (picture,) = diagnosis_of(checkpoint, lines_file(tmp_path / "long.jsonl", [long])).pictures
    assert [word.word for word in picture.lines[1].words] == ["please", "restart", "it", "and", "↵"]
    assert "each of its words, of which it reads the first 4." in picture.caption


def test_attention_is_on_the_word_that_the_picker_likes_most(tmp_path: Path) -> None:
    checkpoint = untrained(tmp_path / "m")
    judge = judge_of(checkpoint, CPU)
    network = judge.network
    assert isinstance(network, TurnAttention)
    reader = network.reader
    liked = judge.vocabulary.number("restart")
    with torch.no_grad():
        # Only this word has a vector, and every pick likes that vector.
        reader.vectors.weight.zero_()
        reader.vectors.weight[liked] = 5.0
        for layer, size in ((reader.picker[0], 1.0), (reader.picker[2], 3.0)):
            layer.weight.fill_(size)
            layer.bias.zero_()
        batch = as_tensors(read_dialogues(tmp_path / "learnt.jsonl")[:1], judge.vocabulary, most=9)
        attention = reader.attention(batch)
    assert attention[0, 1].argmax() == (batch.words[0, 1] == liked).nonzero()[0, 0]
    assert float(attention[0, 1].max()) > 0.99
    assert float(attention[0, 0].max()) < 0.5


def test_a_network_without_attention_says_so(tmp_path: Path, dev: Path) -> None:
    found = diagnosis_of(untrained(tmp_path / "m", "dialeval-bilstm"), dev)
    assert found.pictures == ()
    assert any("no picture of where it looks" in note for note in found.notes)


def test_the_members_of_an_ensemble_have_a_row_each(tmp_path: Path, dev: Path) -> None:
    folder = tmp_path / "both"
    members = [untrained(folder / f"member-{n}", seed=n) for n in (1, 2)]
    settings = {"model": "dialeval-turns", "recipe": members[0].recipe}
    write_checkpoint(folder, settings={**settings, "members": ["member-1", "member-2"]})
    found = diagnosis_of(open_checkpoint(folder), dev)
    rows = {row.title: row.figures["jsd"].value for row in found.tables[0].rows}
    assert list(rows) == ["both", "member-1", "member-2", "all labels alike"]
    alone = diagnosis_of(members[0], dev).tables[0].rows[0].figures["jsd"].value
    assert rows["member-1"] == pytest.approx(alone)
    # A divergence is convex: of averaged shares it is no larger than the average.
    assert rows["both"] <= (rows["member-1"] + rows["member-2"]) / 2


def test_without_labels_it_shows_what_it_says(tmp_path: Path) -> None:
    plain = [{k: each[k] for k in ("id", "turns")} for each in helpdesk_dialogues(3)]
    path = lines_file(tmp_path / "asked.jsonl", plain)
    found = diagnosis_of(untrained(tmp_path / "m"), path)
    assert found.tables == ()
    assert found.headline == "What it says of asked.jsonl, which has no labels"
    assert not found.has_people
    assert len(found.judged) == 3
    assert "nothing could be measured" in found.notes[0]
    assert "says what is wrong (CNUG0)" in found.notes[1]
    more = lines_file(tmp_path / "more.jsonl", plain[:1])
    both = diagnosis_of(untrained(tmp_path / "again" / "m"), path, more)
    assert both.headline == "What it says of asked.jsonl, more.jsonl, which have no labels"


def test_a_model_of_one_task_says_nothing_of_the_other(tmp_path: Path, dev: Path) -> None:
    checkpoint = untrained(tmp_path / "m", data={"tasks": "nugget"})
    found = diagnosis_of(checkpoint, dev, samples=1)
    assert [table.title for table in found.tables] == [
        "How far it is from annotators: nuggets",
        "Nuggets on average",
    ]
    assert found.judged[0].parts[-1].name == "Customer:"
    only_quality = untrained(tmp_path / "q", data={"tasks": "quality"})
    parts = diagnosis_of(only_quality, dev, samples=1).judged[0].parts
    assert parts[0].shares == ()
    assert parts[-1].name == "Effectiveness"


def test_dialogues_of_which_one_side_never_speaks_have_no_nugget_score(tmp_path: Path) -> None:
    one = helpdesk_dialogues(1)[0]
    one |= {"turns": one["turns"][:1], "nugget": one["nugget"][:1]}
    found = diagnosis_of(untrained(tmp_path / "m"), lines_file(tmp_path / "one.jsonl", [one]))
    assert "jsd" not in found.tables[0].rows[0].figures
    assert "rsnod" in found.tables[1].rows[0].figures
    assert "In 1 dialogue one side never speaks" in found.notes[1]
    only_nuggets = untrained(tmp_path / "n", data={"tasks": "nugget"})
    found = diagnosis_of(only_nuggets, tmp_path / "one.jsonl")
    assert found.headline == "No JSD: in each dialogue of one.jsonl one side never speaks"


def test_what_it_needs_and_what_it_does_not_take_is_said(tmp_path: Path, dev: Path) -> None:
    checkpoint = untrained(tmp_path / "m")
    with pytest.raises(InputError, match=r"m judges help-desk dialogues: give some with --data"):
        diagnosis_of(checkpoint)
    with pytest.raises(InputError, match=r"judges dialogues and plays none: --against"):
        diagnosis_of(checkpoint, dev, rollouts=3)
    mixed = lines_file(
        tmp_path / "mixed.jsonl",
        [helpdesk_dialogues(1)[0], {**helpdesk_dialogues(2)[1], "nugget": None}],
    )
    with pytest.raises(InputError, match=r"mixed\.jsonl: dialogue 'h1-1' has no nugget labels"):
        diagnosis_of(checkpoint, mixed)
