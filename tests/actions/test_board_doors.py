"""A board behind every door: uploads are ranked, every number has one interval, readers choose."""

import csv
import html
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from palaver.evaluation.dynaboards import columns_of
from palaver.evaluation.tasks import load_task
from palaver.web.formatting import between, number
from support.doors import Doors, Refused, open_doors
from support.points import points_in, points_in_table
from support.runs import records

SETS = {"dev": 40, "test": 30}
HANDLER = """
class Handler:
    def answer(self, question):
        number = int(question["uid"][1:])
        right = ["entailed", "neutral", "contradictory"][number % 3]
        return {"label": "neutral" if number % 5 == 0 else right}
"""
# By model, data set (or "average") and metric.
Told = dict[tuple[str, str, str], tuple[float | None, float | None, float | None]]


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    """A task with a model that ran, one that was uploaded, and one with answers to half of the data.

    The uploaded one is right on all of `dev`. One metric was computed later, for one of them.
    """
    with open_doors(tmp_path_factory.mktemp("board")) as doors:
        for name, items in SETS.items():
            doors.bench.dataset(name, items)
        model = doors.folder / "ran"
        model.mkdir()
        (model / "model.yaml").write_text("kind: handler\nhandler: mine:Handler\n")
        (model / "mine.py").write_text(HANDLER)
        doors.command("model", "add", "nli", "ran", str(model), "--published")
        upload(doors, "uploaded", wrong={"dev": 0, "test": 7})
        upload(doors, "half", "--partial", wrong={"dev": 3})
        doors.command("rescore", "nli", "--metric", "balanced_accuracy", "--model", "ran")
        yield doors


def upload(doors: Doors, name: str, *options: str, wrong: Mapping[str, int]) -> str:
    """Hand in answers of which so many are wrong; what the command says."""
    given: list[str] = []
    for dataset, count in wrong.items():
        file = doors.folder / f"{name}-{dataset}.jsonl"
        lines = [
            {"uid": each["uid"], "label": each["label"] if n >= count else "entailed"}
            for n, each in enumerate(reversed(records(SETS[dataset])))
        ]
        file.write_text("".join(json.dumps(each) + "\n" for each in lines))
        given += ["--predictions", f"{dataset}={file}"]
    return doors.command("model", "add", "nli", name, "--published", *given, *options)


def from_document(document: Any) -> Told:
    """What a board says in JSON."""
    told: Told = {}
    for model in (*document["models"], *document["not_ranked"]):
        places = {"average": model["averages"], **model["scores"]}
        for place, scores in places.items():
            for metric, one in scores.items():
                low, high = one["interval"] or (None, None)
                told[model["name"], place, metric] = (one["value"], low, high)
    return told


def from_table(text: str, titles: Mapping[str, str]) -> Told:
    """What a board says as CSV."""
    told: Told = {}
    for row in csv.DictReader(io.StringIO(text)):
        for place in ("average", *SETS):
            for metric, title in titles.items():
                head = title if place == "average" else f"{place}: {title}"
                heads = (head, f"{head}, 95 %, low", f"{head}, 95 %, high")
                ends = (row.get(each) or "" for each in heads)
                value, low, high = (float(each) if each else None for each in ends)
                told[row["model"], place, metric] = (value, low, high)
    return told


def from_runs(doors: Doors) -> Told:
    """What the desk's tables of scores say of every run."""
    told: Told = {}
    for run in doors.document("runs", "list", "nli")["runs"]:
        text = doors.desk.client.get(f"/desk/tasks/nli/runs/{run['key']}/scores.csv").text
        for row in csv.DictReader(io.StringIO(text)):
            scale = 1 if row["metric"] in ("throughput", "memory") else 100
            ends = (float(row[e]) * scale if row[e] else None for e in ("value", "low", "high"))
            told[run["model"], run["dataset"], row["metric"]] = tuple(ends)  # type: ignore[assignment]
    return told


