"""Raters in words: what each did, how the checks on them went, and their record."""

from statistics import median
from typing import Any
from urllib.parse import quote

from palaver.core.words import counted
from palaver.storage.efforts import Effort
from palaver.storage.exclusions import ExclusionNote
from palaver.storage.standings import BARRED, FAILED, LIFTED, PASSED, WARNED, Standing
from palaver.studies.rater_review import RaterOverview
from palaver.web.desk.pages import RaterStudyRow, RecordRow, StudyRaterRow
from palaver.web.formatting import clock, moment, percent

# Below this share of answers like the others', with at least so many compared, a row is marked.
LOW_SHARE, LEAST_COMPARED = 0.5, 10

STATES = {
    PASSED: "passed",
    FAILED: "failed",
    WARNED: "warned",
    BARRED: "barred",
    LIFTED: "lifted",
}
TONES = {PASSED: "good", FAILED: "error", BARRED: "error", WARNED: "warning"}
# How a table of raters can be sorted: by what, and whether the largest comes first.
SORTS: dict[str, tuple[str, Any]] = {
    "came": ("Rater", lambda each: each.rater_id),
    "labels": ("Labels", lambda each: -each.labels),
    "time": ("Time per label", lambda each: middle(each.label_seconds)),
    "agreement": ("Like most others", lambda each: 2.0 if each.share is None else each.share),
}


def middle(values: list[float]) -> float:
    """The median; infinite where there are no values, so that those come last."""
    return median(values) if values else float("inf")


def study_row(overview: RaterOverview, *, record: dict[str, str], root: str) -> StudyRaterRow:
    """A rater in the table of a study."""
    note = overview.note
    share = overview.share
    return StudyRaterRow(
        key=overview.rater,
        url=f"{root}/desk/raters/{quote(overview.rater)}",
        kind=overview.kind,
        labels=overview.labels,
        abstained=overview.abstained,
        label_time=label_time(overview),
        sheet_time=sheet_time(overview),
        agreement="–" if share is None else f"{percent(share)} (n = {overview.compared:,})",
        low=share is not None and share < LOW_SHARE and overview.compared >= LEAST_COMPARED,
        checks=check_words(overview),
        record=tuple(f"{name}: {STATES.get(state, state)}" for name, state in record.items()),
        excluded=overview.excluded,
        note="" if note is None else note_words(note),
        noted=None if note is None else moment(note.time),
    )


def rater_study_row(
    effort: Effort, *, title: str, name: str, excluded: bool, root: str
) -> RaterStudyRow:
    """What a rater did in one study."""
    return RaterStudyRow(
        title=title,
        url=f"{root}/desk/studies/{name}/raters",
        labels=effort.labels,
        sheets=effort.sheets,
        label_time=label_time(effort),
        sheet_time=sheet_time(effort),
        checks=check_words(effort),
        excluded=excluded,
    )


def record_rows(
    standings: list[Standing], notes: list[ExclusionNote], titles: dict[int, str]
) -> tuple[RecordRow, ...]:
    """A rater's record across studies, newest first: qualifications and exclusions."""
    entries = [
        RecordRow(
            what=entry.name,
            state=STATES.get(entry.state, entry.state),
            tone=TONES.get(entry.state, ""),
            study=titles.get(entry.study_id, "–"),
            reason=entry.reason,
            time=moment(entry.time),
        )
        for entry in standings
    ]
    entries += [
        RecordRow(
            what="labels",
            state="excluded" if note.excluded else "taken back in",
            tone="warning" if note.excluded else "good",
            study=titles.get(note.study_id, "–"),
            reason=f"by {note.account or 'nobody known'}"
            + (f": {note.reason}" if note.reason else ""),
            time=moment(note.time),
        )
        for note in notes
    ]
    return tuple(sorted(entries, key=lambda entry: entry.time.iso, reverse=True))


def note_words(note: ExclusionNote) -> str:
    """Who excluded a rater or took them back in, and why."""
    done = "excluded" if note.excluded else "taken back in"
    by = f" by {note.account}" if note.account else ""
    return f"{done}{by}" + (f": {note.reason}" if note.reason else "")


def label_time(effort: Effort) -> str:
    """The median time of a label, with n."""
    times = effort.label_seconds
    return f"{median(times):.1f} s (n = {len(times):,})" if times else "–"


def sheet_time(effort: Effort) -> str:
    """The median time of a sheet, with n."""
    times = effort.sheet_seconds
    return f"{clock(median(times))} (n = {len(times):,})" if times else "–"


def check_words(effort: Effort) -> tuple[str, ...]:
    """How practice, gold sheets and attention checks went, as far as there were any."""
    checks = []
    if effort.attempts:
        result = {True: "passed", False: "failed", None: "under way"}[effort.passed]
        tries = f" (attempt {effort.attempts})" if effort.attempts > 1 else ""
        checks.append(f"practice {result}{tries}")
    if effort.gold:
        mistakes = counted(effort.mistakes, "mistake")
        checks.append(f"{mistakes} on {counted(effort.gold, 'gold sheet')}")
    if effort.checks:
        checks.append(f"{effort.missed:,} of {counted(effort.checks, 'attention check')} missed")
    return tuple(checks)
