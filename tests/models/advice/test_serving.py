"""`palaver advice serve --checkpoint`: the web API of the challenge before a trained model."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from palaver.cli.evaluation.advice_serve import checkpoint_entry, chosen_entry
from palaver.cli.main import palaver
from palaver.core.errors import InputError, MissingExtraError
from palaver.models.checkpoints.folder import CheckpointError
from palaver.studies.advice.models_file import read_models_file
from palaver.systems.build import build_predictor
from palaver.web.advice_server import AdvisingServer, advice_app
from palaver.web.model_server import ServedModel
from support.advice_models import trained_adviser
from support.trained import write_parrot

ONE = {"title": "One", "selftext": "What now?", "subreddit": "love"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained_adviser(tmp_path_factory.mktemp("served") / "heron", training={"epochs": 1})


@pytest.fixture
def client(folder: Path) -> Iterator[TestClient]:
    entry = checkpoint_entry(folder, device="cpu")
    predictor = build_predictor(entry.kind, {**entry.options, "batch": 3}, folder=Path.cwd())
    server = AdvisingServer(
        model=ServedModel(entry.name, predictor), card=entry.card, kind=entry.kind
    )
    # One event loop for all requests of a test.
    with TestClient(advice_app(server)) as found:
        yield found


def test_a_batch_is_answered_in_its_order_and_alike_each_time(client: TestClient) -> None:
    instances = [{**ONE, "title": f"T{n}", "selftext": "Why? " * (7 - n)} for n in range(7)]
    answer = client.post("/api/askbatch", json={"instances": instances, "target": "advice"})
    assert answer.status_code == 200
    said = answer.json()["gens"]
    assert len(said) == 7
    assert all(each.strip() for each in said)
    alone = client.post("/api/ask", json=instances[4]).json()
    assert alone == {"instance": instances[4], "gen": said[4]}
    turned = client.post("/api/askbatch", json={"instances": instances[::-1]}).json()["gens"]
    assert turned == said[::-1]


def test_the_page_says_what_it_is_and_answers(client: TestClient) -> None:
    page = client.get("/").text
    assert "What would heron advise?" in page
    assert "K parameters" in page
    said = client.post("/api/ask", json={**ONE, "subreddit": "Advice"}).json()["gen"]
    page = client.post("/", data={"title": "One", "selftext": "What now?"}).text
    assert said.split()[0] in page


def test_the_command_takes_a_folder_as_a_checkpoint_or_as_a_model(folder: Path) -> None:
    named = checkpoint_entry(folder)
    assert (named.name, named.kind) == ("heron", "checkpoint")
    assert named.card.parameters is not None
    assert named.card.parameters > 1000
    assert chosen_entry(str(folder), models=None, data=None) == named


def test_a_models_file_may_name_a_checkpoint(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "models.yaml"
    file.write_text(f"models:\n  heron: {{kind: checkpoint, checkpoint: '{folder}'}}\n")
    entry = read_models_file(file)["heron"]
    assert entry.options["checkpoint"] == str(folder)


def test_checkpoints_that_give_no_advice_are_refused(tmp_path: Path) -> None:
    parrot = write_parrot(tmp_path / "parrot")
    with pytest.raises(InputError, match="of kind 'parrot', which gives no advice"):
        checkpoint_entry(parrot)
    (tmp_path / "empty").mkdir()
    with pytest.raises(CheckpointError, match=r"no checkpoint: it has no settings\.json"):
        checkpoint_entry(tmp_path / "empty")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--model", "tfidf"], "leave out --model and --data"),
        (["--data", "FOLDER/settings.json"], "leave out --model and --data"),
    ],
)
def test_a_checkpoint_is_given_alone(folder: Path, given: list[str], told: str) -> None:
    given = [each.replace("FOLDER", str(folder)) for each in given]
    run = CliRunner().invoke(palaver, ["advice", "serve", "--checkpoint", str(folder), *given])
    assert isinstance(run.exception, (click.UsageError, SystemExit))
    assert told in (run.output + str(run.exception))
    run = CliRunner().invoke(palaver, ["advice", "serve", "--model", "tfidf", "--device", "cpu"])
    assert "says where a --checkpoint computes" in (run.output + str(run.exception))


def test_a_spoilt_checkpoint_is_refused(folder: Path, tmp_path: Path) -> None:
    settings = json.loads((folder / "settings.json").read_text())
    for name in ("vocabulary.json", "weights.safetensors"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "settings.json").write_text(json.dumps({**settings, "format": 9}))
    with pytest.raises(CheckpointError, match="a checkpoint of format 9"):
        checkpoint_entry(tmp_path)
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    (tmp_path / "weights.safetensors").write_bytes(b"\x00" * 40)
    with pytest.raises(CheckpointError, match="not a whole safetensors file"):
        checkpoint_entry(tmp_path)


def test_without_the_extra_it_is_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(MissingExtraError, match=r"needs.*palaver\[torch\]"):
        checkpoint_entry(folder)
