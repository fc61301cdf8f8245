"""Tables with next to nothing in them: no interval without a width, and a word on why there is none."""

import json
from pathlib import Path

import pytest

from support.made_home import run_palaver
from support.points import points_in, points_in_table

# Values of each system: what often comes out without any spread.
TINY = {
    "one": {"new": [4], "old": [3]},
    "two-alike": {"new": [4, 4], "old": [4, 4]},
    "three-alike": {"new": [0.7, 0.7, 0.7], "old": [0.1, 0.1, 0.1]},
    "none-of-52": {"new": [0] * 52, "old": [0] * 52},
    "two-of-two": {"new": [1, 1], "old": [1, 1]},
    "apart": {"new": [5] * 6, "old": [1] * 6},
}
NAMES = ("unit", "rater", "system", "item", "value")
READINGS = "--unit unit --rater rater --value value"
CALLS = [
    "compare tiny.csv --bootstrap 100",
    "compare tiny.csv --cluster item --bootstrap 100",
    f"agreement tiny.csv {READINGS} --level nominal --bootstrap 100",
    f"agreement tiny.csv {READINGS} --level interval --by system --bootstrap 100",
]


@pytest.fixture(autouse=True)
def _in_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str) -> Path:
    """A table in which two raters say the same of each item of each system."""
    rows = [
        (f"{system}-{n}", rater, system, f"i{n}", value)
        for system, values in TINY[name].items()
        for n, value in enumerate(values)
        for rater in ("r1", "r2")
    ]
    file = Path("tiny.csv")
    lines = [",".join(NAMES), *(",".join(map(str, row)) for row in rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("name", TINY)
@pytest.mark.parametrize("call", CALLS)
def test_no_interval_is_a_point(name: str, call: str) -> None:
    written(name)
    found = json.loads(run_palaver(*call.split(), "--json"))
    assert not list(points_in(found))


@pytest.mark.parametrize("name", ["one", "three-alike", "none-of-52"])
def test_no_table_of_a_report_has_a_point(name: str, tmp_path: Path) -> None:
    how = "-o report --level interval --bootstrap 100"
    run_palaver("report", written(name), *how.split(), *READINGS.split())
    tables = list((tmp_path / "report").glob("tables/*.csv"))
    assert tables
    assert not [each for file in tables for each in points_in_table(file)]


def test_distances_that_never_vary_are_bounded_or_say_why_not() -> None:
    shares = {"a": (1, 0), "b": (0, 1), "c": (1, 0)}
    rows = [
        f"{item},{label},{p}"
        for item, known in shares.items()
        for label, p in zip("xy", known, strict=True)
    ]
    Path("gold.csv").write_text("\n".join(["item,label,p", *rows]), encoding="utf-8")
    halves = [f"{item},{label},0.5" for item in shares for label in "xy"]
    Path("half.csv").write_text("\n".join(["item,label,p", *halves]), encoding="utf-8")
    call = "score distributions --item item --label label --count p --prob p --level nominal"
    right = json.loads(
        run_palaver(*call.split(), "--gold", "gold.csv", "--pred", "gold.csv", "--json")
    )
    assert right["jsd"]["interval"][1] == pytest.approx(0.5615, abs=1e-4)
    alike = run_palaver(*call.split(), "--gold", "gold.csv", "--pred", "half.csv")
    assert "JSD and RNSS: no interval, because all 3 values are the same." in alike
