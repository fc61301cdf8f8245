"""What to tell of what is found: each occasion once for as long as it lasts, to everybody named.

What was told is asked of the store alone, so that a restart tells nothing twice, and the study is held
while it is decided: of two processes that notice the same, one writes and the other finds it written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.core.studies.notices import TITLES, NoticeEvent, Occasion
from palaver.storage.outbox.letters import enqueue_mail
from palaver.storage.outbox.notices import (
    ToldOccasion,
    add_notice,
    count_reports,
    latest_occasions,
    mark_over,
)
from palaver.storage.studies.studies import hold_study
from palaver.studies.file.notify_terms import Notify
from palaver.studies.notices.occasions import reported
from palaver.studies.run.deployment import RunningStudy

# What passes and comes back sooner than this is the same occasion: a limit that is met again and
# again is told once.
AGAIN_SECONDS = 3600.0
# Reports of problems are told together, and at most so often.
REPORTS_SECONDS = 600.0

Told = Mapping[tuple[NoticeEvent, str], ToldOccasion]


@dataclass(frozen=True, slots=True)
class Changes:
    """What has begun, with its number, and what was told earlier and has passed or goes on."""

    begun: tuple[tuple[Occasion, int], ...] = ()
    goes_on: tuple[tuple[NoticeEvent, str, int], ...] = ()
    passed: tuple[tuple[NoticeEvent, str, int], ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.begun or self.goes_on or self.passed)


def changes_of(found: Sequence[Occasion], told: Told, *, now: float) -> Changes:
    """What is new in what was found, after what was told before."""
    begun: list[tuple[Occasion, int]] = []
    goes_on: list[tuple[NoticeEvent, str, int]] = []
    for each in found:
        before = told.get((each.event, each.subject))
        if each.number is not None:
            begun.append((each, each.number))
        elif before is None:
            begun.append((each, 1))
        elif before.over is None:
            continue
        elif now - before.over < AGAIN_SECONDS:
            goes_on.append((each.event, each.subject, before.number))
        else:
            begun.append((each, before.number + 1))
    lasting = {(each.event, each.subject) for each in found}
    passed = tuple(
        (event, subject, before.number)
        for (event, subject), before in told.items()
        if before.over is None and (event, subject) not in lasting
    )
    return Changes(tuple(begun), tuple(goes_on), passed)


def new_reports(
    connection: Connection, study: RunningStudy, notify: Notify, told: Told, *, now: float
) -> list[Occasion]:
    """The problems that were reported since they were told of last, once it is time for it."""
    if "problem" not in notify.of:
        return []
    last = told.get(("problem", "reports"))
    if last is not None and now - last.created < REPORTS_SECONDS:
        return []
    before, reports = (0 if last is None else last.number), count_reports(connection, study.id)
    return [] if reports <= before else [reported(study, before=before, reports=reports)]


def tell(
    connection: Connection,
    study: RunningStudy,
    notify: Notify,
    found: Sequence[Occasion],
    *,
    base: str,
    now: float,
) -> int:
    """Write what is new to everybody named; how many notices were written.

    Letters go into the outbox in the same transaction; `base` is the server's address.
    """
    hold_study(connection, study.id)
    told = latest_occasions(connection, study.id)
    every = [*found, *new_reports(connection, study, notify, told, now=now)]
    changes = changes_of(every, told, now=now)
    for event, subject, number in changes.passed:
        mark_over(connection, study.id, event, subject, number, at=now)
    for event, subject, number in changes.goes_on:
        mark_over(connection, study.id, event, subject, number, at=None)
    written = 0
    for occasion, number in changes.begun:
        written += _write(connection, study, notify, occasion, number, base=base, now=now)
    return written


def anything_new(
    connection: Connection,
    study: RunningStudy,
    notify: Notify,
    found: Sequence[Occasion],
    *,
    now: float,
) -> bool:
    """Whether `tell` would write anything: a look that locks nothing."""
    told = latest_occasions(connection, study.id)
    every = [*found, *new_reports(connection, study, notify, told, now=now)]
    return not changes_of(every, told, now=now).is_empty


def _write(
    connection: Connection,
    study: RunningStudy,
    notify: Notify,
    occasion: Occasion,
    number: int,
    *,
    base: str,
    now: float,
) -> int:
    lasts, written = occasion.number is None, 0
    for address in dict.fromkeys(notify.mail):
        key = add_notice(
            connection,
            study.id,
            occasion,
            number=number,
            channel="mail",
            recipient=address,
            lasts=lasts,
            now=now,
        )
        if key is None:
            continue
        enqueue_mail(
            connection,
            recipient=address,
            subject=_subject(study, occasion),
            text=_letter(study, occasion, base=base),
            about=f"study/{study.name}",
            now=now,
            key=key,
        )
        written += 1
    if notify.hook is not None:
        key = add_notice(
            connection,
            study.id,
            occasion,
            number=number,
            channel="hook",
            recipient=notify.hook,
            lasts=lasts,
            now=now,
        )
        written += key is not None
    return written


def _subject(study: RunningStudy, occasion: Occasion) -> str:
    title = "".join(c for c in study.definition.title if c.isprintable())[:120]
    return f"{title}: {TITLES[occasion.event]}"


def _letter(study: RunningStudy, occasion: Occasion, *, base: str) -> str:
    return (
        f"{occasion.words}\n\n"
        f"{base}{occasion.path}\n\n"
        f"You get this letter because 'notify' in the file of the study '{study.name}' names your "
        "address.\n"
    )
