"""The scores of one run: each with n, interval and reason, by tag, and against variants."""

from collections.abc import Mapping, Sequence
from typing import Any

from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.scores import RunScore
from palaver.core.words import counted
from palaver.evaluation.scoring.running import MEMORY, THROUGHPUT
from palaver.web.desk.evaluation.matrix import dataset_url
from palaver.web.desk.evaluation.measures import Measure, Measures
from palaver.web.desk.evaluation.pages import (
    Comparison,
    ScoreRow,
    SortHead,
    TagRow,
    TagTable,
)
from palaver.web.formatting import with_query

# How many tags a page shows; the file has all of them.
MOST_TAGS = 500
SORTS = ("tag", "value", "n")

Tag = Mapping[str, Any]


def newest(scores: Sequence[RunScore]) -> dict[tuple[str, int], RunScore]:
    """Scores by metric and variant; of several versions of a metric the newest one."""
    return {(each.metric, each.variant_id): each for each in scores}


def score_rows(scores: Sequence[RunScore], measures: Measures) -> tuple[ScoreRow, ...]:
    """The scores of the run itself, the performance first; older versions of a metric too."""
    own = [each for each in scores if not each.variant_id]
    current = newest(own)
    order = [each.key for each in measures.ordered({each.metric for each in own})]
    ranked = sorted(own, key=lambda each: order.index(each.metric))
    return tuple(
        _score_row(each, measures.get(each.metric), is_old=current[each.metric, 0] is not each)
        for each in ranked
    )


def _score_row(score: RunScore, measure: Measure, *, is_old: bool) -> ScoreRow:
    notes = ["computed by an earlier version of the metric"] if is_old else []
    if score.value is None:
        notes.append(f"undefined: {score.reason}" if score.reason else "undefined")
    elif score.parts.get("no_interval"):
        notes.append(f"no interval: {score.parts['no_interval']}")
    if score.metric == MEMORY and score.value is not None and "most" in score.parts:
        notes.append(f"at most {measure.number(score.parts['most'])} {measure.unit}")
    notes += [str(each) for each in score.parts.get("warnings", ())]
    return ScoreRow(
        title=measure.title,
        key=score.metric,
        value=measure.said(score) if score.value is not None else "–",
        interval=measure.interval(score.low, score.high),
        n=score.n,
        note="; ".join(notes),
        is_defined=score.value is not None,
    )


def latency(scores: Sequence[RunScore]) -> Mapping[str, float]:
    """Mean, median and 95th percentile of what answers took; empty where it is not known."""
    found = newest(scores).get((THROUGHPUT, 0))
    times: Mapping[str, float] = found.parts.get("latency", {}) if found else {}
    return times


def tags_of(scores: Sequence[RunScore], measure: Measure) -> list[Tag]:
    """The performance on each tag, as the newest score has it."""
    found = newest(scores).get((measure.key, 0))
    return list(found.parts.get("perf_by_tag", ())) if found else []


def tag_table(
    scores: Sequence[RunScore],
    measure: Measure,
    *,
    sort: str,
    falling: bool,
    address: str,
    download_url: str,
) -> TagTable | None:
    """The performance by tag, sorted as asked; None where the data set has no tags."""
    tags = tags_of(scores, measure)
    if not tags:
        return None
    found = newest(scores)[measure.key, 0].parts.get("mean_of_tags", {})
    mean = ""
    if found.get("value") is not None:
        over = counted(found["tags"], "tag")
        mean = f"{measure.number(found['value'])} {measure.unit}".rstrip() + f" over {over}"
    ordered = _sorted(tags, sort, falling=falling)
    return TagTable(
        heads=_heads(measure, sort, falling=falling, address=address),
        rows=tuple(_tag_row(each, measure) for each in ordered[:MOST_TAGS]),
        total=len(tags),
        mean=mean,
        download_url=download_url,
    )


def chosen_sort(given: str | None, order: str | None) -> tuple[str, bool]:
    """What tags are sorted by, and whether the largest comes first."""
    sort = given if given in SORTS else "tag"
    return sort or "tag", order == "falling"


def _sorted(tags: list[Tag], sort: str, *, falling: bool) -> list[Tag]:
    """Tags in order; those that are undefined always come last."""
    if sort == "tag":
        return sorted(tags, key=lambda each: str(each["tag"]), reverse=falling)
    known = [each for each in tags if each[sort] is not None]
    missing = [each for each in tags if each[sort] is None]
    known.sort(key=lambda each: str(each["tag"]))
    known.sort(key=lambda each: float(each[sort]), reverse=falling)
    return known + missing


def _heads(measure: Measure, sort: str, *, falling: bool, address: str) -> tuple[SortHead, ...]:
    labels = {"tag": "Tag", "value": measure.title, "n": "Items"}
    heads = []
    for name, label in labels.items():
        is_sorted = name == sort
        # A second click turns the order; numbers begin with the largest.
        turned = not falling if is_sorted else name != "tag"
        order = ("descending" if falling else "ascending") if is_sorted else "none"
        url = with_query(address, sort=name, order="falling" if turned else None)
        heads.append(SortHead(label=label, url=f"{url}#tags", order=order, is_number=name != "tag"))
    return tuple(heads)


def _tag_row(tag: Tag, measure: Measure) -> TagRow:
    value = tag["value"]
    reason = str(tag.get("reason", "")) if value is None else ""
    if reason and tag.get("legacy") is not None:
        reason += f" (Dynabench showed {tag['legacy']:g})"
    return TagRow(
        tag=str(tag["tag"]),
        value="undefined" if value is None else f"{measure.number(value)} {measure.unit}".rstrip(),
        interval=measure.interval(tag.get("low"), tag.get("high")),
        n=int(tag["n"]),
        reason=reason,
    )


def comparisons(
    scores: Sequence[RunScore],
    measures: Measures,
    variants: Mapping[int, Dataset],
    *,
    dataset: str,
    address: str,
) -> tuple[Comparison, ...]:
    """Agreement with each perturbed set, with what was compared."""
    found = newest(scores)
    performance = measures.performance
    return tuple(
        _comparison(
            score,
            measures.get(kind),
            performance,
            beside=found.get((f"{kind}-{performance.key}", variant)),
            variant=variants.get(variant),
            dataset=dataset,
            address=address,
        )
        for (kind, variant), score in found.items()
        if variant and not kind.endswith(f"-{performance.key}")
    )


def _comparison(
    score: RunScore,
    measure: Measure,
    performance: Measure,
    *,
    beside: RunScore | None,
    variant: Dataset | None,
    dataset: str,
    address: str,
) -> Comparison:
    parts = score.parts
    name = variant.name if variant else "a perturbed set that is gone"
    originals = counted(parts.get("originals", 0), "item")
    compared = f"with the {originals} of {dataset} they were made from"
    if parts.get("originals_without_variants"):
        compared += f"; {counted(parts['originals_without_variants'], 'item')} without a variant"
    if parts.get("variants_without_original"):
        compared += f"; {counted(parts['variants_without_original'], 'variant')} without original"
    legacy = parts.get("legacy", {}).get(score.metric)
    return Comparison(
        title=measure.title,
        dataset=name,
        dataset_url=dataset_url(address, variant.name) if variant else "",
        value=measure.said(score),
        interval=measure.interval(score.low, score.high),
        note=score.reason if score.value is None else "",
        variants=counted(parts.get("variants", 0), "variant"),
        compared=compared,
        beside=f"{performance.title} on the variants: {performance.said(beside)}" if beside else "",
        legacy="" if legacy is None else f"{legacy:g}",
    )
