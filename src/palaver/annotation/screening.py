"""Training with feedback, and who passes it.

An attempt is a row of rounds. Each round is one training sheet: the rater answers it, the answers
are graded here, on the server, and what was wrong must be mended before the next round. Corrections
are labels that supersede the first ones; the mistakes that count are those of the first answers. A
rater who fails in the last round that counts is told so at once, without feedback.

The labels of an attempt are the standing ones of purpose "training" that its visit gave since the
attempt started. A second attempt at the same sheets supersedes the labels of the first, and starts
later than they were given.
"""

from dataclasses import dataclass, replace

from sqlalchemy import Connection

from palaver.annotation.assignment import Rater
from palaver.annotation.plan import ScreenPlan
from palaver.core.errors import InputError
from palaver.core.sheets import RightAnswer
from palaver.core.studies.raters import FAILED, PASSED
from palaver.storage.judging import screenings
from palaver.storage.judging.labels import training_values
from palaver.storage.judging.screenings import CONDITION, Attempt, place_name
from palaver.storage.judging.sheets import StoredSheet, sheets_of
from palaver.storage.people import rater_work
from palaver.storage.people.raters import lock_rater
from palaver.storage.people.tombstones import used_attempts
from palaver.storage.studies import quotas


@dataclass(frozen=True, slots=True)
class Screening:
    """An attempt under way.

    `round` counts from 0. While its mistakes are being mended, `wrong` holds what is still wrong;
    `mistakes` has for each graded round the first sequence numbers of the turns wrong at first.
    """

    id: int
    attempt: int
    round: int
    mending: bool
    mistakes: tuple[tuple[int, ...], ...]
    sheet: StoredSheet
    wrong: tuple[RightAnswer, ...]
    started: float


@dataclass(frozen=True, slots=True)
class Settled:
    """Whether a rater has passed; `again` if they failed and may try once more."""

    passed: bool
    again: bool


@dataclass(frozen=True, slots=True)
class EnoughScreened:
    """As many people as wanted have been screened."""


def current(connection: Connection, plan: ScreenPlan, rater: Rater) -> Screening | Settled | None:
    """Where this visit stands; None before its first attempt."""
    record = _record(connection, plan, rater)
    if record.verdict is not None:
        return record.verdict
    if record.running is not None:
        return _screening(connection, plan, record.running)
    if record.used == 0:
        return None
    return Settled(False, again=record.used < plan.attempts)


def foresee(
    connection: Connection, plan: ScreenPlan, rater: Rater
) -> Settled | EnoughScreened | None:
    """What stands before a visit that begins now: a verdict, or no place; None if it may practise."""
    record = _record(connection, plan, rater)
    if record.verdict is not None:
        return record.verdict
    if record.running is None and record.used >= plan.attempts:
        return Settled(False, again=False)
    return None if _has_place(connection, plan, rater) else EnoughScreened()


def begin(
    connection: Connection, plan: ScreenPlan, rater: Rater, *, now: float
) -> Screening | Settled | EnoughScreened:
    """The attempt under way in this visit, or a new one."""
    lock_rater(connection, rater.participant_id)
    record = _record(connection, plan, rater)
    if record.verdict is not None:
        return record.verdict
    if record.running is None and record.used >= plan.attempts:
        return Settled(False, again=False)
    if not _take_place(connection, plan, rater, now=now):
        return EnoughScreened()
    if record.running is not None:
        return _screening(connection, plan, record.running)
    attempt = screenings.start_attempt(
        connection,
        study_id=plan.study_id,
        stage=plan.stage,
        participant_id=rater.participant_id,
        assignment_id=rater.assignment_id,
        attempt=record.started + 1,
        now=now,
    )
    return _screening(connection, plan, attempt)


def finish_round(
    connection: Connection, plan: ScreenPlan, rater: Rater, *, now: float
) -> Screening | Settled:
    """Grade the round under way, whose labels have been stored, and say how the attempt goes on."""
    lock_rater(connection, rater.participant_id)
    record = _record(connection, plan, rater)
    running = record.running
    if running is None:
        if record.verdict is not None:
            return record.verdict
        raise InputError("No practice is under way. Open the page again to begin.")
    screening = _screening(connection, plan, running)
    wrong = _wrong(connection, screening.sheet, running)
    if not running.mending:
        running = replace(running, mistakes=(*running.mistakes, _first_seqs(wrong)))
        if _is_last_counted(plan, running) and not _passes(plan, running):
            return _settle(connection, plan, rater, record, running, passed=False, now=now)
    if wrong:
        running = replace(running, mending=True)
    elif running.round + 1 < plan.rounds:
        running = replace(running, round=running.round + 1, mending=False)
    else:
        passed = _passes(plan, running)
        return _settle(connection, plan, rater, record, running, passed=passed, now=now)
    screenings.move_attempt(
        connection,
        running.id,
        round=running.round,
        mending=running.mending,
        mistakes=running.mistakes,
    )
    return _screening(connection, plan, running)


def release_place(connection: Connection, rater: Rater, stage: int) -> None:
    """Let somebody else be screened in the place of a visit that was left in the middle."""
    quotas.release(connection, place_name(rater.assignment_key, stage))


