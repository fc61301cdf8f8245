"""The results as text: a table for the terminal, and the part of `docs/coverage.md` between marks."""

from collections.abc import Sequence
from pathlib import Path

from coverage_study.design import RESAMPLES
from coverage_study.simulating import Coverage
from palaver.core.words import percent

PAGE = Path(__file__).resolve().parents[1] / "docs" / "coverage.md"
BEGIN, END = "<!-- results: written by the tool -->", "<!-- end of results -->"
HEAD = ("procedure", "setting", "coverage", "Monte-Carlo", "mean width", "warned", "verdict")


def line(found: Coverage) -> str:
    """One result for the terminal."""
    return (
        f"{found.point.name:<86} {_share(found)} [{_ends(found)}]  {found.verdict}"
        f"  ({found.counts.seconds:.0f} s)"
    )


def write(results: Sequence[Coverage], page: Path = PAGE) -> None:
    """Replace what stands between the marks of the page."""
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n\n{tables(results)}\n{END}{after}", encoding="utf-8")


def tables(results: Sequence[Coverage]) -> str:
    """The two tables: where an interval promises to hold, and where it is known that it may not."""
    simulations = min(found.counts.simulations for found in results)
    promised = [found for found in results if found.point.promise != "short"]
    short = [found for found in results if found.point.promise == "short"]
    said = (
        f"At least {simulations:,} simulations for each row, intervals at 95 %, "
        f"{RESAMPLES:,} draws for each bootstrap, half of that for rankings."
    )
    return "\n".join(
        [
            said,
            "",
            "### Where an interval should hold",
            "",
            *_table(promised),
            "",
            "### Small samples, rare labels, ignored clusters",
            "",
            *_table(short),
            "",
        ]
    )


def _table(results: Sequence[Coverage]) -> list[str]:
    rows = [HEAD, ("---", "---", "---:", "---", "---:", "---:", "---")]
    rows += [
        (
            found.point.procedure,
            found.point.setting,
            _share(found),
            _ends(found),
            f"{found.width:.3g}",
            percent(found.warned, 0),
            _verdict(found),
        )
        for found in results
    ]
    return ["| " + " | ".join(row) + " |" for row in rows]


def _verdict(found: Coverage) -> str:
    without = found.counts.without
    note = (
        f"; {percent(without / found.counts.simulations, 1)} without an interval" if without else ""
    )
    least = " (at least 95 % promised)" if found.point.promise == "conservative" else ""
    return f"{found.verdict}{least}{note}"


def _share(found: Coverage) -> str:
    return f"{100 * found.share:.1f} %"


def _ends(found: Coverage) -> str:
    ends = found.monte_carlo
    return f"{100 * ends.low:.1f}–{100 * ends.high:.1f}" if ends else "–"
