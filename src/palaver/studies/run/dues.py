"""What somebody is owed at each way out of a study, and which code they get for it.

One place decides: the pages before consent and at every end, the desk and the costs ask here. What
is worth how much stands in the study file (`pay`, and the codes of `crowd`).
"""

from dataclasses import dataclass
from typing import Literal

from palaver.core.studies.visits import FINISHED, WITHDRAWN
from palaver.storage.engine.keys import new_code
from palaver.studies.file.definition import Study
from palaver.studies.file.terms import Crowd, Pay
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
    begun = state in (FINISHED, WITHDRAWN) and reason in BEGUN
    waiting = pay.waiting_per_minute * waited / 60 if begun else 0.0
    work = _for_work(pay, reason) if begun else 0.0
    share: Share = "full" if begun and reason in FULL else "part"
    if share == "part" and work == 0:
        share = "waiting" if waiting > 0 else "nothing"
    return Owed(share, work + waiting, waiting, pay.currency)


def _for_work(pay: Pay, reason: str) -> float:
    if reason in FULL:
        return pay.amount
    if reason in PRACTISED:
        return pay.practice
    return pay.early if reason in STOPPED else 0.0


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


def code_for(study: Study, reason: str, *, waited: float = 0.0) -> str | None:
    """The code of a visit that ends for this reason; None where no code is due.

    A panel's own code is a claim: the one for all steps goes only to those who are paid for them.
    Without a panel's code each visit gets one of its own, which tells who was here.
    """
    if reason in FULL:
        return study.crowd.completion_code or new_code()
    due = owed(study.pay, state=FINISHED, reason=reason, waited=waited)
    if due is not None and due.amount > 0 and study.crowd.part_code is not None:
        return study.crowd.part_code
    if (due is None or due.amount == 0) and study.crowd.return_code is not None:
        return study.crowd.return_code
    if reason not in BEGUN or _has_codes(study.crowd):
        return None
    is_erased = reason == WITHDRAWN and (due is None or due.amount == 0)
    return None if is_erased else new_code()


def counts_as_taking_part(study: Study, code: str | None) -> bool:
    """Whether a visit with this code was paid or finished, so that it was this person's one."""
    return code is not None and code != study.crowd.return_code


def _has_codes(crowd: Crowd) -> bool:
    """Whether the panel gives the codes, so that a code of ours would mean nothing there."""
    return any((crowd.completion_code, crowd.part_code, crowd.return_code))
