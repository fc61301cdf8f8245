"""The commands that compute a report's numbers again, from the files in its folder."""

import shlex
from collections.abc import Sequence

from palaver.reports.report.subject import QuestionRatings, QuestionVotes, ReportSettings


def rank_command(votes: QuestionVotes, settings: ReportSettings, clusters: Sequence[str]) -> str:
    if votes.inference == "anytime":
        return _line("palaver", "rank", votes.file, *_clusters(clusters), "--anytime")
    planned = () if votes.planned is None else ("--planned", str(votes.planned))
    return _line("palaver", "rank", votes.file, *_clusters(clusters), *planned, *_drawing(settings))


def agreement_command(
    ratings: QuestionRatings,
    settings: ReportSettings,
    clusters: Sequence[str],
    order: Sequence[str],
) -> str:
    scale = ("--order", ",".join(order)) if order else ()
    columns = ("--unit", "unit", "--rater", "rater", "--value", "value", "--level", ratings.level)
    return _line(
        "palaver",
        "agreement",
        ratings.file,
        *columns,
        *_clusters(clusters),
        *scale,
        *_drawing(settings),
        "--pairwise",
    )


def compare_command(
    ratings: QuestionRatings, settings: ReportSettings, clusters: Sequence[str], *, rater: bool
) -> str:
    columns = ["--system", "system", "--value", "value", *(["--rater", "rater"] if rater else [])]
    return _line(
        "palaver", "compare", ratings.file, *columns, *_clusters(clusters), *_drawing(settings)
    )


def validity_command(settings: ReportSettings) -> str:
    quality = settings.quality or ""
    return _line(
        "palaver", "validity", "tables/labels.csv", "--quality", quality, *_drawing(settings)
    )


def _clusters(names: Sequence[str]) -> list[str]:
    return [word for name in names for word in ("--cluster", name)]


def _drawing(settings: ReportSettings) -> list[str]:
    return ["--bootstrap", str(settings.resamples), "--seed", str(settings.seed)]


def _line(*words: str) -> str:
    return shlex.join(words)
