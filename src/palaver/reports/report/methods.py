"""The methods paragraph: what was done, in words, with the numbers filled in."""

import importlib.metadata
from collections.abc import Iterable

from palaver import __version__
from palaver.core.words import counted, listed
from palaver.reports.report.evidence import systems_of
from palaver.reports.report.parts import ReportPart
from palaver.reports.report.settings import ReportSettings
from palaver.reports.report.subject import Subject


def methods(
    subject: Subject, settings: ReportSettings, parts: Iterable[ReportPart]
) -> tuple[str, ...]:
    """Paragraphs that can go into a paper: the data, what was computed, and with what."""
    if subject.is_empty:
        return ("There are no answers yet, so nothing was computed.",)
    said = [part.methods for part in parts if part.methods]
    return (_data(subject), *dict.fromkeys(said), _software(settings))


def _data(subject: Subject) -> str:
    tables = subject.tables
    raters = {name for each in tables for name in each.frame.texts("rater") if name}
    dialogues = {
        name
        for each in subject.ratings
        if not each.is_choice
        for name in each.frame.texts("dialogue")
        if name
    }
    systems = list(dict.fromkeys(name for each in tables for name in systems_of(each)))
    ratings = sum(len(each.frame) for each in subject.ratings if not each.is_choice)
    votes = sum(len(each.frame) for each in subject.votes)
    what = [
        counted(votes, "pairwise vote") if votes else "",
        counted(ratings, "rating") if ratings else "",
    ]
    given = listed([each for each in what if each])
    by = f" by {counted(len(raters), _kind(subject))}" if raters else ""
    about = f" on {counted(len(dialogues), 'dialogue')}" if dialogues else ""
    of = f" of {counted(len(systems), 'system')} ({listed(systems)})" if systems else ""
    left = ""
    if subject.kind == "study":
        left = " Answers that were replaced by a later one, and those of excluded raters, do not count."
    return f"We analysed {given}{by}{about}{of}.{left}"


def _kind(subject: Subject) -> str:
    if subject.simulated or subject.raters == "simulated":
        return "simulated rater"
    return {"person": "person", "model": "model judge"}.get(subject.raters, "rater")


def _software(settings: ReportSettings) -> str:
    packages = listed([f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "scipy")])
    return (
        f"All numbers were computed with Palaver {__version__} ({packages}); every bootstrap has "
        f"{settings.resamples:,} draws and the seed {settings.seed}."
    )
