"""What a decision on submissions will do, and what must be said with it, in words."""

from collections.abc import Mapping

from palaver.core.money import Money
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.recruiting.submissions import Decision
from palaver.core.studies.outcomes import OUTCOMES
from palaver.core.words import counted
from palaver.crowds.prolific.records import CodeAction
from palaver.studies.file.definition import Study
from palaver.studies.recruiting.offering.codes import completion_codes

# What one may choose, in the words of a button.
VERBS: dict[Decision, str] = {
    "approve": "Approve",
    "pay_part": "Pay a part",
    "reject": "Reject",
    "ask_return": "Ask to return",
    "screen_out": "Screen out with pay",
    "complete": "Complete from here",
    "take_back": "Take the rejection back",
}
RETURN_REASON = (
    "We could not find complete data for your submission. Please return it, so that it does not "
    "count against you. Write to us if you think that this is a mistake."
)


def foreseen_decision(
    decision: Decision, number: int, recruitment: Recruitment, *, percent: int | None = None
) -> str:
    """What will be done to so many submissions, and what cannot be undone of it."""
    reward = Money(recruitment.reward, recruitment.currency)
    cost = Money(recruitment.with_fee(recruitment.reward), recruitment.currency) * number
    many = counted(number, "submission")
    is_, each = ("is", "It gets") if number == 1 else ("are", "Each gets")
    told: dict[Decision, str] = {
        "": "",
        "approve": f"{many} {is_} approved. {each} the reward of {reward}; with fees that is {cost}. A "
        "payment is not taken back.",
        "pay_part": f"{many} {is_} handed in from here and paid a part of the reward of {reward}. "
        f"{_part_words(number, recruitment, percent, each)}A payment is not taken back. The panel does "
        "this only where nobody has handed in yet: for people who are under way or ran out of time.",
        "reject": f"{many} {is_} rejected: not paid, and it hurts the person's standing at the panel. "
        "Reject only for a cause that you can show. The place goes to somebody else.",
        "ask_return": f"The people of {many} are asked to return their place. They decide; it does not "
        "hurt their standing, and nothing is paid.",
        "screen_out": f"{many} {is_} screened out and paid the part below instead of the reward. The "
        "places go to others.",
        "complete": f"{many} {is_} handed in from here, as if the person had come back with a code, and "
        "then waits for your decision.",
        "take_back": f"{many} {is_} put back to be reviewed.",
    }
    return told[decision]


def _part_words(number: int, recruitment: Recruitment, percent: int | None, each: str) -> str:
    """What a part comes to in money; empty where it is not said yet how large it is."""
    if percent is None:
        return ""
    part = recruitment.part(percent)
    paid = Money(part, recruitment.currency)
    cost = Money(recruitment.with_fee(part), recruitment.currency) * number
    in_all = "" if number == 1 else " in all"
    return f"{each} {percent} %, which is {paid}; with fees that is {cost}{in_all}. "


def code_words(
    study: Study, codes: Mapping[str, str], *, places: int, currency: str
) -> dict[str, str]:
    """What the panel does by itself with whoever comes back with the code of each outcome."""
    known = {each.code: each for each in completion_codes(study, codes, places=places)}
    told = {}
    for outcome in OUTCOMES:
        found = known.get(codes.get(outcome, ""))
        if found is not None:
            told[str(outcome)] = " ".join(_action_words(each, currency) for each in found.actions)
    return told


def _action_words(action: CodeAction, currency: str) -> str:
    match action.action:
        case "AUTOMATICALLY_APPROVE":
            return "The panel approves and pays at once."
        case "MANUALLY_REVIEW":
            return "Waits for your decision."
        case "REQUEST_RETURN":
            return "Is asked to return the place, which then goes to somebody else."
        case "FIXED_SCREEN_OUT_PAYMENT":
            return f"Is paid {Money(action.reward or 0, currency)} as a screen-out."
    return action.action.replace("_", " ").lower()
