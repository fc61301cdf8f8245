"""Deciding on submissions: approve, reject, ask for the return, screen out with pay, complete, write.

A decision is made by a person here, checked as the panel would check it, written down as being sent,
sent once, and written down with what came of it. Where no answer came it is `unknown` until the panel's
list says how the submission stands.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.errors import ConflictError, InputError, PanelError, PanelUnknownError
from palaver.core.money import Money
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.recruiting.submissions import PAID, Decision, DecisionState, KeptSubmission
from palaver.core.serial import if_any
from palaver.core.words import counted
from palaver.crowds.prolific.checks import part_problems, rejection_problems
from palaver.storage.audit.entries import record
from palaver.storage.recruiting import payments as payment_rows
from palaver.storage.recruiting import submissions as rows
from palaver.studies.recruiting.clients import PanelClients
from palaver.studies.recruiting.money.budget import speak_for
from palaver.studies.recruiting.money.entitlements import WORK
from palaver.studies.recruiting.offering.codes import FROM_HERE, PART_FROM_HERE
from palaver.studies.run.deployment import Deployment

MOST_AT_ONCE = 500
# More approvals than this go as one request, which the panel works off by and by.
ONE_BY_ONE = 10
LONGEST_MESSAGE = 3000
# From which states each decision can be made.
OPEN: dict[Decision, frozenset[str]] = {
    "approve": frozenset({"awaiting_review", "timed_out"}),
    # The panel completes from here what nobody has handed in yet, and nothing else.
    "pay_part": frozenset({"active", "timed_out"}),
    "reject": frozenset({"awaiting_review"}),
    "ask_return": frozenset({"awaiting_review", "active", "reserved"}),
    "screen_out": frozenset({"awaiting_review", "active"}),
    "complete": frozenset({"active"}),
    "take_back": frozenset({"rejected"}),
}
WORDS: dict[Decision, str] = {
    "approve": "approved",
    "pay_part": "paid in part",
    "reject": "rejected",
    "ask_return": "asked to return",
    "screen_out": "screened out with pay",
    "complete": "completed from here",
    "take_back": "put back to be reviewed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What is to be done with some submissions, and what the people are told."""

    decision: Decision
    submissions: tuple[str, ...]
    # To whoever is rejected: at least 100 characters, and one of the panel's categories. To whoever is
    # paid in part: what they read with it, if anything.
    message: str = ""
    category: str = ""
    # Why a return is asked for.
    reason: str = ""
    # What a screen-out pays, in the smallest unit.
    pay: int | None = None
    # How much of the reward a part is.
    percent: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """What became of a ruling: how many it was done to, and what was left alone, and why."""

    decision: Decision
    done: int
    refused: tuple[str, ...] = if_any(())
    unknown: int = if_any(0)

    @property
    def words(self) -> str:
        """What happened, in a sentence."""
        told = f"{counted(self.done, 'submission')} {WORDS[self.decision]}."
        if self.unknown:
            told += (
                f" Of {self.unknown:,} no answer came: it is not known whether it happened. They are "
                "settled when the panel's list is read next."
            )
        return told if not self.refused else f"{told} Not done: {' '.join(self.refused[:5])}"


def check_ruling(ruling: Ruling, recruitment: Recruitment) -> None:
    """InputError with what the panel would not take, before anything is sent."""
    if ruling.decision not in OPEN:
        raise InputError(f"There is no decision '{str(ruling.decision)[:40]}'.")
    if not 1 <= len(ruling.submissions) <= MOST_AT_ONCE:
        raise InputError(
            f"Choose 1 to {MOST_AT_ONCE} submissions at once; got {len(ruling.submissions):,}. "
            "Nothing was sent."
        )
    problems: Sequence[str] = ()
    if ruling.decision == "reject":
        problems = rejection_problems(ruling.message, ruling.category)
    elif ruling.decision == "pay_part":
        problems = _part_problems(ruling, recruitment)
    elif ruling.decision == "ask_return" and not ruling.reason.strip():
        problems = ("Say why the submission should be returned: the person reads it.",)
    elif ruling.decision == "screen_out" and (ruling.pay is None or ruling.pay < 1):
        problems = ("Say what the screen-out pays: more than nothing.",)
    elif ruling.decision == "screen_out" and (ruling.pay or 0) > recruitment.reward:
        problems = (
            "A screen-out pays a part of the reward, and this is more. Approve it instead.",
        )
    elif ruling.decision == "complete" and FROM_HERE not in recruitment.codes:
        problems = ("This recruitment was created without a code for completing from here.",)
    if problems:
        raise InputError(f"{' '.join(problems)} Nothing was sent.")


def _part_problems(ruling: Ruling, recruitment: Recruitment) -> Sequence[str]:
    if PART_FROM_HERE not in recruitment.codes:
        return (
            "This recruitment was created without a code for paying parts. Say 'recruit: "
            "{part_payments: true}' in the study file before the next one is created.",
        )
    if len(ruling.message) > LONGEST_MESSAGE:
        told = f"{len(ruling.message):,}"
        return (f"A message has at most {LONGEST_MESSAGE:,} characters; got {told}.",)
    return part_problems(ruling.percent)


