"""The page of one run: states and times, what it took, what can be done about it."""

from collections.abc import Iterable

from palaver.core.words import counted
from palaver.evaluation.runs.results import RunDetail
from palaver.storage.evaluation.jobs import Job
from palaver.storage.evaluation.runs import StoredRun
from palaver.web.desk.evaluation.items import seconds, sent_text
from palaver.web.desk.evaluation.pages import Attempt, LiveRun, RunAct
from palaver.web.desk.evaluation.parts import SentText
from palaver.web.desk.evaluation.run_scores import latency
from palaver.web.desk.evaluation.states import OVER, run_words
from palaver.web.desk.pages import Fact
from palaver.web.formatting import Moment, moment

# A start-up that is not worth telling, in seconds.
SHORT = 0.05


def live_run(run: StoredRun) -> LiveRun:
    """What of a run changes while one looks."""
    is_asked = run.state in ("waiting", "answering")
    done = run.answered + run.refused
    return LiveRun(
        state=run.state,
        words=run_words(run),
        reason=run.reason,
        done=done if is_asked and done else 0,
        of=run.items if is_asked and done else 0,
        is_over=run.state in OVER,
    )


def moments(run: StoredRun) -> tuple[tuple[str, Moment], ...]:
    """When it was planned, begun and over."""
    given = (("Planned", run.created), ("Begun", run.started), ("Over", run.finished))
    return tuple((name, moment(time)) for name, time in given if time is not None)


def facts(detail: RunDetail) -> tuple[Fact, ...]:
    """What a run took so far."""
    return tuple(Fact(name=name, value=value) for name, value in _facts(detail))


def _facts(detail: RunDetail) -> Iterable[tuple[str, str]]:
    listed = detail.result.listed
    run, times = listed.run, latency(detail.scores)
    yield "Versions", f"model {listed.model_number}, data set {listed.dataset_number}"
    yield "Answered", f"{run.answered:,} of {run.items:,}"
    if run.refused:
        yield "Refused", counted(run.refused, "answer")
    if run.busy_seconds > 0:
        rate = (run.answered + run.refused) / run.busy_seconds
        yield "Throughput", f"{rate:,.1f} answers/s over {_duration(run.busy_seconds)}"
    if run.start_seconds >= SHORT:
        yield "Start-up", f"{_duration(run.start_seconds)}, not counted in the throughput"
    if times:
        yield (
            "Latency",
            f"median {seconds(times['p50']) or '0 ms'}; "
            f"5 % took {seconds(times['p95']) or '0 ms'} or longer",
        )
    if run.memory:
        mean = sum(run.memory) / len(run.memory)
        yield "Memory", f"{mean:.2f} GiB on average, {max(run.memory):.2f} GiB at most"


def _duration(given: float) -> str:
    if given < 120:
        return f"{given:.1f} s"
    minutes, rest = divmod(round(given), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def attempts(detail: RunDetail) -> tuple[Attempt, ...]:
    """Every attempt that failed, oldest first."""
    jobs = {job.id: job for job in detail.jobs}
    return tuple(
        Attempt(
            what=_work(jobs[each.job_id]),
            number=each.attempt,
            reason=each.reason,
            time=moment(each.time),
        )
        for each in detail.failures
    )


def sent(detail: RunDetail) -> tuple[SentText, ...]:
    """What came in place of answers in the last attempts that failed."""
    found = (sent_text(job.raw) for job in detail.jobs)
    return tuple(each for each in found if each is not None)


def _work(job: Job) -> str:
    if job.kind == "answer":
        return "asking the model"
    return "comparing with variants" if job.key.count(":") > 1 else "scoring"


def acts(detail: RunDetail, address: str) -> tuple[RunAct, ...]:
    """What can be done about a run now."""
    run = detail.result.listed.run
    if run.state not in OVER:
        kept = f"Keeps its {counted(run.answered, 'answer')}" if run.answered else "Stops it"
        return (
            RunAct(
                label="Cancel",
                action=f"{address}/cancel",
                note=f"{kept}; it can go on later.",
                is_danger=True,
            ),
        )
    if any(job.state in ("dead", "cancelled") for job in detail.jobs):
        asked = run.items - run.answered
        note = (
            "Tries again what could not be measured."
            if run.state == "done"
            else f"Asks again only {counted(asked, 'item')} without a good answer."
            if asked
            else "Every item has its answer: it is scored again."
        )
        return (RunAct(label="Try again", action=f"{address}/retry", note=note),)
    return ()
