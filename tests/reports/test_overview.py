"""The overview: every question by system, once for the report and for the desk."""

import random

from palaver.reports.report.contents import report_of
from palaver.reports.report.overview import OVERVIEW, SHARE, WIN_RATE
from palaver.reports.report.subject import Subject
from reports.test_headline import SETTINGS, behaviours, duel, likert, rated, share, votes


def test_panels_are_by_what_is_measured_and_hold_every_question() -> None:
    subject = Subject(
        title="t",
        kind="study",
        name="n",
        votes=(votes(duel("a", "b", 30, 20)),),
        ratings=(
            rated("quality", {"a": likert(3, 20, 1), "b": likert(3, 20, 2)}),
            *behaviours(rude=(0.1, 0.2), dull=(0.4, 0.2)),
        ),
    )
    report = report_of(subject, SETTINGS)
    panels = {panel.title: panel for panel in report.overview.panels}
    assert list(panels) == [WIN_RATE, "Mean of quality", SHARE]
    assert [row.part.title for row in panels[SHARE].rows] == [
        "behaviours: rude",
        "behaviours: dull",
    ]
    rude = panels[SHARE].rows[0].systems["a"]
    assert (rude.value, rude.n) == (0.1, 60)
    assert rude.interval is not None
    assert rude.interval.low < 0.1 < rude.interval.high
    assert (panels[WIN_RATE].reference, panels[WIN_RATE].is_percent) == (0.5, True)
    part = report.parts[0]
    assert part.anchor == OVERVIEW
    assert [figure.name for figure in part.figures] == ["overview-1", "overview-2", "overview-3"]
    # One row per question and system.
    assert len(part.tables[0].rows) == 8


def test_forty_systems_and_twenty_five_labels_stay_an_overview() -> None:
    dice = random.Random(3)
    names = [f"s{n:02}" for n in range(40)]
    tables = [
        rated(
            f"behaviours: l{n:02}",
            {name: share(dice.choice((0.0, 0.5, 1.0)), 2) for name in names},
            presence=True,
        )
        for n in range(3)
    ]
    report = report_of(Subject(title="t", kind="study", name="n", ratings=tuple(tables)), SETTINGS)
    (figure,) = report.parts[0].figures
    # A band of thin lines for each label, not a lane of its own for each of forty systems.
    assert figure.spec["height"] < 3 * 200
    assert len(report.overview.systems) == 40


def test_without_systems_there_is_no_overview() -> None:
    report = report_of(Subject(title="t", kind="study", name="n"), SETTINGS)
    assert report.overview.panels == ()
    assert [part.anchor for part in report.parts] == ["empty"]