async def rule(
    deployment: Deployment, recruitment: Recruitment, ruling: Ruling, *, actor: Actor
) -> Ruled:
    """Do to each of some submissions what a person decided, one after the other."""
    check_ruling(ruling, recruitment)
    done, unknown, refused = 0, 0, []
    if ruling.decision in ("screen_out", "pay_part"):
        await _speak_for(deployment, recruitment, ruling)
    if ruling.decision == "approve" and len(ruling.submissions) > ONE_BY_ONE:
        return await _approve_many(deployment, recruitment, ruling, actor=actor)
    for piece in dict.fromkeys(ruling.submissions):
        try:
            await _rule_one(deployment, recruitment, piece, ruling, actor=actor)
            done += 1
        except PanelUnknownError:
            unknown += 1
        except (InputError, ConflictError, PanelError) as error:
            refused.append(f"{piece[:40]}: {error}")
    return Ruled(decision=ruling.decision, done=done, unknown=unknown, refused=tuple(refused))


async def _approve_many(
    deployment: Deployment, recruitment: Recruitment, ruling: Ruling, *, actor: Actor
) -> Ruled:
    """Approve many with one request; each is done once the panel's list says so."""
    begun: list[KeptSubmission] = []
    refused: list[str] = []
    for piece in dict.fromkeys(ruling.submissions):
        now = deployment.clock.now()
        begin = partial(
            _begin, recruitment=recruitment, piece=piece, ruling=ruling, actor=actor, now=now
        )
        try:
            begun.append(await deployment.store.write(begin))
        except (InputError, ConflictError) as error:
            refused.append(f"{piece[:40]}: {error}")
    client = await PanelClients.of(deployment).prolific()
    unknown = 0
    try:
        await client.submissions.approve_all([each.panel_id for each in begun if each.panel_id])
    except PanelUnknownError as error:
        unknown = len(begun)
        for each in begun:
            await _settle(deployment, each, "unknown", str(error))
    except PanelError as error:
        for each in begun:
            await _settle(deployment, each, "refused", str(error))
        raise
    return Ruled(
        decision="approve", done=len(begun) - unknown, unknown=unknown, refused=tuple(refused)
    )


async def _rule_one(
    deployment: Deployment, recruitment: Recruitment, piece: str, ruling: Ruling, *, actor: Actor
) -> None:
    now = deployment.clock.now()
    begun = await deployment.store.write(
        partial(_begin, recruitment=recruitment, piece=piece, ruling=ruling, actor=actor, now=now)
    )
    send = await _sending(deployment, recruitment, piece, ruling)
    try:
        await send()
    except PanelUnknownError as error:
        await _settle(deployment, begun, "unknown", str(error))
        raise
    except PanelError as error:
        await _settle(deployment, begun, "refused", str(error))
        raise
    await _settle(deployment, begun, "done")


def _begin(
    connection: Connection,
    *,
    recruitment: Recruitment,
    piece: str,
    ruling: Ruling,
    actor: Actor,
    now: float,
) -> KeptSubmission:
    """Write down that a decision is being sent; InputError if the submission is not open to it."""
    known = rows.find_submission(connection, recruitment.id, piece, lock=True)
    if known.state in PAID and ruling.decision != "approve":
        raise InputError(f"It is {known.state.replace('_', ' ')} already.")
    if known.state not in OPEN[ruling.decision]:
        raise InputError(
            f"The panel says '{known.state.replace('_', ' ')}': it cannot be {WORDS[ruling.decision]}."
        )
    if known.state == "timed_out" and _has_work_bonus(connection, recruitment, known):
        raise InputError(
            "A bonus for the work is noted for them, and they would be paid twice. Take the bonus back "
            "first, or leave it at that."
        )
    if known.decision_state in ("sending", "unknown"):
        raise InputError(
            "A decision was sent and its answer is not known yet. Read the list first."
        )
    record(
        connection,
        "recruiting.decide",
        by=actor,
        now=now,
        subject=piece,
        study_id=recruitment.study_id,
        detail={"decision": ruling.decision} | _told(ruling),
    )
    return rows.note_decision(
        connection,
        known,
        decision=ruling.decision,
        state="sending",
        account=actor.name,
        detail=_told(ruling),
        now=now,
    )


def _has_work_bonus(
    connection: Connection, recruitment: Recruitment, known: KeptSubmission
) -> bool:
    """Whether the work of somebody whom the panel does not pay is due or paid as a bonus."""
    payments = payment_rows.list_payments(connection, recruitment.id)
    return any(each.submission_id == known.id and each.rule == WORK for each in payments)


def _told(ruling: Ruling) -> dict[str, Any]:
    told = {
        "message": ruling.message.strip(),
        "category": ruling.category,
        "reason": ruling.reason.strip(),
        "pay": ruling.pay,
        "percent": ruling.percent,
    }
    return {name: value for name, value in told.items() if value}


