"""What docs/agreement.md shows is what the command and the package do."""

from pathlib import Path

from click.testing import CliRunner

from palaver.analysis.agreement import CLOSENESS, LEVELS, measure
from palaver.cli.statistics.agreement_command import command
from support.raters import FOUR_OBSERVERS, judged, read

from .reading import CODE, FENCE, page, rows, section

PAGE = page("agreement.md")
FENCED = FENCE.findall(PAGE)
# The first of each kind; a second console shows a judge beside people.
SHOWN = dict(reversed(FENCED))
JUDGED = [shown for kind, shown in FENCED if kind == "console"][1]


def test_the_example_is_what_the_command_prints(tmp_path: Path) -> None:
    said = sorted(read(FOUR_OBSERVERS), key=lambda each: each.unit)
    lines = [f"{each.unit},{'ABCD'[int(each.rater[-1])]},{each.value}" for each in said]
    table = "\n".join(["turn,worker,quality", *lines]) + "\n"
    assert table.startswith(SHOWN["text"])
    (tmp_path / "ratings.csv").write_text(table)
    asked, _, expected = SHOWN["console"].partition("\n")
    arguments = asked.split()[4:]

    found = CliRunner().invoke(command, [str(tmp_path / "ratings.csv"), *arguments])

    assert found.stdout.startswith(expected)
    assert "Warning: There are only 11 units" in found.stdout


def test_the_example_of_a_judge_is_what_the_command_prints(tmp_path: Path) -> None:
    """Made up, with rules that differ a little: every so many turns somebody gives a label."""
    every = {
        "rude": {"gpt": (4, 9), "Ann": (4, 15), "Bo": (4, 11)},
        "dull": {"gpt": (3, 3), "Ann": (6, 5), "Bo": (6, 7)},
    }
    lines = [
        f"t{turn},d{turn // 3},{who},{label},{int(turn % one == 0 or turn % other == 0)}"
        for label, raters in every.items()
        for who, (one, other) in raters.items()
        for turn in range(1, 121)
    ]
    table = "\n".join(["turn,dialogue,who,label,said", *lines]) + "\n"
    (tmp_path / "said.csv").write_text(table)
    asked, _, expected = JUDGED.partition("\n")
    arguments = asked.split()[4:]

    found = CliRunner().invoke(command, [str(tmp_path / "said.csv"), *arguments])

    assert found.stdout.startswith(expected)


def test_the_python_example_runs() -> None:
    exec(SHOWN["python"], {})


def test_every_level_weight_and_coefficient_is_described() -> None:
    assert set(rows(section(PAGE, "The level decides"))) == set(LEVELS)
    coefficients = set(CODE.findall(section(PAGE, "The coefficients")))
    assert set(CLOSENESS) <= coefficients
    matrix = [[1, 2], [2, 2], [3, 3]]
    for level in ("nominal", "ordinal"):
        found = measure(judged(matrix), level=level, resamples=0)
        assert set(found.estimates()) <= coefficients
        assert all(form in PAGE for form in found.icc.forms)
