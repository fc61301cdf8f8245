"""What somebody is owed at each way out of a study, and which code they get for it.

One place decides: the pages before consent and at every end, the desk and the costs ask here. What
is worth how much stands in the study file (`pay`, and the codes of `crowd`).
"""

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from palaver.core.studies.outcomes import OUTCOMES, OVER_QUOTA, Outcome, outcome_of
from palaver.core.studies.visits import FINISHED, WITHDRAWN
from palaver.crowds.panels import Arrival, filled
from palaver.storage.engine.keys import derived_code, new_code
from palaver.studies.file.definition import Study
from palaver.studies.file.terms import Pay
from palaver.studies.stages import ChatStage, ScreenStage

Share = Literal["full", "part", "waiting", "nothing"]
When = Literal["finished", "stopped", "practised", "waited"]

# All is done, or the person at this seat is not to blame that it is not.
FULL = frozenset({"complete", "partner_left", "system_failed"})
# Stopped in the middle, by themselves or by us.
STOPPED = frozenset({"quit", "insufficient", "removed", "checked_out", "withdrawn"})
# Practised, and got no further.
PRACTISED = frozenset({"not_passed", "nothing_left"})
WAITED = frozenset({"waited"})
# Gone without a word: they earned nothing by it.
ABSENT = frozenset({"abandoned", "timed_out", "returned"})
# Every end before which something was done; at all others nothing was.
BEGUN = FULL | STOPPED | PRACTISED | WAITED


@dataclass(frozen=True, slots=True)
class Owed:
    """What one visit is paid; `waiting` is the part of `amount` that is for waiting."""

    share: Share
    amount: float
    waiting: float
    currency: str


@dataclass(frozen=True, slots=True)
class WayOut:
    """A way out of a study that people should know before they agree, and what it is paid."""

    when: When
    owed: Owed


def owed(pay: Pay | None, *, state: str, reason: str, waited: float = 0.0) -> Owed | None:
    """What a visit that ended like this is paid; None where the study says nothing of pay."""
    if pay is None:
        return None
    has_ended = state in (FINISHED, WITHDRAWN)
    begun = has_ended and reason in BEGUN
    waiting = pay.waiting_per_minute * waited / 60 if begun else 0.0
    work = _for_work(pay, reason) if has_ended else 0.0
    share: Share = "full" if begun and reason in FULL else "part"
    if share == "part" and work == 0:
        share = "waiting" if waiting > 0 else "nothing"
    return Owed(share, work + waiting, waiting, pay.currency)


def _for_work(pay: Pay, reason: str) -> float:
    if reason in FULL:
        return pay.amount
    if reason in PRACTISED:
        return pay.practice
    if reason in STOPPED:
        return pay.early
    return pay.over_quota if outcome_of(reason) == OVER_QUOTA else 0.0


def ways_out(study: Study) -> tuple[WayOut, ...]:
    """The ways out of a study and what each is paid; none where it does not pay at all."""
    pay = study.pay
    if pay is None or not (pay.amount or pay.waiting_per_minute):
        return ()
    ends: dict[When, str] = {"finished": "complete", "stopped": "quit"}
    if any(isinstance(stage, ScreenStage) and stage.on_fail == "end" for stage in study.stages):
        ends["practised"] = "not_passed"
    if any(isinstance(stage, ChatStage) and stage.waits_in_vain for stage in study.stages):
        ends["waited"] = "waited"
    found = {when: owed(pay, state=FINISHED, reason=reason) for when, reason in ends.items()}
    return tuple(WayOut(when, due) for when, due in found.items() if due is not None)


def code_for(
    study: Study, reason: str, *, waited: float = 0.0, own: Callable[[], str] = new_code
) -> str | None:
    """The code of a visit that ends for this reason; None where no code is due.

    A panel's own code is a claim: the one for all steps goes only to those who are paid for them.
    Without a panel's code each visit gets one of its `own`, which tells who was here.
    """
    due = owed(study.pay, state=FINISHED, reason=reason, waited=waited)
    is_paid = due is not None and due.amount > 0
    is_full = reason in FULL
    if reason in ABSENT and study.pay is not None and study.pay.early:
        # The code of those who stopped claims a part, which is not due here.
        return study.crowd.return_code
    named = study.crowd.code_of(outcome_of(reason), is_full=is_full, is_paid=is_paid)
    if named is not None:
        return named
    if is_full:
        return own()
    if reason not in BEGUN or study.crowd.has_codes:
        return None
    return None if reason == WITHDRAWN and not is_paid else own()


