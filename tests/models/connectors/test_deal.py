"""A network for Deal or No Deal that was never trained, in self-play: it babbles, and breaks no rule."""

from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

from palaver.cli.main import palaver
from palaver.core.records import DialogueRecord
from palaver.formats.palaver import read_dialogues
from palaver.models.checkpoints.folder import write_checkpoint
from palaver.models.deal.kinds import DealTalk
from palaver.models.deal.words import deal_vocabulary
from palaver.models.settings import read_settings, written
from support.deal_lines import made_lines

TINY = {
    "network": {"embedding": 8, "hidden": 10, "context": 4},
    "selection": {"hidden": 8, "attention": 6, "layer": 8},
}


@pytest.fixture
def babbler(tmp_path: Path) -> Path:
    """A checkpoint of the published kind, as small as it gets."""
    kind = DealTalk()
    settings = read_settings(kind.settings_type, TINY)
    vocabulary = deal_vocabulary(made_lines(tmp_path, 12), least=1)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = kind.network(settings, len(vocabulary))
    write_checkpoint(
        tmp_path / "babbler",
        settings={"model": "deal-talk", "recipe": written(settings)},
        words={"words": vocabulary.words},
        weights=network.state_dict(),
    )
    return tmp_path / "babbler"


def play(babbler: Path, output: Path, partner: str, *more: str) -> list[DialogueRecord]:
    """The dialogues that it played with a partner."""
    systems = ["--systems", f"checkpoint:{babbler}", partner]
    arguments = ["selfplay", "deal_or_no_deal", *systems, "-o", str(output), *more]
    done = CliRunner().invoke(palaver, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "failures of systems" not in done.output
    with output.open("rb") as stream:
        return list(read_dialogues(stream))


def test_it_plays_the_bot_to_a_legal_end(babbler: Path, tmp_path: Path) -> None:
    played = play(babbler, tmp_path / "played.jsonl", "rule", "--count", "2")

    assert {record.reason for record in played} <= {"complete", "quit"}
    assert len(played) == 2


def test_its_words_come_again_from_the_same_seed(babbler: Path, tmp_path: Path) -> None:
    ahead = f"checkpoint:{babbler}#rollouts=2,continuations=1,temperature=1"
    for name in ("one", "two"):
        play(babbler, tmp_path / name, ahead, "--count", "1", "--max-turns", "2")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