@dataclass(frozen=True, slots=True)
class _Record:
    """A rater's past in this training.

    `used` counts the attempts that were brought to an end, in whichever visit, since a failure was
    last lifted, also before an erasure; `started` all that were begun.
    """

    verdict: Settled | None
    running: Attempt | None
    used: int
    started: int


def _record(connection: Connection, plan: ScreenPlan, rater: Rater) -> _Record:
    entries = rater_work.entries_of(connection, rater.participant_id)
    found = rater_work.verdict(entries, plan.qualification)
    attempts = screenings.attempts_of(
        connection,
        study_id=plan.study_id,
        stage=plan.stage,
        participant_id=rater.participant_id,
    )
    return _Record(
        verdict=None if found is None else Settled(found.state == PASSED, again=False),
        running=next(
            (a for a in attempts if a.passed is None and a.assignment_id == rater.assignment_id),
            None,
        ),
        used=used_attempts(entries, attempts, plan.qualification),
        started=len(attempts),
    )


def _take_place(connection: Connection, plan: ScreenPlan, rater: Rater, *, now: float) -> bool:
    """Count this person among those who are screened; False if there are enough."""
    if plan.at_most is None or _is_counted(connection, plan, rater):
        return True
    where = (plan.study_id, plan.stage)
    group = place_name(rater.assignment_key, plan.stage)
    if quotas.claim(connection, *where, CONDITION, group=group, limited=True, now=now):
        return True
    # The places of a stage are made when they are first asked for, or when the limit was raised.
    quotas.set_quotas(connection, *where, {CONDITION: plan.at_most})
    return quotas.claim(connection, *where, CONDITION, group=group, limited=True, now=now)


def _has_place(connection: Connection, plan: ScreenPlan, rater: Rater) -> bool:
    """Whether `_take_place` would succeed."""
    if plan.at_most is None or _is_counted(connection, plan, rater):
        return True
    limit = {CONDITION: plan.at_most}
    [places] = quotas.progress(connection, plan.study_id, plan.stage, limit)
    return bool(places.free)


def _is_counted(connection: Connection, plan: ScreenPlan, rater: Rater) -> bool:
    place = screenings.place_of(
        connection,
        study_id=plan.study_id,
        stage=plan.stage,
        participant_id=rater.participant_id,
    )
    return place is not None


def _screening(connection: Connection, plan: ScreenPlan, attempt: Attempt) -> Screening:
    sheets = sheets_of(connection, plan.study_id, plan.stage, "training")
    if attempt.round >= len(sheets):
        raise InputError(
            f"The training has {plan.rounds} rounds, but {len(sheets)} of them are stored."
        )
    sheet = sheets[attempt.round]
    return Screening(
        attempt.id,
        attempt.attempt,
        attempt.round,
        attempt.mending,
        attempt.mistakes,
        sheet,
        _wrong(connection, sheet, attempt) if attempt.mending else (),
        attempt.started,
    )


def _wrong(connection: Connection, sheet: StoredSheet, attempt: Attempt) -> tuple[RightAnswer, ...]:
    if sheet.truth is None:
        return ()
    values = training_values(connection, attempt.assignment_id, since=attempt.started)
    return sheet.truth.wrong(values)


def _first_seqs(wrong: tuple[RightAnswer, ...]) -> tuple[int, ...]:
    """Where the wrong turns begin, one number for each; 0 stands for a whole dialogue.

    >>> keys = ("event:d_a:4", "turn:d_a:6-7", "dialogue:d_a", "event:d_a:4")
    >>> _first_seqs(tuple(RightAnswer(unit=key, question="q", any_of=()) for key in keys))
    (0, 4, 6)
    """
    units = {right.unit for right in wrong}
    return tuple(sorted(_first_seq(unit) for unit in units))


def _first_seq(unit: str) -> int:
    kind, _, place = unit.partition(":")
    return int(place.rpartition(":")[2].partition("-")[0]) if kind in ("event", "turn") else 0


def _is_last_counted(plan: ScreenPlan, attempt: Attempt) -> bool:
    return attempt.round + 1 == max(plan.passing_rounds)


def _passes(plan: ScreenPlan, attempt: Attempt) -> bool:
    counted = (attempt.mistakes[number - 1] for number in plan.passing_rounds)
    return sum(len(wrong) for wrong in counted) <= plan.mistakes


def _settle(
    connection: Connection,
    plan: ScreenPlan,
    rater: Rater,
    record: _Record,
    attempt: Attempt,
    *,
    passed: bool,
    now: float,
) -> Settled:
    screenings.settle_attempt(
        connection, attempt.id, passed=passed, mistakes=attempt.mistakes, now=now
    )
    again = not passed and record.used + 1 < plan.attempts
    if not again:
        rater_work.record(
            connection,
            participant_id=rater.participant_id,
            name=plan.qualification,
            state=PASSED if passed else FAILED,
            study_id=plan.study_id,
            reason="screening",
            now=now,
        )
    group = screenings.place_of(
        connection,
        study_id=plan.study_id,
        stage=plan.stage,
        participant_id=rater.participant_id,
    )
    if group is not None:
        # Whoever failed has been screened, too.
        quotas.complete(connection, group)
    return Settled(passed, again)
