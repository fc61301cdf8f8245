"""`palaver model`: from a starter to a score, in the words a stranger reads."""

import json
from pathlib import Path

import pytest

from palaver.cli.main import COMMANDS
from palaver.core.tasks import Task
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.home import open_evaluation
from palaver.evaluation.tasks import builtin_task, ensure_task
from palaver.systems.build import predictor_kinds, predictor_options
from support.databases import new_sqlite

from ..conftest import Palaver

ITEMS = [
    {"uid": "1", "context": "It rains.", "hypothesis": "It is wet.", "label": "entailed"},
    {"uid": "2", "context": "It rains.", "hypothesis": "It is dry.", "label": "contradictory"},
    {"uid": "3", "context": "It rains.", "hypothesis": "Ann is here.", "label": "neutral"},
]


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command, whatever else the list holds; and no secret of whoever runs the tests."""
    monkeypatch.setitem(COMMANDS, "model", "Bring a model.")
    monkeypatch.delenv("MY_SECRET", raising=False)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A scoring data set of three items in the home, and its file."""
    file = tmp_path / "small.jsonl"
    file.write_text("\n".join(json.dumps({**each, "tags": []}) for each in ITEMS), "utf-8")
    task: Task = builtin_task("nli")
    with open_evaluation(tmp_path, new_sqlite(tmp_path / "palaver.db")) as home:
        row = home.store.write_now(lambda c: ensure_task(c, "nli", now=1.0))
        add_dataset(home, row, task, name="small", source=str(file), now=1.0)
    return file


def test_from_a_starter_to_a_score(palaver: Palaver, small: Path, tmp_path: Path) -> None:
    wrote = palaver("model", "init", "mine", "--task", "nli")
    tried = palaver("model", "test", "mine", "--data", str(small), "--records", "2")
    added = palaver("model", "add", "nli", "mine", "mine", "--about", "A try.", "--tag", "tiny")
    shown = palaver("model", "show", "nli", "mine", "--json")

    assert wrote.status == 0
    assert "palaver model test mine" in wrote.out
    assert tried.status == 0
    assert "line-2" in tried.out
    assert "line-3" not in tried.out
    assert "Everything is fine." in tried.out
    assert added.status == 0, added.err
    assert "Added mine, version 1 (handler) to nli." in added.out
    assert str(tmp_path / "objects" / "models" / "nli" / "mine") in added.out
    assert "1 run due: small" in added.out
    assert "palaver model publish nli mine" in added.out
    sheet = json.loads(shown.out)
    assert (sheet["about"], sheet["tags"]) == ("A try.", ["tiny"])
    run = sheet["runs"][0]
    assert (run["dataset"], run["state"], run["answered"]) == ("small", "done", 3)
    # The starter says "entailed" to everything: one of three is right.
    assert run["performance"]["value"] == pytest.approx(1 / 3)


@pytest.mark.usefixtures("small")
def test_the_same_again_says_so(palaver: Palaver) -> None:
    palaver("model", "init", "mine", "--task", "nli")
    palaver("model", "add", "nli", "mine", "mine", "--later")

    again = palaver("model", "add", "nli", "mine", "mine", "--later")

    assert "is already stored with the same options and files" in again.out
    assert "Nothing to evaluate now." in again.out


@pytest.mark.usefixtures("small")
def test_later_leaves_the_runs_waiting(palaver: Palaver) -> None:
    palaver("model", "init", "mine", "--task", "nli")

    added = palaver("model", "add", "nli", "mine", "mine", "--later", "--json")
    listed = palaver("model", "list", "nli", "--json")

    assert json.loads(added.out)["results"] == []
    assert json.loads(listed.out)[0]["runs"] == {"waiting": 1}


def test_a_model_that_is_wrong_is_explained(palaver: Palaver, tmp_path: Path) -> None:
    palaver("model", "init", "mine", "--task", "nli")
    code = tmp_path / "mine" / "handler.py"
    code.write_text(
        code.read_text("utf-8").replace('"label": "entailed"', '"label": "yes"'), "utf-8"
    )

    said = palaver("model", "test", "mine")
    as_json = palaver("model", "test", "mine", "--json")

    assert said.status == 1
    assert "short: Answer to probe-1: 'label': expected one of entailed" in said.out
    assert '  got       {"label": "yes"' in said.out
    assert "  fix       Return one of the task's labels, written exactly like this" in said.out
    assert "  the same  non-ascii, odd-characters, long-context, long-hypothesis" in said.out
    assert said.out.rstrip().endswith("5 violations.")
    assert as_json.status == 1
    assert len(json.loads(as_json.out)["violations"]) == 5


def test_a_handler_that_raises_is_named_with_its_line(palaver: Palaver, tmp_path: Path) -> None:
    palaver("model", "init", "mine", "--task", "nli")
    code = tmp_path / "mine" / "handler.py"
    code.write_text(
        "class Handler:\n    def answer(self, question):\n        return 1 / 0\n", "utf-8"
    )

    said = palaver("model", "test", "mine", "--option", "retries=0")

    assert said.status == 1
    assert "ZeroDivisionError" in said.out
    assert "handler.py, line 3" in said.out


