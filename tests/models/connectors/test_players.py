"""`checkpoint:FOLDER` as a player, a study that names a checkpoint, and who may not name one."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from palaver.cli.main import palaver
from palaver.core.errors import InputError
from palaver.evaluation.submissions.endpoints import REMOTE_KINDS, check_endpoint
from palaver.formats.palaver import read_dialogues
from palaver.games.game import GAMES
from palaver.models.connectors import loading
from palaver.studies.check import check_study
from palaver.studies.file.reach import reach_problems
from palaver.studies.file.reader import load_only_study
from palaver.studies.play.players import build_of_study, find_player
from palaver.systems.reach import reach_of
from support.trained import write_parrot

STUDY = """\
title: Birds
consent: {version: "1", text: Do you agree?}
pay: {amount: 1, currency: GBP}
systems:
  polly:
    kind: checkpoint
    checkpoint: bird
    device: cpu
stages:
  - chat:
      turns: {exactly: 4}
      conditions: [{systems: [polly], needed: 1}]
  - rate: {ask: [quality_likert]}
minutes: 5
"""


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_parrot(tmp_path / "runs" / "bird", model="deal-parrot")


def run(*arguments: object, said: str | None = None) -> Result:
    return CliRunner().invoke(palaver, [str(each) for each in arguments], input=said)


def ok(*arguments: object, said: str | None = None) -> str:
    done = run(*arguments, said=said)
    assert done.exit_code == 0, f"{done.output}\n{done.exception!r}"
    return done.stdout


def refused(*arguments: object) -> str:
    done = run(*arguments)
    assert done.exit_code != 0
    return f"{done.output}{done.exception}"


def study(folder: Path, text: str = STUDY) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "study.yaml").write_text(text)
    return folder


# In self-play and in the terminal


def test_two_trained_models_play_and_the_same_seed_plays_it_again() -> None:
    play = ("selfplay", "deal_or_no_deal", "--count", 4, "--max-turns", 6)
    birds = ("checkpoint:runs/bird", "checkpoint:runs/bird#rollouts=5,temperature=0,device=cpu")
    for name in ("one", "two"):
        told = ok(*play, "--systems", *birds, "-o", f"{name}.jsonl")
        assert "4 dialogues between 'runs/bird' and 'runs/bird#rollouts=5," in told
    assert Path("one.jsonl").read_bytes() == Path("two.jsonl").read_bytes()
    with Path("one.jsonl").open("rb") as stream:
        first = next(iter(read_dialogues(stream)))
    names = [seat.occupant for seat in first.seats]
    said = {names[each.seat]: each.text for each in first.events if each.seat is not None}
    assert said["runs/bird"].endswith("! 1 0.5 1")
    assert said[birds[1].removeprefix("checkpoint:")].endswith("! 1 best of 5 by 3 0 1")


def test_a_trained_model_plays_a_bot_and_a_person() -> None:
    told = ok(
        *("selfplay", "deal_or_no_deal", "--count", 2, "--max-turns", 4),
        *("--systems", "rule", "checkpoint:runs/bird#device=cpu"),
    )
    assert "2 dialogues between 'rule' and 'runs/bird#device=cpu', 8 messages." in told
    talk = ("chat", "deal_or_no_deal", "--with", "checkpoint:runs/bird", "--seed", 3)
    assert ", Good day! 1 0.5 1" in ok(*talk, said="Good day\n")


@pytest.mark.parametrize(
    ("player", "told"),
    [
        ("checkpoint:", "Expected checkpoint:FOLDER or checkpoint:FOLDER#rollouts=5"),
        ("checkpoint:runs/brid", "no checkpoint folder runs/brid. Near: 'bird'."),
        ("checkpoint:runs/bird/settings.json", "name its folder: checkpoint:runs/bird."),
        ("checkpoint:runs", "runs is no checkpoint: it has no settings.json."),
        ("checkpoint:runs/bird#rolouts=5", "no option 'rolouts'. Near: 'rollouts'."),
        ("checkpoint:runs/bird#checkpoint=x", "A checkpoint has no option 'checkpoint'."),
        ("checkpoint:runs/bird#rollouts", "Expected checkpoint:FOLDER or"),
        ("checkpoint:runs/bird#rollouts=5,rollouts=6", "Option 'rollouts' is given twice"),
        ("checkpoint:runs/bird#rollouts=many", "Option 'rollouts'"),
        ("runs/bird", "For the model in that folder: checkpoint:runs/bird."),
        ("checkpont:runs/bird", "one that was trained here: checkpoint:FOLDER."),
    ],
)
@pytest.mark.parametrize("command", ["selfplay", "chat"])
def test_a_player_that_cannot_be_is_named(command: str, player: str, told: str) -> None:
    chosen = ("--systems", player, "rule") if command == "selfplay" else ("--with", player)
    assert told in refused(command, "deal_or_no_deal", *chosen)


def test_a_model_of_another_game_is_refused_before_it_is_played() -> None:
    told = refused("selfplay", "mutual_friends", "--systems", "rule", "checkpoint:runs/bird")
    assert (
        "System 'runs/bird' plays the game 'deal_or_no_deal' and no other; here it is to play "
        "'mutual_friends'." in told
    )


def test_the_patience_of_a_match_holds_for_it() -> None:
    game = GAMES.get("deal_or_no_deal")
    player = find_player("checkpoint:runs/bird#timeout=60", game, patience=0.5)
    assert player.options["timeout"] == 0.5
    assert player.options["checkpoint"] == str(Path("runs/bird").resolve())


# In a study


def test_a_study_is_checked_and_played(tmp_path: Path) -> None:
    folder = study(tmp_path / "birds")
    write_parrot(folder / "bird")
    assert [str(each) for each in check_study(folder) if not each.warning] == []
    told = ok("selfplay", "birds", "--systems", "polly", "polly", "--count", 1)
    assert "1 dialogue between 'polly' and 'polly', 4 messages." in told


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("missing", "study.yaml:5:3: System 'polly': There is no checkpoint folder"),
        ("game", "study.yaml:5:3: System 'polly' plays the game 'deal_or_no_deal' and no other"),
        ("pickle", "bird holds weights.bin, which can run code when it is loaded."),
        ("extra", "study.yaml:5:3: A system of kind 'checkpoint' needs the extra 'torch': pip"),
        ("kind", "kind 'ngrams', which does not fit here. Expected: "),
        ("option", "study.yaml:8:14: 'threads' takes 1 or more; got 0."),
    ],
)
def test_what_is_wrong_with_a_study_is_one_sentence_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str, told: str
) -> None:
    folder = study(tmp_path / "birds")
    if wrong != "missing":
        model = {"game": "deal-parrot", "kind": "ngrams"}.get(wrong, "parrot")
        write_parrot(folder / "bird", model=model)
    if wrong == "pickle":
        (folder / "bird" / "weights.bin").touch()
    if wrong == "extra":
        monkeypatch.setattr(loading, "_PACKAGES", ("no_such_package",))
    if wrong == "option":
        study(folder, STUDY.replace("device: cpu", "threads: 0"))

    [problem] = [str(each) for each in check_study(folder) if not each.warning]

    assert told in problem


def test_a_study_is_not_served_with_a_model_of_another_game(tmp_path: Path) -> None:
    folder = study(tmp_path / "birds")
    write_parrot(folder / "bird", model="deal-parrot")

    with pytest.raises(InputError, match="plays the game 'deal_or_no_deal' and no other"):
        build_of_study(load_only_study(folder), "polly")


# Who may not name a folder of this server


def test_no_submission_and_no_model_of_the_api_names_a_folder_here() -> None:
    assert "checkpoint" not in REMOTE_KINDS
    for options in ({"checkpoint": "runs/bird"}, {"checkpoint": "x", "url": "https://8.8.8.8"}):
        with pytest.raises(InputError, match="predictions or an endpoint of kind"):
            check_endpoint("checkpoint", options, private=True, variables=True)


@pytest.mark.parametrize(
    ("checkpoint", "may"),
    [("bird", True), ("../runs/bird", False), ("/srv/bird", False), ("~/bird", False)],
)
@pytest.mark.parametrize("owner", [False, True])
def test_whoever_edits_a_study_from_afar_names_only_folders_in_it(
    checkpoint: str, may: bool, owner: bool
) -> None:
    new: dict[str, Any] = {"systems": {"a": {"kind": "checkpoint", "checkpoint": checkpoint}}}
    found = list(
        reach_problems({}, new, folder=Path("/studies/one"), owner=owner, sees=lambda _: False)
    )
    assert [problem.steps for problem in found] == ([] if may else [("systems", "a", "checkpoint")])
    assert reach_of("checkpoint") == "folder"
