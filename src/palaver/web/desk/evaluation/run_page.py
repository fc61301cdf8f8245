"""The page of one run: states and times, what it took, what can be done about it."""

from collections.abc import Iterable

from palaver.core.evaluation.runs import Job, Run, RunSheet
from palaver.core.words import counted
from palaver.web.desk.evaluation.items import seconds, sent_text
from palaver.web.desk.evaluation.pages import Attempt, LiveRun, RunAct
from palaver.web.desk.evaluation.parts import SentText
from palaver.web.desk.evaluation.run_scores import latency
from palaver.web.desk.evaluation.states import run_words
from palaver.web.desk.pages import Fact
from palaver.web.formatting import Moment, moment

# A start-up that is not worth telling, in seconds.
SHORT = 0.05


def live_run(run: Run) -> LiveRun:
    """What of a run changes while one looks."""
    is_asked = run.state in ("waiting", "answering")
    done = run.answered + run.refused
    return LiveRun(
        state=run.state,
        words=run_words(run),
        reason=run.reason,
        done=done if is_asked and done else 0,
        of=run.items if is_asked and done else 0,
        is_over=run.is_over,
    )


def moments(run: Run) -> tuple[tuple[str, Moment], ...]:
    """When it was planned, begun and over."""
    given = (("Planned", run.created), ("Begun", run.started), ("Over", run.finished))
    return tuple((name, moment(time)) for name, time in given if time is not None)


def facts(run: RunSheet) -> tuple[Fact, ...]:
    """What a run took so far."""
    return tuple(Fact(name=name, value=value) for name, value in _facts(run))


def _facts(run: RunSheet) -> Iterable[tuple[str, str]]:
    times = latency(run.scores)
    yield "Versions", f"model {run.model_version}, data set {run.dataset_version}"
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


def attempts(run: RunSheet) -> tuple[Attempt, ...]:
    """Every attempt that failed, oldest first."""
    jobs = {job.key: job for job in run.jobs}
    return tuple(
        Attempt(
            what=_work(jobs[each.job]),
            number=each.attempt,
            reason=each.reason,
            time=moment(each.time),
        )
        for each in run.failures
    )


def sent(run: RunSheet) -> tuple[SentText, ...]:
    """What came in place of answers in the last attempts that failed."""
    found = (sent_text(job.raw) for job in run.jobs)
    return tuple(each for each in found if each is not None)


def _work(job: Job) -> str:
    if job.kind == "answer":
        return "asking the model"
    return "comparing with variants" if job.key.count(":") > 1 else "scoring"


def acts(run: RunSheet, address: str) -> tuple[RunAct, ...]:
    """What can be done about a run now."""
    if not run.is_over:
        kept = f"Keeps its {counted(run.answered, 'answer')}" if run.answered else "Stops it"
        return (
            RunAct(
                label="Cancel",
                action=f"{address}/cancel",
                note=f"{kept}; it can go on later.",
                is_danger=True,
            ),
        )
    if run.may_retry:
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
