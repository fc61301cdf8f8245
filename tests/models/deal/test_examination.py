"""Diagnoses of agents: known perplexities, self-play on what people talked about, who can play whom."""

from pathlib import Path

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.checkpoints.folder import (
    Checkpoint,
    CheckpointError,
    open_checkpoint,
    write_checkpoint,
)
from palaver.models.deal.averaging import AveragedReaders
from palaver.models.deal.kinds import network_of, vocabulary_of
from palaver.models.deal.lines import DealLine
from palaver.models.deal.samples import attention_picture, people_said, spread
from palaver.models.deal.tallies import line_tallies
from palaver.models.deal.tensors import LineTensors
from palaver.models.diagnosis.record import Diagnosis, DiagnosisRequest, diagnose
from palaver.models.inheritance import REWARDS, inherited_section
from palaver.models.vocabulary import Vocabulary
from support.deal_lines import made_lines, write_made_lines

from .toys import WORDS, tiny_checkpoint

CPU = torch.device("cpu")
KINDS = ("deal-talk", "deal-transformer")
LINE = DealLine(
    context=(1, 4, 2, 3, 1, 0),
    words=("YOU:", "i", "want", "both", "hats", "<eos>", "THEM:", "<selection>"),
    slots=(0, 2, 1, 1, 0, 0),
    partner=(1, 6, 2, 2, 1, 0),
)


def diagnosis_of(checkpoint: Checkpoint, **options) -> Diagnosis:
    return diagnose(
        DiagnosisRequest(checkpoint=checkpoint, device=CPU, **{"dialogues": 6, **options})
    )


@pytest.fixture
def deals(tmp_path: Path) -> Path:
    return write_made_lines(tmp_path / "deals.txt", 12)


@pytest.mark.parametrize("model", KINDS)
def test_a_network_that_knows_nothing_is_as_perplexed_as_its_vocabulary_is_large(
    model: str, tmp_path: Path, deals: Path
) -> None:
    found = diagnosis_of(tiny_checkpoint(tmp_path / "m", model, spread=0.0), files=(deals,))
    reading = found.tables[0].rows[0].figures
    assert reading["perplexity"].value == pytest.approx(len(WORDS))
    # The likeliest of equal words is the first, which is padding and never said.
    assert reading["token accuracy"].value == 0.0
    assert "all tokens after the first, marks included" in reading["perplexity"].about
    # All dialogues are alike, so that nothing is known of how sure the perplexity is.
    assert found.headline.startswith(f"Perplexity {len(WORDS)}.00; 0.00 points")
    words = [word for line in found.pictures[0].lines for word in (line.head, *line.words)]
    assert sum(word.weight for word in words) == pytest.approx(1.0)
    assert not any(word.is_told for word in words)


def test_everything_is_there_when_there_is_data(tmp_path: Path, deals: Path) -> None:
    checkpoint = tiny_checkpoint(tmp_path / "gru", ends=6.0)
    found = diagnosis_of(checkpoint, files=(deals,), samples=3, rollouts=2)
    assert [table.title for table in found.tables] == ["How it reads", "How it plays"]
    assert found.tables[0].caption == "24 lines of deals.txt. It was not trained on this file."
    assert [row.title for row in found.tables[1].rows] == [
        "against itself",
        "with rollouts against itself",
    ]
    assert found.tables[1].rows[0].figures["agreed"].n == 6
    assert found.tables[1].published[-1].values["score_agreed_first"] == 8.8
    (samples,) = found.samples
    lines = spread(made_lines(tmp_path, 12), 3)
    assert [pair.theirs for pair in samples.pairs] == [tuple(people_said(each)) for each in lines]
    for pair, line in zip(samples.pairs, lines, strict=True):
        assert pair.about.startswith(f"{line.context[0]} × book ({line.context[1]} to A, ")
        assert pair.ours[-1].startswith(("A deal:", "No deal:"))


def test_without_data_it_plays_alone(tmp_path: Path) -> None:
    found = diagnosis_of(tiny_checkpoint(tmp_path / "gru", ends=6.0), samples=2, temperature=0.0)
    assert [table.title for table in found.tables] == ["How it plays"]
    assert found.pictures == ()
    assert [pair.theirs for pair in found.samples[0].pairs] == [(), ()]
    assert "say the likeliest word" in found.notes[0]
    assert "Give it dialogues" in found.notes[1]


def test_the_same_seed_finds_the_same(tmp_path: Path, deals: Path) -> None:
    checkpoint = tiny_checkpoint(tmp_path / "gru", ends=6.0)
    one, same, other = (diagnosis_of(checkpoint, files=(deals,), seed=n) for n in (1, 1, 2))
    assert one == same
    assert one.tables[1] != other.tables[1]


