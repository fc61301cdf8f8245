"""Which outcomes a study can have, and whether each has the code and the way back that it needs."""

from collections.abc import Iterator

from palaver.core.studies.outcomes import WORDS, Outcome
from palaver.core.words import listed
from palaver.crowds.panels import Need, Panel, placeholders_of
from palaver.formats.key_problems import KeyProblem
from palaver.studies.file.definition import Study
from palaver.studies.file.terms import Pay
from palaver.studies.stages import ChatStage, RateStage, ScreenStage

# These are paid all there is.
FULL: tuple[Outcome, ...] = ("completed", "partner_left")


def possible_outcomes(study: Study) -> tuple[Outcome, ...]:
    """The outcomes that somebody who comes to a study can have."""
    talks = [each for each in study.stages if isinstance(each, ChatStage) and not each.practice]
    checks = [
        each
        for each in study.stages
        if isinstance(each, RateStage) and (each.attention is not None or each.gold is not None)
    ]
    found: list[Outcome] = ["completed"]
    if any(isinstance(each, ScreenStage) for each in study.stages):
        found.append("screened_out")
    if study.consent is not None:
        found.append("no_consent")
    if any(each.waits_in_vain for each in talks):
        found.append("waited")
    if talks:
        found.append("partner_left")
    if checks:
        found.append("attention_failed")
    return (*found, "over_quota", "stopped", "withdrew")


def lost_outcomes(study: Study) -> list[Outcome]:
    """The outcomes whose people end with nothing that their panel needs."""
    panel = study.crowd.panel
    if panel is None:
        return []
    return [each for each in possible_outcomes(study) if _is_lost(study, panel, each)]


def outcome_problems(study: Study) -> Iterator[KeyProblem]:
    """Codes that claim what is not due, and outcomes whose people a panel would lose."""
    yield from _claims(study)
    panel = study.crowd.panel
    # Whoever is recruited from here gets codes that are made when it is created there.
    if panel is None or (study.recruit is not None and not study.crowd.has_codes):
        return
    lost = lost_outcomes(study)
    if panel.needs_code != "nobody" and "completed" in lost:
        message = (
            f"{panel.title} does not know the codes that are made here. Set 'completion_code', or "
            "'codes' with one for each outcome."
        )
        yield KeyProblem(("crowd",), message, warning=True, at_key=True)
        lost.remove("completed")
    if lost:
        by_code = panel.needs_code != "nobody"
        needed = "a code" if by_code else "an address that leads back"
        key = "codes" if by_code else "returns"
        who = listed([WORDS[each] for each in lost], "or")
        message = (
            f"{panel.title} needs {needed}, and there is none for those who {who}. "
            f"Set '{key}' for {listed([repr(each) for each in lost])}."
        )
        yield KeyProblem(("crowd",), message, warning=True, at_key=True)


def _claims(study: Study) -> Iterator[KeyProblem]:
    """Codes that several outcomes share though one of them is paid in full and another is not."""
    crowd = study.crowd
    full = {code for code in (crowd.completion_code, crowd.codes.get("completed")) if code}
    for outcome, code in crowd.codes.items():
        if outcome not in FULL and code in full:
            message = (
                f"'{outcome}' has the code of those who are paid in full. Those who "
                f"{WORDS[outcome]} would claim all of it. Give another one."
            )
            yield KeyProblem(("crowd", "codes", outcome), message)
    partner, spare = crowd.codes.get("partner_left"), (crowd.part_code, crowd.return_code)
    others = {code: each for each, code in crowd.codes.items() if each not in FULL}
    if partner is not None and (partner in others or partner in spare):
        shared = others.get(partner, "part_code" if partner == crowd.part_code else "return_code")
        message = (
            f"'partner_left' is paid in full and shares its code with '{shared}', which is not. "
            "Give another one."
        )
        yield KeyProblem(("crowd", "codes", "partner_left"), message)


def _is_lost(study: Study, panel: Panel, outcome: Outcome) -> bool:
    """Whether people with this outcome end with nothing that the panel understands."""
    crowd, is_full = study.crowd, outcome in FULL
    code = crowd.code_of(outcome, is_full=is_full, is_paid=_is_paid(study.pay, outcome))
    is_paid = is_full or _is_paid(study.pay, outcome)
    if code is not None or (is_full and crowd.credit is not None):
        return False
    if _needs(panel.needs_code, is_paid):
        return True
    if not _needs(panel.needs_return, is_paid):
        return False
    template = crowd.way_back(outcome, is_full=is_full)
    return template is None or "code" in placeholders_of(template)


def _needs(need: Need, is_paid: bool) -> bool:
    return need == "everybody" or (need == "paid" and is_paid)


def _is_paid(pay: Pay | None, outcome: Outcome) -> bool:
    """Whether an outcome is paid a part, not counting what waiting adds to others."""
    if pay is None:
        return False
    part: dict[Outcome, float] = {
        "screened_out": pay.practice,
        "waited": pay.waiting_per_minute,
        "attention_failed": pay.early,
        "over_quota": pay.over_quota,
        "stopped": pay.early,
        "withdrew": pay.early,
    }
    return part.get(outcome, 0.0) > 0
