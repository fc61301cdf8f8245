"""Fairness that rests on few variants says so, with their number, wherever it is shown."""

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any

import pytest

from support.doors import Doors, open_doors
from support.endpoints import right_or_wrong, serving
from support.runs import records

FEW = "variants for 3 of 120 items (2.5 %), which is too few to say much"


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    """A published model on 120 items, of which three have fairness variants and 40 robustness ones."""
    with open_doors(tmp_path_factory.mktemp("home")) as opened:
        opened.bench.dataset("dev", records(120))
        opened.bench.variants("dev", "fairness", 3)
        opened.bench.variants("dev", "robustness", 40)
        with serving(right_or_wrong) as server:
            opened.bench.model("bot", server.url)
            opened.bench.work()
        opened.command("task", "set", "nli", "--public")
        opened.command("model", "publish", "nli", "bot")
        yield opened


def run_key(doors: Doors) -> str:
    return str(doors.bench.runs()["bot", "dev"].key)


def page(doors: Doors, path: str) -> str:
    """What a page says, without its tags."""
    html = doors.desk.client.get(path).text
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", html).split()))


def commands_run(doors: Doors) -> str:
    return doors.command("runs", "show", run_key(doors))


def commands_board(doors: Doors) -> str:
    return doors.command("board", "nli")


def commands_table(doors: Doors) -> str:
    doors.command("board", "nli", "--csv", str(doors.folder / "b.csv"))
    return (doors.folder / "b.csv").read_text()


def commands_latex(doors: Doors) -> str:
    doors.command("board", "nli", "--latex", str(doors.folder / "b.tex"))
    return (doors.folder / "b.tex").read_text().replace("\\%", "%")


def commands_dataset(doors: Doors) -> str:
    return doors.command("dataset", "show", "nli", "fairness-dev")


def desk_run(doors: Doors) -> str:
    return page(doors, f"/desk/tasks/nli/runs/{run_key(doors)}")


def desk_scores(doors: Doors) -> str:
    return str(doors.desk.client.get(f"/desk/tasks/nli/runs/{run_key(doors)}/scores.csv").text)


def desk_original(doors: Doors) -> str:
    return page(doors, "/desk/tasks/nli/data/dev")


def desk_variants(doors: Doors) -> str:
    return page(doors, "/desk/tasks/nli/data/fairness-dev")


def public_data(doors: Doors) -> str:
    return page(doors, "/tasks/nli/data")


def public_board(doors: Doors) -> str:
    return page(doors, "/tasks/nli")


def public_model(doors: Doors) -> str:
    key = doors.ask("GET", "/tasks/nli/board")["models"][0]["key"]
    return page(doors, f"/tasks/nli/models/{key}")


@pytest.mark.parametrize(
    "door",
    [
        commands_run,
        commands_board,
        commands_table,
        commands_latex,
        commands_dataset,
        desk_run,
        desk_scores,
        desk_original,
        desk_variants,
        public_data,
        public_board,
        public_model,
    ],
)
def test_every_door_says_how_few_variants_there_are(
    doors: Doors, door: Callable[[Doors], str]
) -> None:
    assert FEW in door(doors).lower()


def by_metric(found: list[dict[str, Any]]) -> dict[str, Any]:
    return {each["metric"]: each.get("warning") for each in found}


def test_a_program_reads_it_beside_the_score(doors: Doors) -> None:
    run = doors.ask("GET", f"/runs/{run_key(doors)}")
    board = doors.ask("GET", "/tasks/nli/board")
    model = board["models"][0]

    assert by_metric(run["scores"])["fairness"] == FEW
    assert {by_metric(run["scores"])[name] for name in ("accuracy", "robustness")} == {None}
    assert model["scores"]["dev"]["fairness"]["warning"] == FEW
    assert model["scores"]["dev"]["fairness"]["n"] == 3
    assert model["averages"]["fairness"]["warning"] == FEW
    assert "warning" not in model["averages"]["robustness"]
    assert f"Fairness on dev: {FEW}." in board["warnings"]