def words(doors: Doors, path: str) -> str:
    """The words of a page, blanks folded."""
    text = doors.desk.client.get(path).text
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def test_uploads_are_ranked_and_their_averages_are_shown(board: Doors) -> None:
    document = board.document("board", "nli")
    assert [each["name"] for each in document["models"]] == ["uploaded", "ran"]
    (half,) = document["not_ranked"]
    assert half["reasons"] == ["test has not been evaluated"]
    upper = document["models"][0]["averages"]
    assert upper["throughput"] == {
        "value": None, "interval": None, "variance": None,
        "reason": "the predictions were uploaded: no model was asked",
    }  # fmt: skip
    # Where speed counts, what was not run has no rank, and its averages are there all the same.
    heavy = board.document("board", "nli", "--weight", "throughput=1")
    apart = next(each for each in heavy["not_ranked"] if each["name"] == "uploaded")
    assert apart["averages"] == upper
    table = board.folder / "board.csv"
    said = board.command("board", "nli", "--weight", "throughput=1", "--csv", str(table))
    shown = next(line for line in said.splitlines() if "uploaded" in line)
    assert number(upper["accuracy"]["value"]) in shown
    rows = {row["model"]: row for row in csv.DictReader(table.open(encoding="utf-8"))}
    assert float(rows["uploaded"]["Accuracy"]) == upper["accuracy"]["value"]
    assert rows["uploaded"]["not ranked because"].startswith("no throughput on dev and test")


def test_every_door_tells_the_same_interval_and_none_without_a_width(board: Doors) -> None:
    """Command, files, API, pages and desk; with other weights, samples and choices, too."""
    document = board.document("board", "nli")
    titles = {each["key"]: each["title"] for each in document["metrics"]}
    wanted = from_document(document)
    assert wanted["uploaded", "average", "accuracy"][0] is not None
    table = board.folder / "board.csv"
    board.command("board", "nli", "--csv", str(table))
    client = board.desk.client
    documents = {
        "other weights": board.document("board", "nli", "--weight", "macro_f1=2", "--draws", "50"),
        "without samples": board.document("board", "nli", "--draws", "0"),
        "by a metric": board.document("board", "nli", "--metric", "macro_f1"),
        "API": board.ask("GET", "/tasks/nli/board"),
        "API by a metric": board.ask("GET", "/tasks/nli/board?metric=balanced_accuracy"),
        "page": client.get("/tasks/nli/board.json").json(),
        "public": client.get("/tasks/nli/board.json?metric=accuracy").json(),
    }
    doors = {name: from_document(each) for name, each in documents.items()}
    doors["file"] = from_table(table.read_text(encoding="utf-8"), titles)
    doors["page's file"] = from_table(client.get("/tasks/nli/board.csv?raw=1").text, titles)
    doors["API's file"] = from_table(
        client.get("/api/v1/tasks/nli/board/csv", headers=board.api.headers).text, titles
    )
    doors["desk"] = from_runs(board)
    for door, told in doors.items():
        assert len(told) >= len(SETS) * len(titles), door
        for key in told.keys() & wanted.keys():
            ends = zip(told[key], wanted[key], strict=True)
            assert all(a == b or a == pytest.approx(b, rel=1e-12) for a, b in ends), (door, key)
    assert not list(points_in([document, *documents.values()]))
    assert not list(points_in_table(table))


def test_pages_show_these_intervals(board: Doors) -> None:
    document = board.document("board", "nli")
    wanted = from_document(document)
    page, desk = words(board, "/tasks/nli"), words(board, "/desk/tasks/nli")
    for model in (*document["models"], *document["not_ranked"]):
        own = words(board, f"/tasks/nli/models/{model['key']}")
        for place in ("average", *SETS):
            value, low, high = wanted[model["name"], place, "accuracy"]
            if value is None:
                continue
            told = f"{number(value)} {between((low, high))}"
            assert told in page, (model["name"], place)
            assert told in own.replace(" %", ""), (model["name"], place)
            if place != "average":
                assert f"{value:.1f} % {low:.1f} to {high:.1f}" in desk


def by_command(doors: Doors, metric: str) -> Any:
    return doors.document("board", "nli", "--metric", metric)


def by_api(doors: Doors, metric: str) -> Any:
    return doors.ask("GET", f"/tasks/nli/board?metric={metric}")


def by_page(doors: Doors, metric: str) -> Any:
    answer = doors.desk.client.get(f"/tasks/nli/board.json?metric={metric}")
    if answer.status_code >= 400:
        raise Refused(answer.json()["error"]["message"])
    return answer.json()


@pytest.mark.parametrize("read", [by_command, by_api, by_page])
def test_readers_choose_the_metric_at_every_door(board: Doors, read: Any) -> None:
    found = read(board, "balanced_accuracy")
    assert (found["ranking"], found["metric"]) == ("measure", "balanced_accuracy")
    assert [each["name"] for each in found["models"]] == ["ran"]
    apart = {each["name"]: each["reasons"][0] for each in found["not_ranked"]}
    assert apart["uploaded"] == "no balanced accuracy on dev and test"
    with pytest.raises(Refused, match=r"has the metric 'acuracy'\. Near: 'accuracy'"):
        read(board, "acuracy")


