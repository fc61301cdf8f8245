"""`palaver score`: how far predictions are from the truth."""

import sys
from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import IN_FILE, JSON, OUT_FILE
from palaver.cli.output import print_json, table_lines, with_interval, without_interval
from palaver.core.estimates import Estimate
from palaver.core.words import UNDEFINED, counted, decimals
from palaver.evaluation.dialeval.baselines import BASELINES, ORACLES, TRAINED, Baseline, baseline
from palaver.evaluation.dialeval.checks import check_submission
from palaver.evaluation.dialeval.gold import CountedGold, read_gold
from palaver.evaluation.dialeval.predictions import Predictions, lay_out, read_predictions
from palaver.evaluation.dialeval.scoring import MEASURES, Scores, score
from palaver.evaluation.distribution_tables import DistributionScores, score_tables
from palaver.formats.frames import read_frame
from palaver.formats.json_files import write_array
from palaver.formats.submissions import TASKS, Entries, Task, listed
from palaver.metrics.distances import Level, distance_title
from palaver.metrics.nuggets import ALPHA
from palaver.reports.tables import csv_table

_FOOT = (
    "0 is the same distribution, 1 the most distant. Intervals: percentile bootstrap over {what}, which "
    "are treated as independent."
)


@click.group("score")
def command() -> None:
    """Score predictions against what people said."""


