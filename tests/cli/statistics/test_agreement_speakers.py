"""`palaver agreement` on turns of two speakers, and what `--by speaker` means."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from palaver.cli.statistics.agreement_command import command
from palaver.core.errors import InputError
from palaver.formats.dch2 import read_dch2
from palaver.storage import Store
from palaver.studies.intake.dch2 import take_in
from support.dialeval import TRUTH
from support.verdicts import Judged

SAID = [(0, "Hi."), (1, "Hello."), (0, "Help!"), (1, "How?")]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Annotated nuggets, and a study whose thumbs are offered to everybody alike."""
    store = Store(f"sqlite:///{tmp_path / 'palaver.db'}")
    take_in(store, read_dch2(json.dumps(TRUTH).encode()), study="dch", now=5.0)
    judged = Judged.register(store)
    key = judged.dialogue(*SAID)
    for rater, liked in (("sim:ann", "ynyn"), ("sim:bo", "ynyy")):
        for turn, each in enumerate(liked, start=1):
            judged.say(key, "liked", "up" if each == "y" else "down", turn=turn, rater=rater)
    store.close()
    return tmp_path


def agreement(home: Path, study: str, *arguments: str) -> list[dict[str, Any]]:
    given = [str(home), "--study", study, "--bootstrap", "0", "--json", *arguments]
    found = json.loads(CliRunner().invoke(command, given, catch_exceptions=False).stdout)
    return found if isinstance(found, list) else [found]


def test_nuggets_are_measured_by_speaker_without_being_asked(home: Path) -> None:
    asked = agreement(home, "dch", "--question", "nuggets")
    assert [(each["question"], each["units"]) for each in asked] == [
        *(("nuggets: user", 5), ("nuggets: system", 4))
    ]
    assert agreement(home, "dch", "--question", "nuggets", "--by", "speaker") == asked
    assert agreement(home, "dch", "--by", "speaker") == asked


def test_any_question_about_turns_can_be_asked_by_speaker(home: Path) -> None:
    [whole] = agreement(home, "judged", "--question", "liked")
    user, system = agreement(home, "judged", "--question", "liked", "--by", "speaker")
    assert (user["by"], system["by"]) == ("liked, user", "liked, system")
    assert [each["units"] for each in (whole, user, system)] == [4, 2, 2]
    assert (user["percent"], system["percent"]) == (1.0, 0.5)


def test_what_is_about_no_turn_has_no_speaker(home: Path) -> None:
    message = "Only answers about turns have a speaker; those of the study 'dch' to 'satisfaction'"
    with pytest.raises(InputError, match=message):
        agreement(home, "dch", "--question", "satisfaction", "--by", "speaker")
