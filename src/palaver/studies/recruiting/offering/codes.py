"""Codes of a study at Prolific: one for each outcome, and what Prolific does with each by itself.

Those who did the work are approved, by Prolific at once or by a person here. Who came in vain and is
paid for that gets a screen-out payment, everybody else is asked to return the place: it goes to somebody
new. How much that is `studies/run/dues` decides. Prolific takes one code of a study that pays a
screen-out at once, and for less than the reward: whoever has another waits for a person, to whom it is
suggested.
Waiting is paid as a bonus, because it is a different amount for each.
"""

from collections.abc import Mapping

from palaver.core.audit import Actor
from palaver.core.money import read_money
from palaver.core.studies.outcomes import OUTCOMES, Outcome
from palaver.crowds.prolific.bodies import make_codes
from palaver.crowds.prolific.records import CodeAction, CompletionCode
from palaver.formats.edited_yaml import with_value
from palaver.storage.studies.versions import file_of
from palaver.studies.file.definition import Study
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.dues import owed_for
from palaver.studies.run.versions import change_study

# Codes of ours, which no participant ever sees: to complete a submission from here, so that it waits for
# a decision, and to complete it with a part of the reward.
FROM_HERE, PART_FROM_HERE = "from_here", "part_from_here"
_OF_US = {FROM_HERE: "MANUALLY_REVIEW", PART_FROM_HERE: "DYNAMIC_PAYMENT"}

# The work is done, as far as it depended on them.
DONE: frozenset[Outcome] = frozenset({"completed", "partner_left"})
# Approved or looked at by a person: the panel screens none of these out.
REVIEWED: frozenset[Outcome] = DONE | {"attention_failed"}

_TYPES: dict[Outcome, str] = {
    "completed": "COMPLETED",
    "no_consent": "NO_CONSENT",
    "attention_failed": "FAILED_ATTENTION_CHECK",
}
_REASONS: dict[Outcome, str] = {
    "screened_out": "The practice decided that the places of this study are for others.",
    "no_consent": "You did not agree to take part, which is quite all right.",
    "waited": "No partner came. The time you waited is paid as a bonus where the study says so.",
    "over_quota": "All places of this study were taken when you came.",
    "stopped": "You stopped before the end. What you did is paid where the study says so.",
    "withdrew": "You withdrew, and everything you gave was erased.",
}


def missing_codes(study: Study) -> tuple[Outcome, ...]:
    """The outcomes for which a study's file has no code yet."""
    return tuple(each for each in OUTCOMES if each not in study.crowd.codes)


def codes_of(study: Study) -> dict[str, str]:
    """The code of each outcome: those of the file, and new ones in place of those it does not have.

    With them are those for completing a submission from here. Prolific lets some workspaces alone pay
    parts and refuses a study with such a code elsewhere: it is made where the file asks for it.
    """
    known = {str(outcome): code for outcome, code in study.crowd.codes.items()}
    pays_parts = study.recruit is not None and study.recruit.part_payments
    ours = (FROM_HERE, PART_FROM_HERE) if pays_parts else (FROM_HERE,)
    return {**make_codes((*missing_codes(study), *ours)), **known}


async def write_codes(deployment: Deployment, name: str, *, actor: Actor) -> None:
    """Give a study a code for each outcome that has none: a new version of its file."""
    running = deployment.study(name)
    missing = missing_codes(running.definition)
    if not missing:
        return
    made = make_codes(missing)
    text = await deployment.store.read(lambda c: file_of(c, running.id))
    for outcome in missing:
        text = with_value(text, ("crowd", "codes", outcome), made[outcome])
    await change_study(
        deployment, name, text, actor=actor, note="a code for each outcome", base=running.version
    )


def completion_codes(
    study: Study, codes: Mapping[str, str], *, places: int
) -> tuple[CompletionCode, ...]:
    """The codes as Prolific is to know them; equal ones stand once, under their first outcome."""
    known: dict[str, CompletionCode] = {}
    at_once = _paid_at_once(study, codes)
    for outcome in OUTCOMES:
        code = codes.get(outcome)
        if code is not None and code not in known:
            known[code] = _code(study, outcome, code, places if outcome == at_once else 0)
    for purpose, action in _OF_US.items():
        own = codes.get(purpose)
        if own is not None:
            known[own] = CompletionCode(
                code=own,
                code_type="OTHER",
                actor="researcher",
                actions=(CodeAction(action=action),),
            )
    return tuple(known.values())


def screens_out(study: Study) -> bool:
    """Whether people are screened out with pay, by a code or by a person here."""
    return any(screen_out_pay(study, outcome) for outcome in OUTCOMES)


def _paid_at_once(study: Study, codes: Mapping[str, str]) -> Outcome | None:
    """The one outcome whose code pays a screen-out by itself."""
    reward = 0 if study.pay is None else read_money(study.pay.amount, study.pay.currency).minor
    paid = (each for each in OUTCOMES if 0 < screen_out_pay(study, each) < reward)
    return next((each for each in paid if each in codes), None)


def _code(study: Study, outcome: Outcome, code: str, slots: int) -> CompletionCode:
    return CompletionCode(
        code=code,
        code_type=_TYPES.get(outcome, "OTHER"),
        actor="participant",
        actions=(_action(study, outcome, slots),),
    )


def _action(study: Study, outcome: Outcome, slots: int) -> CodeAction:
    """What Prolific does with an outcome; `slots` says how many screen-outs it may pay by itself."""
    terms = study.recruit
    if outcome in DONE and terms is not None and terms.approve == "at_once":
        return CodeAction(action="AUTOMATICALLY_APPROVE")
    if outcome in REVIEWED:
        return CodeAction(action="MANUALLY_REVIEW")
    part = screen_out_pay(study, outcome)
    if part and slots:
        return CodeAction(action="FIXED_SCREEN_OUT_PAYMENT", reward=part, slots=slots)
    if part:
        return CodeAction(action="MANUALLY_REVIEW")
    return CodeAction(action="REQUEST_RETURN", return_reason=_REASONS[outcome])


def screen_out_pay(study: Study, outcome: Outcome) -> int:
    """What somebody with this outcome is paid as a screen-out, in the smallest unit; 0 for nothing.

    Whoever withdrew is named nowhere here any more: only the panel can pay what they had earned.
    """
    due = None if outcome in REVIEWED else owed_for(study, outcome)
    return 0 if due is None else read_money(due.amount, due.currency).minor
