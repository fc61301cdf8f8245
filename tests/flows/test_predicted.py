"""A trained model hands in: one file for `palaver score`, `palaver sharedtask` and a hosted challenge.

Each door says what the training measured itself.
"""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from palaver.cli.main import palaver
from palaver.core.audit import COMMAND
from palaver.core.evaluation.tasks import terms_digest
from palaver.evaluation.challenges import teams
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.stored import add_challenge, find_challenge, set_challenge
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.evaluation.tasks import ensure_task, stored_task
from support.helpdesk import helpdesk_file, tiny_recipe
from support.serving import start_server

NOW = 1_700_000_000.0
CHALLENGE = """\
name: desk
title: Help-desk dialogues
contact: desk@example.org
terms: Use the data for research only.
tracks:
  nuggets: {task: dialogue-nugget, data: dev}
  quality: {task: dialogue-quality, data: dev}
phases:
  only: {submissions: 5, scores: own}
runs: 2
"""
# What the training calls a measure, and what the tasks and `palaver score` do.
NUGGETS = {"jsd": "nugget_jsd", "rnss": "nugget_rnss"}
QUALITY = {f"{name}-{scale}": f"{name}-{scale}" for name in ("rsnod", "nmd") for scale in "ASE"}


@dataclass(frozen=True)
class HandedIn:
    """A trained model, its predictions, and its own figures on the same dialogues."""

    folder: Path
    figures: dict[str, float]

    @property
    def gold(self) -> Path:
        return self.folder / "dev.jsonl"

    @property
    def file(self) -> Path:
        return self.folder / "predictions" / "both_english.json"


def run(*arguments: object, token: str = "", status: int = 0) -> str:
    """What a command prints to standard output."""
    done = CliRunner().invoke(palaver, [str(a) for a in arguments], env={"PALAVER_TOKEN": token})
    assert done.exit_code == status, f"{done.output}{done.exception!r}"
    return done.stdout


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> HandedIn:
    folder = tmp_path_factory.mktemp("predicted")
    recipe = tiny_recipe(training={"epochs": 2}, answers={"least_share": 0.05})
    (folder / "recipe.json").write_text(json.dumps(recipe.as_json()))
    train = helpdesk_file(folder / "train.jsonl", 24)
    dev = helpdesk_file(folder / "dev.jsonl", 10, seed=2)
    command = ("train", folder / "recipe.json", "--data", train, "--dev", dev, "--device", "cpu")
    told = json.loads(run(*command, "-o", folder / "model", "--json"))
    found = HandedIn(folder, {each["name"]: each["value"] for each in told["figures"]})
    said = run("model", "predict", folder / "model", dev, "-o", found.file, "--device", "cpu")
    assert said == (
        f"10 dialogues of dev.jsonl answered: {found.file}\n\n"
        f"Next: palaver score dialeval --gold {dev} --pred {found.file}\n"
    )
    return found


def test_the_score_of_the_file_is_the_figure_of_the_training(handed_in: HandedIn) -> None:
    told = json.loads(
        run("score", "dialeval", "--gold", handed_in.gold, "--pred", handed_in.file, "--json")
    )

    assert told["dialogues"] == 10
    found = {
        **told["nd"],
        **{f"{m}-{s}": told["dq"][s][m] for m in ("rsnod", "nmd") for s in "ASE"},
    }
    for name in (*NUGGETS, *QUALITY):
        assert found[name] == pytest.approx(handed_in.figures[name], abs=1e-6), name


def test_a_shared_task_gives_it_the_same_score(handed_in: HandedIn, tmp_path: Path) -> None:
    place = tmp_path / "runs" / "Otters" / "run0"
    place.mkdir(parents=True)
    shutil.copy(handed_in.file, place)
    command = ("sharedtask", "dialeval", tmp_path, "--gold", handed_in.gold, "--trials", 50)

    told = json.loads(run(*command, "--baseline", "uniform", "--json"))

    found = {
        name: result["value"]
        for board in told["boards"]
        for name, results in board["results"].items()
        for result in results
        if result["run"] == "Otters-run0"
    }
    for name in (*NUGGETS, *QUALITY):
        assert found[name] == pytest.approx(handed_in.figures[name], abs=1e-6), name


