"""What there is to tell of a study now: read from the store, decided by rules that others use as well.

An occasion lasts for as long as it is found here. Its words name the study's own numbers and nothing of
anybody who takes part: they go to mailboxes and to servers of others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.core.money import Money
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.studies.life import StudyLife
from palaver.core.studies.notices import Occasion
from palaver.core.words import counted, duration
from palaver.storage.recruiting.health import read_traffic
from palaver.storage.recruiting.payments import list_orders
from palaver.storage.recruiting.recruitments import list_recruitments
from palaver.studies.file.notify_terms import Notify
from palaver.studies.recruiting.money.budget import read_budget
from palaver.studies.recruiting.places.holding import FAILING_SECONDS, is_failing
from palaver.studies.review.progress import StudyProgress, find_progress
from palaver.studies.run.deployment import RunningStudy
from palaver.studies.run.life import read_life

HOUR = 3600.0
# Told when so much of the budget is spoken for, in percent.
NEARLY = 80
# The states of a recruitment in which people may come or are still to be paid for.
ON_OFFER = ("active", "publishing", "paused", "awaiting_review")


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyCondition:
    """All that decides what there is to tell of a study, read in one transaction."""

    study: RunningStudy
    notify: Notify
    progress: StudyProgress
    life: StudyLife
    recruitments: Sequence[Recruitment]
    now: float

    @property
    def running(self) -> list[Recruitment]:
        """The recruitments that bring people and are meant to."""
        return [
            each
            for each in self.recruitments
            if each.wanted == "running" and each.is_live and not each.is_trial
        ]


def occasions_of(
    connection: Connection,
    study: RunningStudy,
    notify: Notify,
    *,
    now: float,
    balance: Money | None = None,
) -> list[Occasion]:
    """What there is to tell of a study now; `balance` is what its panel says can be spent."""
    condition = StudyCondition(
        study=study,
        notify=notify,
        progress=find_progress(connection, study.definition),
        life=read_life(connection, study.id, study.definition, now=now),
        recruitments=list_recruitments(connection, study.id),
        now=now,
    )
    found = [
        *_finished(condition),
        *_failing(connection, condition),
        *_stuck(connection, condition),
        *_money(connection, condition),
        *_balance(condition, balance),
        *_payments(connection, condition),
    ]
    return [each for each in found if each.event in notify.of]


def study_path(study: RunningStudy) -> str:
    """The page of a study at the desk, below the server's address."""
    return f"/desk/studies/{study.name}"


def recruiting_path(study: RunningStudy) -> str:
    """The page of a study's recruiting at the desk, below the server's address."""
    return f"{study_path(study)}/recruiting"


def reported(study: RunningStudy, *, before: int, reports: int) -> Occasion:
    """That participants reported problems since they were told of last."""
    new = reports - before
    told = counted(new, "problem")
    words = f"Participants have reported {told}."
    if before:
        words = f"Participants have reported {counted(new, 'more problem')}, {reports:,} in all."
    return Occasion(
        event="problem",
        subject="reports",
        words=f"{words} They are on the study's page, with who wrote them.",
        path=study_path(study),
        number=reports,
    )


def _finished(at: StudyCondition) -> Iterator[Occasion]:
    if at.progress.stop is not None:
        words = "The study is decided: its rule says that there are enough votes."
    elif at.progress.complete:
        words = f"All that was wanted is done: {at.progress.state}."
    elif at.life.by_dates and at.life.state == "closed":
        words = f"The study has closed, as its dates say. {at.progress.state}.".replace("..", ".")
    else:
        return
    yield Occasion(event="finished", subject="study", words=words, path=study_path(at.study))


def _failing(connection: Connection, at: StudyCondition) -> Iterator[Occasion]:
    if is_failing(connection, at.study.id, now=at.now):
        words = (
            f"Of the conversations that began in the last {duration(FAILING_SECONDS)}, many ended "
            "because a system failed. People who come now lose their time."
        )
        yield Occasion(event="failing", subject="systems", words=words, path=study_path(at.study))


def _stuck(connection: Connection, at: StudyCondition) -> Iterator[Occasion]:
    goals = [goal for goal in at.progress.goals if goal.needed is not None and not goal.complete]
    if not goals or at.progress.stop is not None or not at.life.takes_people:
        return
    traffic = read_traffic(connection, at.study.id, now=at.now)
    if not at.running and not traffic.is_out:
        return
    published = [each.published for each in at.running if each.published is not None]
    moved = max(traffic.served, traffic.finished or 0.0, at.life.since or 0.0, *published)
    quiet = at.now - moved
    if quiet < at.notify.stuck_hours * HOUR:
        return
    words = (
        f"Nobody has finished in the last {at.notify.stuck_hours:g} hours, and people are still "
        f"wanted: {at.progress.state}."
    )
    yield Occasion(event="stuck", subject="quota", words=words, path=study_path(at.study))


def _money(connection: Connection, at: StudyCondition) -> Iterator[Occasion]:
    pay = at.study.definition.pay
    if pay is None or pay.budget is None:
        return
    budget = read_budget(connection, at.study.id, at.study.definition)
    assert budget.limit is not None, "the file names a budget"
    percent = 100 * budget.spoken_for // budget.limit if budget.limit else 100
    if percent < NEARLY:
        return
    reached = 100 if percent >= 100 else NEARLY
    spoken, limit = (
        Money(budget.spoken_for, budget.currency),
        Money(budget.limit, budget.currency),
    )
    words = f"{percent} % of the budget is spoken for: {spoken} of {limit}."
    if reached == 100:
        words += " No more places or bonuses can be paid for before it is raised."
    yield Occasion(
        event="money", subject=f"budget-{reached}", words=words, path=recruiting_path(at.study)
    )


def _balance(at: StudyCondition, balance: Money | None) -> Iterator[Occasion]:
    """That a panel has less to spend than what the places on offer there may cost."""
    on_offer = [each for each in at.running if each.state in ON_OFFER]
    if balance is None or not on_offer:
        return
    cost = sum(each.place_cost * each.places for each in on_offer)
    due = Money(cost, on_offer[0].currency)
    if due.currency != balance.currency or balance.minor >= due.minor:
        return
    words = f"The panel has {balance} to spend, and the places on offer may cost {due}. Top it up there."
    yield Occasion(event="money", subject="balance", words=words, path=recruiting_path(at.study))


def _payments(connection: Connection, at: StudyCondition) -> Iterator[Occasion]:
    path = recruiting_path(at.study)
    for each in at.recruitments:
        if each.trouble:
            # The panel's own words may name people: they are on the page alone.
            words = "Recruiting has met with trouble; what the panel said is on its page."
            yield Occasion(event="payment", subject=f"trouble-{each.key}", words=words, path=path)
        for order in list_orders(connection, each.id, states=["unknown"]):
            amount = Money(order.amount, order.currency)
            words = (
                f"A payment of {amount} was sent, and no answer came: nobody here knows whether it "
                "was paid. Look at the panel, and say on the page what you found."
            )
            yield Occasion(event="payment", subject=f"order-{order.key}", words=words, path=path)
