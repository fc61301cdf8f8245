"""What running a model took: throughput and memory of a run.

Start-up is apart: it is neither in the throughput nor in the latencies.
"""

from collections.abc import Sequence

from palaver.core.evaluation.models import UPLOADED
from palaver.core.evaluation.runs import Run
from palaver.core.numeric import np
from palaver.evaluation.scoring.intervals import additive
from palaver.evaluation.scoring.result import Scored
from palaver.metrics.sums import FORMS, mean_rows, time_rows

THROUGHPUT = "throughput"
MEMORY = "memory"
VERSION = "1"


def not_asked() -> tuple[Scored, Scored]:
    """Throughput and memory of predictions that were uploaded."""
    return (
        Scored.undefined(THROUGHPUT, VERSION, "the predictions were uploaded: no model was asked"),
        Scored.undefined(MEMORY, VERSION, "the predictions were uploaded: nothing ran here"),
    )


def throughput(run: Run, seconds: Sequence[float], *, kind: str) -> Scored:
    """Answers per second in which the model was being asked, with the latencies of its answers.

    answered / busy seconds. The interval draws latencies anew; each answer stands for as much of the
    busy time as its share of all latencies, so that calls in flight at once count as they did.
    """
    if kind == UPLOADED:
        return not_asked()[0]
    times = np.asarray(seconds, dtype=np.float64)
    if not len(times) or run.busy_seconds <= 0 or times.sum() <= 0:
        return Scored.undefined(THROUGHPUT, VERSION, "no time was measured", n=len(times))
    rows = time_rows(times, run.busy_seconds)
    found = additive(FORMS["throughput"], rows).estimate()
    middle, slow = np.quantile(times, [0.5, 0.95])
    value = found.value
    return Scored(
        metric=THROUGHPUT,
        version=VERSION,
        value=value,
        interval=found.interval,
        reason=found.reason,
        n=len(times),
        parts={
            "latency": {"mean": float(times.mean()), "p50": float(middle), "p95": float(slow)},
            "busy_seconds": run.busy_seconds,
            "start_seconds": run.start_seconds,
            "legacy": {"examples_per_second": round(value, 2)},
        },
        form="throughput",
        rows=rows,
    )


def memory(run: Run, *, kind: str) -> Scored:
    """The mean of what was sampled of the model's memory, in GiB; the interval is over samples."""
    if kind == UPLOADED:
        return not_asked()[1]
    if not run.memory:
        return Scored.undefined(MEMORY, VERSION, "the memory of this model cannot be measured here")
    found = additive(FORMS["mean"], mean_rows(run.memory)).estimate()
    value = found.value
    return Scored(
        metric=MEMORY,
        version=VERSION,
        value=value,
        interval=found.interval,
        reason=found.reason,
        n=len(run.memory),
        parts={"most": max(run.memory), "legacy": {"memory_utilization": round(value, 2)}},
    )
