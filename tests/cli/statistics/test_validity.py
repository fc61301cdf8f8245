"""`palaver validity` on tables, studies and things that are neither."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from palaver.cli.statistics.validity_command import command
from palaver.core.errors import PalaverError
from palaver.storage import Store
from palaver.storage.studies.studies import register_study
from support.databases import new_sqlite
from support.reviewing import STUDY, Judging
from support.seeding import NOW

COLUMNS = ("dialogue", "unit", "system", "label", "value", "rater", "seconds")


def write(path: Path, rows: list[tuple[Any, ...]], columns: tuple[str, ...] = COLUMNS) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream)
        table.writerow(columns)
        table.writerows(rows)
    return path


def judged(n: int = 40) -> list[tuple[Any, ...]]:
    """Dialogues of two systems: three turns that are dull or not, relevance and quality."""
    dice = np.random.default_rng(1)
    rows: list[tuple[Any, ...]] = []
    for d in range(n):
        good = dice.normal()
        about = (f"d{d}", "AB"[d % 2])
        for turn in range(3):
            dull = "yes" if dice.normal() > good else "no"
            rows.append((about[0], f"d{d}.{turn}", about[1], "dull", dull, f"r{d % 5}", 4))
        rows.append((about[0], f"d{d}", about[1], "relevant", 3 + round(dice.normal()), "r0", 9))
        rows.append((about[0], f"d{d}", about[1], "quality", round(3 + good, 2), f"r{d % 5}", 20))
    return rows


def run(*arguments: object) -> str:
    done = CliRunner().invoke(command, [str(each) for each in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def fails(*arguments: object) -> str:
    with pytest.raises(PalaverError) as problem:
        run(*arguments)
    return str(problem.value)


def test_a_table_in_json(tmp_path: Path) -> None:
    path = write(tmp_path / "judged.csv", judged())
    found = json.loads(
        run(path, "--quality", "quality", "--pay", 12, "--width", 0.2, "--bootstrap", 100, "--json")
    )

    assert [each["label"] for each in found["predictive"]] == ["dull", "relevant"]
    assert found["predictive"][0]["slope"] < 0
    low, high = found["predictive"][0]["interval"]
    assert low < found["predictive"][0]["r2"] < high
    assert [step["size"] for step in found["incremental"]["steps"]] == [2, 1]
    assert {each["of"] for each in found["sensitivity"]} == {1}
    cost = {each["label"]: each for each in found["cost"]}
    assert cost["dull"]["mean_dialogue_seconds"] == 12
    assert cost["dull"]["cost_per_dialogue"] == pytest.approx(12 * 12 / 3600)
    assert cost["quality"]["dialogues_for_width"] > 100


def test_a_table_in_words(tmp_path: Path) -> None:
    said = run(write(tmp_path / "judged.csv", judged()), "--quality", "quality", "--bootstrap", 50)

    assert said.startswith("Labels of 40 dialogues, and how well they predict 'quality'")
    for part in ("Predictive validity", "Incremental validity", "Sensitivity:", "Cost:"):
        assert part in said
    assert "BCa bootstrap of the correlation over dialogues" in said
    assert "Holm" in said


def test_other_names_of_columns(tmp_path: Path) -> None:
    columns = ("chat", "turn", "bot", "what", "score", "who", "time")
    rows = judged()
    usual = write(tmp_path / "usual.csv", rows)
    other = write(tmp_path / "other.csv", rows, columns)
    names = [
        *("--dialogue", "chat", "--unit", "turn", "--system", "bot", "--label", "what"),
        *("--value", "score", "--rater", "who", "--seconds", "time"),
    ]
    same = ("--quality", "quality", "--bootstrap", 20, "--json")
    assert run(other, *names, *same) == run(usual, *same)


def test_comparative_quality(tmp_path: Path) -> None:
    dice = np.random.default_rng(2)
    rows: list[tuple[Any, ...]] = []
    for k in range(30):
        x = dice.normal(size=2)
        for side in (0, 1):
            rows.append((f"d{k}{side}", "AB"[side], "x", round(x[side], 3), ""))
        better = 1 if x[0] + dice.normal() > x[1] else -1
        rows.append((f"d{k}0", "A", "better", better, f"d{k}1"))
    columns = ("dialogue", "system", "label", "value", "other")
    path = write(tmp_path / "pairs.csv", rows, columns)
    options = ("--quality", "better", "--against", "other", "--bootstrap", 50)
    found = json.loads(run(path, *options, "--json"))

    assert found["comparative"] is True
    assert found["incremental"] is None
    assert found["predictive"][0]["r2"] > 0
    assert {each["label"] for each in found["sensitivity"]} == {"x", "better"}
    assert "McFadden" in run(path, *options)


@pytest.mark.parametrize(
    ("change", "options", "problem"),
    [
        (lambda rows: [], (), "has no rows"),
        (lambda rows: [*rows, rows[0]], (), "judged 'dull' of unit 'd0.0' twice"),
        (
            lambda rows: [("d0", "u", "B", "x", 1, "r", 1), *rows],
            (),
            "is assigned to two systems, 'B' and 'A'",
        ),
        (lambda rows: [("", "u", "A", "x", 1, "r", 1)], (), "needs a dialogue and a label"),
        (lambda rows: [("d", "u", "A", "x", "good", "r", 1)], (), "should contain finite numbers"),
        (lambda rows: [("d", "u", "A", "x", 1, "r", -1)], (), "no label 'quality'"),
        (lambda rows: rows, ("--quality", "qualty"), "Near: 'quality'"),
        (lambda rows: rows, ("--value", "points"), "has no column 'points'"),
        (lambda rows: rows, ("--pay", "-3"), "hourly pay"),
        (lambda rows: rows, ("--against", "system"), "None of the dialogues"),
        (lambda rows: [r for r in rows if r[3] == "quality"], (), "no label besides 'quality'"),
    ],
)
def test_bad_tables(tmp_path: Path, change: Any, options: tuple[str, ...], problem: str) -> None:
    path = write(tmp_path / "judged.csv", change(judged()))
    chosen = options if "--quality" in options else ("--quality", "quality", *options)
    if "--against" in options:
        path = write(tmp_path / "judged.csv", [(*row[:4], 1, *row[5:]) for row in judged()])
    assert problem in fails(path, *chosen, "--bootstrap", 10)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home whose dialogues were rated, labelled and compared."""
    folder = tmp_path / "home"
    folder.mkdir()
    store = Store(new_sqlite(folder / "palaver.db"))
    number = store.write_now(
        lambda c: register_study(
            c, name="judged", title="Judged", digest="d", definition=STUDY, now=NOW
        )
    )
    judging = Judging(store, number)
    keys = []
    for n in range(8):
        key = judging.dialogue(system="terse" if n % 2 else "chatty")
        keys.append(key)
        judging.say("quality", key, "ann", 1 + n % 5)
        judging.say("warmth", key, "ann", (3 * n) % 7)
        judging.say("polite", key, "ann", "yes" if n % 3 else "no", seq=3)
        judging.say("faults", key, "ann", ["dull"] if n % 4 == 0 else [], seq=3)
    for n in range(0, 8, 2):
        judging.prefer(keys[n], keys[n], keys[n + 1], "bo")
    yield folder
    store.close()