@pytest.mark.parametrize("kind", ["fork", "snapshot"])
def test_what_ranks_is_saved_alike_at_every_door(board: Doors, kind: str) -> None:
    one, two, three = (f"{kind} {each}" for each in ("one", "two", "three"))
    board.command("board", "nli", "--metric", "macro_f1", f"--{kind}", one)
    board.ask("POST", f"/tasks/nli/{kind}s", {"name": two, "metric": "macro_f1"})
    board.send(f"/tasks/nli/{kind}s", on="/tasks/nli", name=three, metric="macro_f1", d="5|5")
    for name in (one, two, three):
        found = board.document("board", "nli", "--saved", name)
        assert (found["metric"], found["models"][0]["name"]) == ("macro_f1", "uploaded")
    saved = board.ask("GET", f"/tasks/nli/saved?kind={kind}")["boards"]
    weights = [each["weights"] for each in saved]
    assert weights[0] == weights[1] == weights[2]
    page = words(board, f"/tasks/nli/{kind}s/{saved[0]['key']}")
    assert "Ranked by Macro F1." in page


def test_further_metrics_are_weighed_by_name_in_an_address(board: Doors) -> None:
    client = board.desk.client
    by_address = client.get("/tasks/nli/board.json?m=4|0&m.macro_f1=2&d=5|1").json()
    by_name = board.document("board", "nli", "--weight", "macro_f1=2", "--dataset-weight", "test=1")
    assert [e["dynascore"] for e in by_address["models"]] == [
        e["dynascore"] for e in by_name["models"]
    ]
    # An address that was made before a metric was computed says what it said.
    board.command("rescore", "nli", "--metric", "weighted_f1")
    again = client.get("/tasks/nli/board.json?m=4|0&m.macro_f1=2&d=5|1").json()
    assert [e["dynascore"] for e in again["models"]] == [e["dynascore"] for e in by_name["models"]]
    moved = client.get("/tasks/nli?m=4|0&m.macro_f1=2&d=5|1").text
    assert "m=4%7C0&amp;m.macro_f1=2&amp;d=5%7C1" in moved


def test_the_page_lets_readers_choose_without_a_script(board: Doors) -> None:
    page = board.desk.client.get("/tasks/nli?metric=macro_f1").text
    options = re.findall(r'<option value="([^"]+)"( selected)?>', page)
    assert dict(options).items() >= {
        "dynascore": "", "macro_f1": " selected", "accuracy": "", "throughput": "",
        "balanced_accuracy": "",
    }.items()  # fmt: skip
    assert "Ranked by Macro F1." in words(board, "/tasks/nli?metric=macro_f1")
    wrong = words(board, "/tasks/nli?metric=nothing")
    assert "No model on this board has the metric 'nothing'" in wrong
    assert "m.balanced_accuracy" in board.desk.client.get("/tasks/nli").text


def test_models_alone_are_taken_where_a_task_says_so(doors: Doors) -> None:
    """Uploads are refused in the same words at every door."""
    for name, items in SETS.items():
        doors.bench.dataset(name, items)
    own = doors.folder / "own.yaml"
    text = Path("src/palaver/evaluation/tasks/library/nli.yaml").read_text(encoding="utf-8")
    own.write_text(f"{text}\ntakes_predictions: false\n", encoding="utf-8")
    doors.command("task", "add", str(own))
    said = "takes no predictions: its file says 'takes_predictions: false'"
    with pytest.raises(Refused, match=said):
        upload(doors, "more", wrong={"dev": 1, "test": 1})
    with pytest.raises(Refused, match=said):
        send_files(doors, {"dev": b"{}\n"})
    assert "Takes no predictions" in doors.command("task", "show", "nli")
    assert "predictions that were computed elsewhere" in words(doors, "/tasks/nli/submit")
    columns = {each.key: each.usual_weight for each in columns_of(load_task(own))}
    assert (columns["throughput"], columns["memory"]) == (1, 1)


def send_files(doors: Doors, files: Mapping[str, bytes]) -> None:
    """Send files to the API, which refuses them."""
    answer = doors.desk.client.post(
        "/api/v1/tasks/nli/models/more/predictions",
        headers=doors.api.headers,
        files={name: (f"{name}.jsonl", content) for name, content in files.items()},
    )
    assert answer.status_code >= 400
    raise Refused(answer.json()["error"]["message"])
