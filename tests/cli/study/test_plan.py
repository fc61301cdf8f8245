"""`palaver plan`: from assumptions, from a pilot, and what cannot be planned."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from palaver.cli.study.plan_command import command
from palaver.core.errors import PalaverError

QUICK = ("--simulations", 20, "--most", 400)


def run(*arguments: object) -> str:
    done = CliRunner().invoke(command, [str(each) for each in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def document(*arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, *QUICK, "--json"))
    return found


def fails(*arguments: object) -> str:
    with pytest.raises(PalaverError) as problem:
        run(*arguments, *QUICK)
    return str(problem.value)


def write(path: Path, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream)
        table.writerow(columns)
        table.writerows(rows)
    return path


def ratings(path: Path, *, binary: bool = False, seed: int = 1) -> Path:
    """Sixty units, each judged by three of twelve raters."""
    dice = np.random.default_rng(seed)
    high, rows = dice.normal(size=12), []
    for u in range(60):
        item = 0.5 * dice.normal()
        for r in dice.choice(12, 3, replace=False):
            value = 3 + item + 0.4 * high[r] + 0.8 * dice.normal()
            rows.append((f"u{u}", f"r{r}", int(value > 3) if binary else round(value, 2), 90))
    return write(path, ("unit", "rater", "value", "seconds"), rows)


def test_votes_from_assumptions() -> None:
    found = document("--difference", 0.2, "--power", 0.8, "--raters", 20, "--pay", 12)

    assert found["raters"] == 20
    assert found["votes"] == found["dialogues"] > 20
    low, high = found["power_interval"]
    assert low < found["power"] < high
    assert found["power"] >= 0.8
    assert found["hours"] == pytest.approx(found["votes"] * 2 / 60)
    assert found["cost"] == pytest.approx(found["hours"] * 12)
    assert found["assumptions"]["outcome"] == "votes"
    assert found["assumptions"]["pilot"] is None
    sizes = [point["dialogues"] for point in found["curve"]]
    assert found["dialogues"] in sizes
    assert sizes == sorted(sizes)
    assert "Bradley–Terry" in found["method"]


def test_without_pay_there_is_no_cost() -> None:
    found = document("--difference", 0.8, "--raters", 20, "--outcome", "rating")
    assert found["cost"] is None
    assert found["hours"] > 0


def test_in_words() -> None:
    options = ("--outcome", "rating", "--per-dialogue", 2, "--cluster", "dialogue", "--pay", 10)
    said = run("--difference", 0.8, "--raters", 4, *options, "--item-sd", 0.6, *QUICK)

    assert "each judged by 2 raters" in said
    assert "at 10 an hour" in said
    assert "mean ratings differ by this many points" in said
    assert re.search(r"deviation between dialogues +0\.6  given\n", said)
    assert re.search(r"power +\d+\.\d % \[\d+\.\d %, \d+\.\d %\]\n", said)
    assert (
        "Warning: An analysis clustered by dialogue alone is about the difference that these"
        in said
    )


def test_a_pilot_of_ratings(tmp_path: Path) -> None:
    pilot = ratings(tmp_path / "pilot.csv")
    found = document("--difference", 0.8, "--raters", 20, "--pilot", pilot)

    assumed = found["assumptions"]
    assert assumed["outcome"] == "rating"
    assert assumed["residual_sd"] == pytest.approx(0.8, abs=0.15)
    assert assumed["item_sd"] == pytest.approx(0.5, abs=0.25)
    assert assumed["minutes"] == pytest.approx(1.5)
    assert assumed["pilot"] == str(pilot)
    said = run("--difference", 0.8, "--raters", 20, "--pilot", pilot, *QUICK)
    assert re.search(r"deviation between dialogues +\S+  the pilot\n", said)


def test_a_pilot_by_dialogue(tmp_path: Path) -> None:
    pilot = ratings(tmp_path / "pilot.csv")
    renamed = tmp_path / "dialogues.csv"
    renamed.write_text(pilot.read_text(encoding="utf-8").replace("unit,", "dialogue,", 1))
    options = ("--difference", 0.8, "--raters", 20, "--pilot")
    one, other = document(*options, pilot), document(*options, renamed)
    assert one["dialogues"] == other["dialogues"]
    assert "has no column 'units'" in fails(*options, pilot, "--unit", "units")


def test_what_is_stated_stands_above_the_pilot(tmp_path: Path) -> None:
    pilot = ratings(tmp_path / "pilot.csv")
    options = ("--raters", 20, "--pilot", pilot, "--rater-sd", 0.1, "--sd", 1, "--icc", 0.5)
    assumed = document("--difference", 0.9, *options)["assumptions"]

    assert assumed["rater_sd"] == 0.1
    assert assumed["item_sd"] == pytest.approx(0.5**0.5)


def test_a_pilot_of_labels(tmp_path: Path) -> None:
    pilot = ratings(tmp_path / "pilot.csv", binary=True)
    found = document("--difference", 0.3, "--raters", 20, "--pilot", pilot)

    assert found["assumptions"]["outcome"] == "proportion"
    assert 0.2 < found["assumptions"]["base"] < 0.5


def test_a_pilot_of_votes(tmp_path: Path) -> None:
    dice = np.random.default_rng(3)
    tastes = 1.0 * dice.normal(size=60)
    rows = []
    for r in range(60):
        for n in range(30):
            first = bool(dice.random() < 1 / (1 + np.exp(-tastes[r])))
            winner = (
                "tie" if dice.random() < 0.2 else ("model_a" if first != bool(n % 2) else "model_b")
            )
            rows.append((*(("x", "y") if n % 2 == 0 else ("y", "x")), winner, f"r{r}"))
    pilot = write(tmp_path / "pilot.csv", ("model_a", "model_b", "winner", "rater"), rows)
    found = document("--difference", 0.3, "--raters", 30, "--pilot", pilot)

    assumed = found["assumptions"]
    assert assumed["outcome"] == "votes"
    assert assumed["ties"] == pytest.approx(0.2, abs=0.04)
    # The straight line through the curve of log-odds takes off a little.
    assert assumed["rater_sd"] == pytest.approx(1.0, abs=0.35)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--difference", 0, "--raters", 9), "A difference to look for is above 0"),
        (("--difference", 0.1, "--raters", 0), "one rater or more"),
        (("--difference", 0.1, "--raters", 9, "--power", 1), "A power must be between 0 and 1"),
        (("--difference", 0.1, "--raters", 9, "--systems", 1), "two systems or more"),
        (("--difference", 0.1, "--raters", 9, "--rater-sd", -1), "a number of 0 or more"),
        (("--difference", 0.1, "--raters", 9, "--pay", -1), "hourly pay"),
    ],
)
def test_bad_plans(options: tuple[object, ...], problem: str) -> None:
    assert problem in fails(*options)


@pytest.mark.parametrize(
    ("rows", "options", "problem"),
    [
        ([("a", "x", 1), ("b", "x", 2)], (), "two raters or more"),
        ([], (), "has no rows"),
        ([("a", "x", 1), ("a", "x", 2), ("b", "y", 2)], (), "two values of rater 'x'"),
        ([("a", "x", "good")], (), "finite numbers"),
        ([("a", "", 1)], (), "the column 'rater' is empty"),
        ([("a", "x", 3), ("b", "y", 1)], ("--outcome", "proportion"), "0 and 1 only"),
        ([("a", "x", 3)], ("--outcome", "votes"), "has no column 'winner'"),
    ],
)
def test_bad_pilots(
    tmp_path: Path, rows: list[tuple[Any, ...]], options: tuple[str, ...], problem: str
) -> None:
    pilot = write(tmp_path / "pilot.csv", ("unit", "rater", "value"), rows)
    assert problem in fails("--difference", 0.4, "--raters", 9, "--pilot", pilot, *options)


def test_out_of_reach_says_so() -> None:
    said = run(
        *("--difference", 0.1, "--raters", 10, "--outcome", "rating", "--taste-sd", 2),
        *("--simulations", 20, "--most", 200),
    )
    assert said.startswith("No plan: with 10 raters the power does not reach 0.8")


def test_a_study_that_stops_by_a_rule() -> None:
    asked = ("--difference", 0.3, "--raters", 30, "--pay", 12, "--sequential")
    found = document(*asked, "--at-most", 300)
    assert found["rule"] == {"until": "order", "within": 0.05, "at_most": 300}
    better, equal = found["better"], found["equal"]
    assert better["right"] >= 0.9
    assert better["mean"] < equal["mean"] <= 300
    assert better["median"] <= better["nine_in_ten"]
    assert better["cost"] == pytest.approx(better["mean"] * 2 / 60 * 12)
    for course in (better, equal):
        assert course["right"] + course["wrong"] + course["nothing"] == pytest.approx(1)
    said = run(*asked, "--until", "leader", *QUICK)
    assert said.startswith("Stop when the leader is decided or every open pair is within ±5 points")
    assert "one better by 30 points" in said
    assert "a rating" in fails(
        "--difference", 1, "--raters", 9, "--outcome", "rating", "--sequential"
    )
    assert "below 50 points" in fails(*asked, "--within", 60)