def test_a_study(home: Path) -> None:
    found = json.loads(run(home, "--quality", "quality", "--pay", 9, "--bootstrap", 50, "--json"))

    labels = {each["label"] for each in found["predictive"]}
    assert labels == {"warmth", "polite = yes", "faults: dull", "faults: wrong"}
    assert found["incremental"]["left_out"] == {"faults: wrong": "it is the same in every dialogue"}
    assert {each["label"] for each in found["cost"]} == {
        "quality",
        "warmth",
        "polite",
        "faults",
    }
    assert {each["of"] for each in found["sensitivity"]} == {1}


def test_a_study_whose_quality_is_a_comparison(home: Path) -> None:
    found = json.loads(run(home, "--quality", "preference", "--bootstrap", 50, "--json"))

    assert found["comparative"] is True
    assert found["predictive"][0]["n"] == 4
    (better,) = [each for each in found["sensitivity"] if each["label"] == "preference"]
    # Each of the four comparisons was won by the chatty one.
    assert better["pairs"][0]["difference"] == 1
    assert better["pairs"][0]["a"] == "chatty"
    assert better["pairs"][0]["p"] == pytest.approx(2 / 16)


def test_a_study_without_that_question(home: Path) -> None:
    assert "has no label 'warmt'. Near: 'warmth'" in fails(home, "--quality", "warmt")
    assert "no answers" in fails(home, "--quality", "quality", "--raters", "model")