@command.command("dialeval")
@click.option("--gold", required=True, type=IN_FILE, help="A DCH-2 file with annotations.")
@click.option("--pred", type=IN_FILE, help="The submission: nugget, quality or both.")
@click.option(
    "--baseline",
    "baseline_name",
    type=click.Choice(BASELINES),
    help="Score this baseline instead of a submission.",
)
@click.option("--training", type=IN_FILE, help="A DCH-2 file for baselines that learn from one.")
@click.option(
    "--task", type=click.Choice(TASKS), help="Score one task only. Default: what is there."
)
@click.option(
    "--alpha",
    type=float,
    default=ALPHA,
    show_default=True,
    help="The weight of the customer's turns against the helpdesk's.",
)
@click.option("--check", is_flag=True, help="Only say whether the submission is valid.")
@click.option("--lenient", is_flag=True, help="Score what can be scored; say what was left out.")
@click.option("--neg-log2", is_flag=True, help="Print −log₂ of each mean, as DialEval-1 did.")
@click.option("--per-dialogue", type=OUT_FILE, metavar="CSV", help="Write every dialogue's scores.")
@options.output("Write the baseline as a submission file.", OUT_FILE, metavar="FILE")
@JSON
def dialeval(
    gold: Path,
    pred: Path | None,
    baseline_name: Baseline | None,
    training: Path | None,
    task: Task | None,
    alpha: float,
    check: bool,
    lenient: bool,
    neg_log2: bool,
    per_dialogue: Path | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Score a submission, or a baseline, on the DialEval tasks ND and DQ.

    ND: JSD and RNSS of the nuggets. DQ: RSNOD and NMD of accomplishment, satisfaction and
    effectiveness. All lie between 0 and 1, and lower is better.

    Against dialogues without annotations, or with --check, a submission is not scored: the command
    says whether it is valid, and its exit status is 1 if it is not.
    """
    _one_of(pred, baseline_name, training, output, check=check)
    truth = read_gold(gold)
    if pred is not None and (check or not truth.is_annotated):
        if per_dialogue is not None:
            raise click.UsageError("--per-dialogue writes scores; there are none to write.")
        _check(pred, truth, task, as_json=as_json)
        return
    if baseline_name is not None:
        predictions = _baseline(truth, baseline_name, training, task, output)
        if output is not None and not truth.is_annotated:
            click.echo(f"{gold.name} has no annotations, so the baseline was not scored.", err=True)
            return
    else:
        assert pred is not None
        predictions = read_predictions(pred.read_bytes(), truth, task=task, name=pred.name)
    if not lenient:
        predictions.raise_faults()
    scores = score(truth, predictions, alpha=alpha)
    if per_dialogue is not None:
        csv_table(scores.rows(), per_dialogue)
    if as_json:
        print_json(scores.as_json(neg_log2=neg_log2))
    else:
        click.echo(_scores_text(predictions.name, scores, neg_log2=neg_log2, alpha=alpha))
    _say_what_is_missing(predictions, scores)
    if baseline_name in ORACLES:
        click.echo(
            "Note: this baseline reads the gold data: it is an oracle, not a competitor.", err=True
        )


@command.command("distributions")
@click.option(
    "--gold", required=True, type=IN_FILE, help="What people said: CSV, Parquet or JSONL."
)
@click.option("--pred", required=True, type=IN_FILE, help="What was predicted, in the same shape.")
@click.option("--item", required=True, metavar="COL", help="The column that names the item.")
@click.option("--label", required=True, metavar="COL", help="The column that names the label.")
@click.option("--count", metavar="COL", help="How often, in --gold. Default: each row once.")
@click.option("--prob", metavar="COL", help="How likely, in --pred. Default: each row once.")
@click.option(
    "--level",
    required=True,
    type=click.Choice(["ordinal", "nominal"]),
    help="Whether the labels have an order.",
)
@click.option("--labels", metavar="A,B,…", help="Every label, in order. Default: those that occur.")
@click.option("--lenient", is_flag=True, help="Score the items that both tables have.")
@click.option("--per-item", type=OUT_FILE, metavar="CSV", help="Write every item's scores.")
@JSON
def distributions(
    gold: Path,
    pred: Path,
    item: str,
    label: str,
    count: str | None,
    prob: str | None,
    level: Level,
    labels: str | None,
    lenient: bool,
    per_item: Path | None,
    as_json: bool,
) -> None:
    """Score predicted distributions over any label set.

    Both tables are long: one row per item and label. Ordinal labels are scored by RSNOD and NMD,
    nominal ones by JSD and RNSS.
    """
    scores = score_tables(
        read_frame(gold, wanted=_columns(item, label, count)),
        read_frame(pred, wanted=_columns(item, label, prob)),
        item=item,
        label=label,
        level=level,
        count=count,
        prob=prob,
        labels=[each.strip() for each in labels.split(",")] if labels else None,
        lenient=lenient,
    )
    if per_item is not None:
        csv_table(scores.rows(), per_item)
    if as_json:
        print_json(scores)
    else:
        click.echo(_distributions_text(pred.name, scores))


def _check(pred: Path, gold: CountedGold, task: Task | None, *, as_json: bool) -> None:
    """Say whether a submission is valid; exit status 1 if it is not."""
    found = check_submission(pred.read_bytes(), gold, task=task, name=pred.name)
    if as_json:
        print_json(found)
    elif found.valid:
        tasks = found.track.upper().replace(",", " and")
        click.echo(f"{found.file}: valid, {counted(found.items, 'dialogue')}, {tasks}.")
        if not gold.is_annotated:
            click.echo(f"{gold.name} has no annotations, so nothing was scored.")
    else:
        click.echo(f"{found.file}: not valid, {counted(len(found.problems), 'problem')}")
        click.echo(listed(found.problems))
    if not found.valid:
        sys.exit(1)


def _one_of(
    pred: Path | None,
    baseline_name: str | None,
    training: Path | None,
    output: Path | None,
    *,
    check: bool,
) -> None:
    if (pred is None) == (baseline_name is None):
        raise click.UsageError("Give either --pred with a submission or --baseline with a name.")
    if output is not None and baseline_name is None:
        raise click.UsageError("--output writes a baseline; it needs --baseline.")
    if check and pred is None:
        raise click.UsageError("--check looks at a submission; give it with --pred.")
    if training is not None and baseline_name not in TRAINED:
        raise click.UsageError(f"--training is for the baselines {', '.join(sorted(TRAINED))}.")


def _baseline(
    gold: CountedGold, name: Baseline, training: Path | None, task: Task | None, output: Path | None
) -> Predictions:
    entries = baseline(name, gold, training=read_gold(training) if training else None)
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        with output.open("wb") as stream:
            write_array(entries, stream)
        click.echo(f"Wrote the baseline {name} for {len(entries)} dialogues: {output}", err=True)
    return lay_out(Entries(entries), gold, task=task, name=f"baseline {name}")


def _columns(*names: str | None) -> list[str]:
    return list(dict.fromkeys(name for name in names if name is not None))


def _say_what_is_missing(predictions: Predictions, scores: Scores) -> None:
    if predictions.faults:
        click.echo(
            f"Left out, or worth a look ({len(predictions.faults)}):\n{listed(predictions.faults)}",
            err=True,
        )
    if scores.undefined:
        click.echo(f"Undefined, and not in the means ({len(scores.undefined)}):", err=True)
        for id_, reason in list(scores.undefined.items())[:20]:
            click.echo(f"  dialogue '{id_}': {reason}", err=True)


def _scores_text(name: str, scores: Scores, *, neg_log2: bool, alpha: float) -> str:
    """The means of a submission as a table, with what they are made of."""
    lines = [f"{name}: {len(scores.ids)} dialogues"]
    lines[0] += f", {len(scores.missing)} missing" if scores.missing else ""
    lines[0] += f", {len(scores.undefined)} undefined" if scores.undefined else ""
    rows = [["task", "measure", with_interval("mean"), "n", *(["−log₂ mean"] if neg_log2 else [])]]
    for task in scores.tasks:
        for measure in MEASURES[task]:
            mean = scores.estimate(measure)
            row = [task.upper(), distance_title(measure), mean.written(), f"{mean.n:,}"]
            rows.append([*row, *([_neg_log2(scores, measure)] if neg_log2 else [])])
    lines += ["", *table_lines(rows), ""]
    found = {value: scores.estimate(value) for value in scores.values}
    lines += [*_reasons(found), *_without(found)]
    if "nd" in scores.tasks:
        lines.append(f"ND: {alpha:g} × customer's turns + {1 - alpha:g} × helpdesk's turns.")
    lines.append(_FOOT.format(what="dialogues"))
    lines += _warnings([scores.estimate(measure) for measure in scores.values])
    return "\n".join(lines)


def _distributions_text(name: str, scores: DistributionScores) -> str:
    """The means of predicted distributions as a table."""
    lines = [f"{name}: {len(scores.items)} items, {len(scores.labels)} {scores.level} labels"]
    lines[0] += f", {len(scores.missing)} missing" if scores.missing else ""
    lines[0] += f", {len(scores.unknown)} not in the gold table" if scores.unknown else ""
    lines[0] += f", {len(scores.undefined)} undefined" if scores.undefined else ""
    found = {value: scores.estimate(value) for value in scores.values}
    rows = [["measure", with_interval("mean"), "n"]]
    rows += [[distance_title(name), each.written(), f"{each.n:,}"] for name, each in found.items()]
    lines += ["", *table_lines(rows), "", *_reasons(found), *_without(found)]
    lines.append(_FOOT.format(what="items"))
    lines += [f"Warning: {warning}" for warning in scores.warnings]
    lines += _warnings([scores.estimate(measure) for measure in scores.values])
    return "\n".join(lines)


def _warnings(estimates: Sequence[Estimate]) -> list[str]:
    """What the estimates warn of, each sentence once."""
    found = dict.fromkeys(warning for estimate in estimates for warning in estimate.warnings)
    return [f"Warning: {warning}" for warning in found]


def _reasons(found: Mapping[str, Estimate]) -> list[str]:
    """Why some means are undefined."""
    return [
        f"{distance_title(name)} is {UNDEFINED}: {each.reason}."
        for name, each in found.items()
        if not each.is_defined
    ]


def _without(found: Mapping[str, Estimate]) -> list[str]:
    """Why some means have no interval."""
    return without_interval((distance_title(name), each) for name, each in found.items())


def _neg_log2(scores: Scores, measure: str) -> str:
    value = scores.mean(measure, neg_log2=True)
    return UNDEFINED if isnan(value) else decimals(value, 4)