def own_code_of(key: str, study: str, sent: Arrival, outcome: Outcome) -> str:
    """The code that follows from who came to which study of the panel, and from the outcome.

    `key` is the lasting key of the home, so that a code can be verified for good.
    """
    return derived_code(key, "\0".join(("code", study, sent.study, sent.participant, outcome)))


def outcome_of_code(key: str, study: str, sent: Arrival, code: str) -> Outcome | None:
    """The outcome for which somebody was given such a code; None if nobody could have been."""
    given = "".join(code.split()).upper().encode()
    for outcome in OUTCOMES:
        if hmac.compare_digest(own_code_of(key, study, sent, outcome).encode(), given):
            return outcome
    return None


def way_back(study: Study, reason: str, *, code: str | None, sent: Arrival) -> str | None:
    """Where somebody whose visit ended for this reason goes; None if the study does not say.

    Nobody is sent to an address that needs something that is not known of them, such as a code.
    """
    is_full = reason in FULL
    template = study.crowd.way_back(outcome_of(reason), is_full=is_full)
    if template is None or (template == study.crowd.completion_url and code is None):
        return None
    return filled(template, code=code, sent=sent)


def turns_away_for_good(study: Study, reason: str, *, code: str | None, sent: Arrival) -> bool:
    """Whether somebody who comes when nothing is open is given anything, which ends their visit.

    A code, a way back or pay can be claimed once: whoever has it does not come in later.
    """
    due = owed(study.pay, state=FINISHED, reason=reason)
    back = way_back(study, reason, code=code, sent=sent)
    return code is not None or back is not None or (due is not None and due.amount > 0)


def counts_as_taking_part(study: Study, code: str | None) -> bool:
    """Whether a visit with this code was paid or finished, so that it was this person's one."""
    if code is None or code == study.crowd.return_code:
        return False
    named = [outcome for outcome, given in study.crowd.codes.items() if given == code]
    return not named or any(_counts(study, outcome) for outcome in named)


# An end for each outcome, as what is due for it goes.
_ENDS: dict[Outcome, str] = {
    "completed": "complete",
    "screened_out": "not_passed",
    "no_consent": "declined",
    "waited": "waited",
    "partner_left": "partner_left",
    "attention_failed": "checked_out",
    "over_quota": "full",
    "stopped": "quit",
    "withdrew": "withdrawn",
}


def owed_for(study: Study, outcome: Outcome) -> Owed | None:
    """What somebody with this outcome is paid, without waiting; None where nothing is said of pay."""
    return owed(study.pay, state=FINISHED, reason=_ENDS[outcome])


def _counts(study: Study, outcome: Outcome) -> bool:
    due = owed(study.pay, state=FINISHED, reason=_ENDS[outcome], waited=60.0)
    if due is None:
        return outcome not in ("no_consent", "over_quota", "withdrew")
    return due.amount > 0


@dataclass(frozen=True, slots=True)
class OutcomeTerms:
    """What comes of one outcome in a study: its pay without waiting, its code, its way back.

    `code` is None where each person gets one of their own or none at all.
    """

    outcome: Outcome
    owed: Owed | None
    code: str | None
    way_back: str | None


def outcome_terms(study: Study) -> tuple[OutcomeTerms, ...]:
    """What comes of each outcome in a study, for those who set it up at a panel."""
    return tuple(_terms(study, outcome) for outcome in OUTCOMES)


def _terms(study: Study, outcome: Outcome) -> OutcomeTerms:
    due = owed_for(study, outcome)
    is_full, is_paid = _ENDS[outcome] in FULL, due is not None and due.amount > 0
    code = study.crowd.code_of(outcome, is_full=is_full, is_paid=is_paid)
    return OutcomeTerms(outcome, due, code, study.crowd.way_back(outcome, is_full=is_full))