async def _sending(
    deployment: Deployment, recruitment: Recruitment, piece: str, ruling: Ruling
) -> Callable[[], Awaitable[object]]:
    """The call that does at the panel what was decided."""
    client = await PanelClients.of(deployment).prolific()
    study = recruitment.panel_id or ""
    match ruling.decision:
        case "approve":
            return lambda: client.submissions.approve(piece)
        case "reject":
            return lambda: client.submissions.reject(
                piece, message=ruling.message, category=ruling.category
            )
        case "ask_return":
            return lambda: client.submissions.ask_to_return(piece, [ruling.reason.strip()])
        case "take_back":
            return lambda: client.submissions.undo_rejection(piece)
        case "screen_out":
            pay = Money(ruling.pay or 0, recruitment.currency)
            return lambda: client.submissions.screen_out(study, [piece], pay=pay, more_places=True)
        case "pay_part":
            return lambda: client.submissions.complete(
                piece,
                recruitment.codes[PART_FROM_HERE],
                percent=ruling.percent,
                message=ruling.message.strip(),
            )
        case _:
            return lambda: client.submissions.complete(piece, recruitment.codes[FROM_HERE])


async def _settle(
    deployment: Deployment, known: KeptSubmission, state: DecisionState, reason: str = ""
) -> None:
    await deployment.store.write(lambda c: rows.settle_decision(c, known, state, reason))


async def _speak_for(deployment: Deployment, recruitment: Recruitment, ruling: Ruling) -> None:
    """Speak for what is paid beside the places on offer, with the panel's fees, before any is sent.

    That is every screen-out, because its place goes to somebody else. A part of the reward is less than
    what was spoken for with the place of whoever is under way, so that it needs nothing more; but the
    place of whoever ran out of time went to somebody else, and the whole reward with it.
    """
    study, now = deployment.study(recruitment.study), deployment.clock.now()
    is_part = ruling.decision == "pay_part"
    amount = recruitment.part(ruling.percent or 0) if is_part else ruling.pay or 0
    cost = Money(recruitment.with_fee(amount), recruitment.currency)
    subject, what = ("part", "A part") if is_part else ("screen-out", "A screen-out")
    pieces = tuple(dict.fromkeys(ruling.submissions))

    def work(connection: Connection) -> None:
        late = rows.list_submissions(connection, recruitment.id, states=["timed_out"])
        placeless = {each.panel_id for each in late}
        for piece in pieces:
            if is_part and piece not in placeless:
                continue
            speak_for(
                connection,
                study.id,
                study.definition,
                kind="bonus",
                subject=f"{subject}/{piece}",
                amount=cost,
                what=what,
                now=now,
            )

    await deployment.store.write(work)


async def write_to(
    deployment: Deployment,
    recruitment: Recruitment,
    participants: Sequence[str],
    text: str,
    *,
    actor: Actor,
) -> int:
    """Write a message to people of a recruitment, by the panel's names; how many they are."""
    body = text.strip()
    people = tuple(dict.fromkeys(participants))
    if not body or len(body) > LONGEST_MESSAGE:
        raise InputError(
            f"A message has 1 to {LONGEST_MESSAGE:,} characters; got {len(body):,}. Nothing was sent."
        )
    known = await deployment.store.read(lambda c: rows.list_submissions(c, recruitment.id))
    here = {each.participant for each in known if each.participant}
    strangers = [each for each in people if each not in here]
    if strangers or not people:
        raise InputError(
            f"'{strangers[0][:40]}' has not taken part in this recruitment. Nothing was sent."
            if strangers
            else "Choose whom to write to. Nothing was sent."
        )
    now, study = deployment.clock.now(), recruitment.panel_id or ""
    client = await PanelClients.of(deployment).prolific()
    await deployment.store.write(
        lambda c: record(
            c,
            "recruiting.message",
            by=actor,
            now=now,
            subject=recruitment.key,
            study_id=recruitment.study_id,
            detail={"people": len(people)},
        )
    )
    if len(people) == 1:
        await client.people.send_message(people[0], study=study, body=body)
    else:
        await client.people.send_messages(people, study=study, body=body)
    return len(people)


async def write_to_submissions(
    deployment: Deployment,
    recruitment: Recruitment,
    pieces: Sequence[str] | None,
    text: str,
    *,
    actor: Actor,
) -> int:
    """Write to the people of some submissions, or of all; how many people they are."""
    known = await deployment.store.read(lambda c: rows.list_submissions(c, recruitment.id))
    by_piece = {each.panel_id: each.participant for each in known if each.panel_id}
    for piece in pieces or ():
        if piece not in by_piece:
            raise InputError(
                f"No submission '{piece[:40]}' is known in this recruitment. Nothing was sent."
            )
    people = [by_piece[each] for each in (by_piece if pieces is None else pieces)]
    return await write_to(
        deployment, recruitment, [each for each in people if each], text, actor=actor
    )
