"""In CI what needs a browser, a PostgreSQL, a pdflatex or a fault must run: a skip is a failure.

On somebody's own machine such a skip is fine and says why. The environment variable CI decides.
"""

import os
from collections.abc import Generator
from typing import Any

import pytest

MUST_RUN = ("browser", "faults", "latex", "postgres")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn the skip of a test that must run into a failure with the same reason."""
    report = yield
    must_run = any(item.get_closest_marker(mark) for mark in MUST_RUN)
    if report.skipped and must_run and not hasattr(report, "wasxfail"):
        _refuse(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a whole module that skips itself while it is imported."""
    report = yield
    if report.skipped and set(MUST_RUN) & set(collector.path.parts):
        _refuse(report)
    return report


def _refuse(report: Any) -> None:
    if not os.environ.get("CI"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    report.outcome = "failed"
    report.longrepr = f"This must run in CI and did not. {reason}"