@pytest.mark.usefixtures("small")
def test_uploaded_predictions(palaver: Palaver, tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text("".join(f'{{"uid": "{n}", "label": "entailed"}}\n' for n in (1, 2)), "utf-8")

    refused = palaver("model", "add", "nli", "up", "--predictions", f"small={file}")
    with file.open("a", encoding="utf-8") as out:
        out.write('{"uid": "3", "label": "n"}')
    added = palaver("model", "add", "nli", "up", "--predictions", f"small={file}", "--json")

    assert refused.status == 1
    assert f"{file}: no answer to '3'." in refused.err
    assert added.status == 0, added.err
    result = json.loads(added.out)["results"][0]
    assert result["state"] == "done"
    assert result["performance"]["value"] == pytest.approx(2 / 3)


@pytest.mark.usefixtures("small")
def test_publish_unpublish_retire(palaver: Palaver) -> None:
    palaver("model", "init", "mine", "--task", "nli")
    palaver("model", "add", "nli", "mine", "mine", "--later")

    def standing() -> str:
        return str(json.loads(palaver("model", "list", "nli", "--json").out)[0]["standing"])

    assert standing() == "unpublished"
    assert "mine is published" in palaver("model", "publish", "nli", "mine").out
    assert standing() == "published"
    assert "does not show it" in palaver("model", "unpublish", "nli", "mine").out
    assert standing() == "unpublished"
    assert "off the board" in palaver("model", "retire", "nli", "mine").out
    assert standing() == "retired"


def test_a_task_of_ones_own(palaver: Palaver, tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "polite.yaml").write_text(
        "name: polite\ninput:\n  - {name: message, type: string}\n"
        "  - {name: tone, type: multiclass, labels: [kind, rude]}\n"
        "output: [tone]\nperf_metric: accuracy\n",
        encoding="utf-8",
    )

    wrote = palaver("model", "init", "mine", "--task", "tasks/polite.yaml", "-o", "deep/mine")
    tried = palaver("model", "test", "deep/mine")

    assert wrote.status == 0, wrote.err
    assert "task: ../../tasks/polite.yaml" in (tmp_path / "deep/mine/model.yaml").read_text("utf-8")
    assert tried.status == 0, tried.out + tried.err
    assert "long-message" in tried.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("init", "My Model", "--task", "nli"), "lower-case letters, digits and '-'"),
        (("init", "mine", "--task", "nil"), "Near: 'nli'"),
        (("test", "--task", "nli", "--kind", "torchserv", "--url", "x"), "Near: 'torchserve'"),
        (("add", "nli", "up", "--predictions", "small=none.jsonl"), "There is no file none.jsonl"),
        (("list", "nli"), "Nothing is stored at"),
    ],
)
def test_bad_input_is_one_sentence(palaver: Palaver, arguments: tuple[str, ...], told: str) -> None:
    said = palaver("model", *arguments)

    assert said.status == 1
    assert told in said.err
    assert "Traceback" not in said.err
    assert said.out == ""


def test_the_kinds_are_listed_and_told_with_their_options(palaver: Palaver) -> None:
    head, *lines = palaver("model", "kinds").out.partition("\n\n")[0].splitlines()
    assert head.split() == ["kind", "what", "it", "is", "needs"]
    assert [line.split()[0] for line in lines] == predictor_kinds()

    every = json.loads(palaver("model", "kinds", "--json").out)["kinds"]
    assert [each["kind"] for each in every] == predictor_kinds()
    for kind in every:
        told = {each["option"]: each for each in kind["options"]}
        assert {name: each["about"] for name, each in told.items()} == predictor_options(
            kind["kind"]
        )
        assert kind == json.loads(palaver("model", "kinds", kind["kind"], "--json").out)

    shown = palaver("model", "kinds", "torchserve").out
    assert shown.startswith("torchserve: A model behind TorchServe's protocol.\n\noption ")
    rows = [line.split(maxsplit=3) for line in shown.splitlines()]
    assert ["url", "text", "required"] in [row[:3] for row in rows]
    assert ["retries", "whole", "number", "2"] in [line.split()[:4] for line in shown.splitlines()]
    unknown = palaver("model", "kinds", "torchserv")
    assert (unknown.status, unknown.out) == (1, "")
    assert "Near: 'torchserve'" in unknown.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("test",), "Which model?"),
        (("test", "--url", "http://127.0.0.1:9"), "Which task?"),
        (
            ("test", "--task", "nli", "--kind", "http", "--option", "url"),
            "--option takes KEY=VALUE",
        ),
        (("add", "nli", "mine"), "Which model?"),
        (("add", "nli", "up", "--predictions", "small"), "takes DATASET=FILE"),
        (("add", "nli", "up", ".", "--predictions", "a=b"), "not both"),
    ],
)
def test_usage_errors(palaver: Palaver, arguments: tuple[str, ...], told: str) -> None:
    said = palaver("model", *arguments)
    assert (said.status, said.out) == (2, "")
    assert told in said.err
    assert "Traceback" not in said.err


def test_an_endpoint_that_nobody_serves(palaver: Palaver) -> None:
    said = palaver(
        "model", "test", "--task", "nli", "--url", "http://127.0.0.1:9",
        "--option", "model=mine", "--option", "retries=0",
    )  # fmt: skip

    assert said.status == 1
    assert "It did not start." in said.out
    assert "Start the model and check its address and port" in said.out