def test_a_challenge_takes_the_file_and_gives_it_the_same_score(
    handed_in: HandedIn, address: str, token: str
) -> None:
    for track, names in (("nuggets", NUGGETS), ("quality", QUALITY)):
        sent = ("submit", address, handed_in.file, "--track", track, "--json")
        entry = json.loads(run(*sent, token=token))
        for own, theirs in names.items():
            figure = handed_in.figures[own]
            assert entry["scores"][theirs] == pytest.approx(figure, abs=1e-6), own


@pytest.mark.parametrize(
    ("task", "figure"), [("dialogue-nugget", "jsd"), ("dialogue-quality", "rsnod")]
)
def test_as_a_model_of_the_task_it_is_scored_alike(
    handed_in: HandedIn, task: str, figure: str, tmp_path: Path
) -> None:
    """The evaluation server asks the checkpoint itself, and needs no file."""
    home = ("--home", tmp_path / "home")
    run("dataset", "add", task, "dev", handed_in.gold, *home)
    checkpoint = f"checkpoint={handed_in.folder / 'model'}"
    options = ("--kind", "checkpoint", "--option", checkpoint, "--option", "device=cpu")

    added = run("model", "add", task, "otter", *options, "--later", *home)
    evaluated = json.loads(run("evaluate", task, "--json", *home))

    assert "Added otter, version 1 (checkpoint)" in added
    [result] = evaluated["runs"]
    assert result["performance"]["value"] == pytest.approx(handed_in.figures[figure], abs=1e-6)


def test_dialogues_without_labels_are_answered_alike(handed_in: HandedIn, tmp_path: Path) -> None:
    """What `palaver submit --download` brings has no gold, and the same answers come of it."""
    bare = [
        {key: value for key, value in json.loads(line).items() if key in ("id", "turns")}
        for line in handed_in.gold.read_text(encoding="utf-8").splitlines()
    ]
    (tmp_path / "bare.jsonl").write_text("".join(json.dumps(each) + "\n" for each in bare))

    model = handed_in.folder / "model"
    told = run(
        *("model", "predict", model, tmp_path / "bare.jsonl", "-o", tmp_path / "said.json"),
        *("--device", "cpu", "--json"),
    )

    assert json.loads(told)["items"] == 10
    assert json.loads((tmp_path / "said.json").read_text()) == json.loads(
        handed_in.file.read_text()
    )
    checked = run("score", "dialeval", "--gold", tmp_path / "bare.jsonl", "--pred", handed_in.file)
    assert "valid, 10 dialogues, ND and DQ." in checked


@pytest.fixture(scope="module")
def home(handed_in: HandedIn) -> Path:
    """A home with the challenge, whose gold data nobody sees."""
    folder = handed_in.folder / "home"
    folder.mkdir()
    (handed_in.folder / "challenge.yaml").write_text(CHALLENGE, encoding="utf-8")
    with open_evaluation(folder, f"sqlite:///{folder / 'palaver.db'}") as opened:
        for task in ("dialogue-nugget", "dialogue-quality"):
            _add_gold(opened, task, handed_in.gold)
        add_challenge(opened, handed_in.folder / "challenge.yaml", by=COMMAND, now=NOW)
        opened.store.write_now(
            lambda c: set_challenge(c, find_challenge(c, "desk"), public=True, by=COMMAND, now=NOW)
        )
    return folder


@pytest.fixture(scope="module")
def token(home: Path) -> str:
    """The token of a team that may submit."""

    def register(connection: Any) -> str:
        row = find_challenge(connection, "desk")
        made = teams.register_team(
            connection, row, team="Otters", contact="otters@example.org", now=NOW
        )
        teams.approve_team(connection, row, made.id, by=COMMAND, now=NOW)
        digest = terms_digest(stored_definition(row).terms)
        teams.accept_terms(connection, row, made, digest=digest, now=NOW)
        return made.token

    with open_evaluation(home, f"sqlite:///{home / 'palaver.db'}") as opened:
        return opened.store.write_now(register)


@pytest.fixture(scope="module")
def address(home: Path, token: str) -> Iterator[str]:
    """Where the challenge is, once its team is registered."""
    server = start_server(home, home=home)
    try:
        yield f"{server.base}/desk"
    finally:
        server.stop()


def _add_gold(home: EvaluationHome, task: str, gold: Path) -> None:
    row = home.store.write_now(lambda c: ensure_task(c, task, now=NOW))
    add_dataset(home, row, stored_task(row), name="dev", source=str(gold), access="hidden", now=NOW)