def test_the_partner_may_be_another_kind_of_network_with_the_same_words(tmp_path: Path) -> None:
    partner = tiny_checkpoint(tmp_path / "former", "deal-transformer", ends=6.0)
    found = diagnosis_of(tiny_checkpoint(tmp_path / "gru", ends=6.0), against=partner, samples=1)
    assert found.tables[0].rows[0].title == "against former"
    assert found.samples[0].ours == "The model as A, former as B"


def test_a_partner_with_other_words_or_another_task_is_refused(tmp_path: Path) -> None:
    checkpoint = tiny_checkpoint(tmp_path / "gru")
    more = tiny_checkpoint(tmp_path / "more", words=Vocabulary([*WORDS.words, "please"]))
    with pytest.raises(
        CheckpointError, match=r"more and .*gru have learnt different words, 12 and 11"
    ):
        diagnosis_of(checkpoint, against=more)
    write_checkpoint(
        tmp_path / "judge", settings={"model": "dialeval-turns", "recipe": {}}, words={}
    )
    judge = open_checkpoint(tmp_path / "judge")
    with pytest.raises(CheckpointError, match=r"plays Deal or No Deal.*'dialeval-turns'"):
        diagnosis_of(checkpoint, against=judge)


def test_files_of_something_else_are_refused(tmp_path: Path, deals: Path) -> None:
    checkpoint = tiny_checkpoint(tmp_path / "gru")
    other = tmp_path / "other.jsonl"
    other.write_text('{"id": "h1"}\n')
    with pytest.raises(InputError, match=r"other\.jsonl:1: Expected <input>"):
        diagnosis_of(checkpoint, files=(other,))
    with pytest.raises(InputError, match=r"deals\.txt:1: a context has six whole numbers"):
        diagnosis_of(checkpoint, scenarios=deals)


def test_what_was_trained_further_is_diagnosed_as_what_it_was(tmp_path: Path, deals: Path) -> None:
    origin = tiny_checkpoint(tmp_path / "gru", ends=6.0)
    write_checkpoint(
        tmp_path / "further",
        settings={
            "model": "deal-reinforce",
            "recipe": {"model": "deal-reinforce", **inherited_section(origin)},
        },
        words=origin.words,
        weights={**origin.weights(), REWARDS: torch.zeros(3)},
    )
    further = open_checkpoint(tmp_path / "further")
    found, before = (diagnosis_of(each, files=(deals,)) for each in (further, origin))
    assert found.tables == before.tables


def test_an_ensemble_of_equal_members_is_as_good_as_one_of_them(
    tmp_path: Path, deals: Path
) -> None:
    folder = tmp_path / "both"
    members = [tiny_checkpoint(folder / f"member-{n}", ends=6.0) for n in (1, 2)]
    settings = {"model": "deal-talk", "recipe": members[0].recipe}
    write_checkpoint(folder, settings={**settings, "members": ["member-1", "member-2"]})
    both, alone = (
        diagnosis_of(each, files=(deals,)) for each in (open_checkpoint(folder), members[0])
    )
    for name in ("perplexity", "token accuracy", "selection accuracy"):
        values = [each.tables[0].rows[0].figures[name].value for each in (both, alone)]
        assert values[0] == pytest.approx(values[1]), name


def test_several_read_with_the_mean_of_their_probabilities(tmp_path: Path) -> None:
    checkpoints = [tiny_checkpoint(tmp_path / str(seed), seed=seed) for seed in (1, 2)]
    readers = [network_of(each) for each in checkpoints]
    lines = LineTensors.of(made_lines(tmp_path, 3), WORDS, CPU)
    inputs = (lines.contexts, lines.words, lines.lengths)
    with torch.no_grad():
        both = AveragedReaders(readers).read(*inputs)
        mean = torch.stack([each.read(*inputs).logits.softmax(-1) for each in readers]).mean(0)
        attention = AveragedReaders(readers).attention(*inputs)
        tallies = line_tallies(AveragedReaders(readers), lines)
    assert torch.allclose(both.logits.exp(), mean, atol=1e-6)
    assert torch.allclose(attention.sum(1), torch.ones(len(lines)))
    assert tallies.shape == (6, 5)


def test_what_people_said_reads_as_it_was_typed() -> None:
    assert people_said(LINE) == [
        "A: i want both hats",
        "B: (marks the deal)",
        "A deal: 6 points for A, 6 for B.",
    ]


def test_the_picture_has_a_line_for_each_message_and_names_who_gets_what(tmp_path: Path) -> None:
    checkpoint = tiny_checkpoint(tmp_path / "gru")
    picture = attention_picture(network_of(checkpoint), [LINE], vocabulary_of(checkpoint), CPU)
    heads = [line.head.word for line in picture.lines]
    assert heads == ["A:", "B:"]
    assert [word.word for word in picture.lines[0].words] == ["i", "want", "both", "hats", "↵"]
    assert "about 1 × book (4 to A, 6 to B), 2 × hat (3 to A, 2 to B)" in picture.caption
    assert "people said that A takes 0 books, 2 hats, 1 ball." in picture.caption
