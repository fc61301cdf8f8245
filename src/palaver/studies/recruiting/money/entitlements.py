"""What people are to get on top of what the panel pays them, rule by rule, before anybody orders it.

- `waiting`: the minutes in the waiting room, as the study promises them;
- `work`: what a visit is owed for its work, where the panel does not pay it: a part of the steps, or
  all of them where the place was returned or timed out there;
- `points`: so much for each point earned in a game;
- `long_chat`: so much for each conversation with at least so many messages of one's own;
- `verified`, `fooling`, `judged`: what rounds of writing owe, once they are closed.

Each is for one thing (`subject`), under which it is intended once, however often it is computed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from palaver.core.evaluation.bonuses import RoundBonuses
from palaver.core.events import MESSAGE
from palaver.core.money import Money, rounded_money
from palaver.core.recruiting.submissions import KeptSubmission
from palaver.core.words import counted, decimals, duration
from palaver.storage.dialogues.dialogues import StoredDialogue
from palaver.storage.people.participants import Assignment
from palaver.storage.recruiting.payments import Intent
from palaver.studies.file.definition import Study
from palaver.studies.run.dues import owed
from palaver.studies.run.flow import own_seat

WAITING, WORK, POINTS, LONG_CHAT = "waiting", "work", "points", "long_chat"
BY_HAND, ADJUSTMENT = "by_hand", "adjustment"
# Of these the panel pays nothing; of others it pays, or it is still to be decided on.
UNPAID = frozenset({"returned", "timed_out"})


@dataclass(frozen=True, slots=True)
class Earner:
    """Somebody with a submission there and a visit here, and the conversations that it held."""

    submission: KeptSubmission
    visit: Assignment
    dialogues: Sequence[StoredDialogue] = ()


def entitlements(
    study: Study, earners: Iterable[Earner], *, rounds: Sequence[RoundBonuses] = ()
) -> list[Intent]:
    """Every payment on top that the study's rules give to these people."""
    if study.pay is None:
        return []
    people = [each for each in earners if each.submission.panel_id is not None]
    found: list[Intent] = []
    for earner in people:
        found += _dues(study, earner)
        found += _by_rules(study, earner)
    found += _of_rounds(rounds, {each.visit.alias: each for each in people})
    return [each for each in found if each.amount > 0]


def _dues(study: Study, earner: Earner) -> Iterator[Intent]:
    pay, visit = study.pay, earner.visit
    assert pay is not None
    if pay.bonuses is not None and not pay.bonuses.dues:
        return
    due = owed(pay, state=visit.state, reason=visit.reason, waited=visit.waited)
    if due is None or earner.submission.state == "rejected":
        return
    waiting = rounded_money(due.waiting, due.currency)
    yield Intent(
        submission_id=earner.submission.id,
        rule=WAITING,
        subject=visit.key,
        amount=waiting.minor,
        words=f"for {duration(visit.waited)} of waiting",
    )
    work = rounded_money(due.amount, due.currency) - waiting
    is_unpaid = earner.submission.state in UNPAID and not earner.submission.is_being_paid
    yield Intent(
        submission_id=earner.submission.id,
        rule=WORK,
        subject=visit.key,
        amount=work.minor if is_unpaid else 0,
        words="for the work done here, which the panel does not pay",
    )


def _by_rules(study: Study, earner: Earner) -> Iterator[Intent]:
    pay = study.pay
    assert pay is not None
    rules = pay.bonuses
    if rules is None or earner.submission.state == "rejected":
        return
    if rules.point is not None:
        points = sum((_points(each, earner.visit) for each in earner.dialogues), Decimal(0))
        amount = rounded_money(points * Decimal(str(rules.point)), pay.currency)
        yield Intent(
            submission_id=earner.submission.id,
            rule=POINTS,
            subject=earner.visit.key,
            amount=max(0, amount.minor),
            words=f"for {decimals(float(points), 2).rstrip('0').rstrip('.')} points",
        )
    if rules.long_chat is not None:
        long = [
            each
            for each in earner.dialogues
            if each.dialogue.is_over and _messages(each, earner.visit) >= rules.long_chat.messages
        ]
        each_one = rounded_money(rules.long_chat.amount, pay.currency)
        yield Intent(
            submission_id=earner.submission.id,
            rule=LONG_CHAT,
            subject=earner.visit.key,
            amount=(each_one * len(long)).minor,
            words=f"for {counted(len(long), 'long conversation')}",
        )


def _points(stored: StoredDialogue, visit: Assignment) -> Decimal:
    """What the person earned in a conversation that has ended."""
    rewards = stored.dialogue.outcome.get("reward") if stored.dialogue.is_over else None
    seat = own_seat(stored, visit.id)
    if not isinstance(rewards, list | tuple) or seat >= len(rewards):
        return Decimal(0)
    return Decimal(str(rewards[seat] or 0))


def _messages(stored: StoredDialogue, visit: Assignment) -> int:
    seat = own_seat(stored, visit.id)
    return sum(
        event.action == MESSAGE and event.seat == seat and event.data is not None
        for event in stored.dialogue.events
    )


def _of_rounds(rounds: Sequence[RoundBonuses], by_alias: Mapping[str, Earner]) -> Iterator[Intent]:
    for each in rounds:
        for bonus in each.bonuses:
            earner = by_alias.get(bonus.person)
            if earner is None:
                continue
            yield Intent(
                submission_id=earner.submission.id,
                rule="round",
                subject=f"{each.task}/{each.round}/{bonus.person}",
                amount=Money(bonus.minor, bonus.currency).minor if bonus.currency else 0,
                words=f"for {counted(bonus.n, 'thing')} in round {each.round} of {each.task}",
            )
