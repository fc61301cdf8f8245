"""Submissions of the stand-in: who takes a place, gives it back, comes home with a code, is paid."""

from fractions import Fraction
from typing import Any

from palaver.core.errors import InputError
from palaver.core.money import Money, read_money
from palaver.crowds.prolific.checks import LEAST_PART, MOST_PART, rejection_problems
from palaver.crowds.prolific.records import SUBMISSION_STATUSES
from palaver.crowds.prolific.stand_in.people import write
from palaver.crowds.prolific.stand_in.state import KnownStudy, KnownSubmission
from palaver.crowds.prolific.stand_in.studies import (
    HOLDING,
    minutes_allowed,
    moment,
    reopen,
    settle_study,
    submissions_of,
)
from palaver.crowds.prolific.stand_in.world import World, existing, refuse

RESERVED_SECONDS = 600.0
REVIEW_SECONDS = 21 * 24 * 3_600.0
# The researcher decides on a submission that stands like this.
ACTIONS = {
    "APPROVE": ({"AWAITING REVIEW", "TIMED-OUT", "RETURNED", "REJECTED"}, "APPROVED"),
    "REJECT": ({"AWAITING REVIEW", "TIMED-OUT"}, "REJECTED"),
    "UNREJECT": ({"REJECTED"}, "AWAITING REVIEW"),
    "RETURN": ({"ACTIVE", "RESERVED", "AWAITING REVIEW"}, "RETURNED"),
    "UNRETURN": ({"RETURNED"}, "AWAITING REVIEW"),
    "SCREEN_OUT": ({"ACTIVE", "AWAITING REVIEW"}, "SCREENED OUT"),
    "START": ({"RESERVED"}, "ACTIVE"),
}


def settle(world: World) -> None:
    """Bring everything to where it stands by now: places that ran out, reviews that are over."""
    for each in list(world.state.submissions.values()):
        study = world.state.studies.get(each.study)
        if study is not None:
            _settle(world, study, each)
    for study in list(world.state.studies.values()):
        settle_study(world, study)


def _settle(world: World, study: KnownStudy, each: KnownSubmission) -> None:
    now = world.now
    if each.becomes and each.becomes_at <= now:
        _arrive_at(world, each, each.becomes)
    elif each.status == "RESERVED" and each.reserved + RESERVED_SECONDS <= now:
        world.set_submission(each, "RETURNED")
    elif each.status == "ACTIVE" and _is_late(study, each, now):
        world.set_submission(each, "TIMED-OUT")
    elif each.status == "AWAITING REVIEW" and (each.completed or now) + REVIEW_SECONDS <= now:
        world.set_submission(each, "APPROVED")


def _is_late(study: KnownStudy, each: KnownSubmission, now: float) -> bool:
    return (each.started or each.reserved) + 60 * minutes_allowed(study) <= now


def reserve(world: World, study: KnownStudy, participant: str) -> KnownSubmission:
    """A place for somebody, for ten minutes; refused where there is none for them."""
    settle_study(world, study)
    if study.status != "ACTIVE" and not (study.is_test and study.status == "UNPUBLISHED"):
        refuse(f"This study is {study.status}: it takes nobody.")
    config = study.body.get("submissions_config") or {}
    most = config.get("max_submissions_per_participant", 1)
    own = [each for each in submissions_of(world, study) if each.participant == participant]
    if most != -1 and len(own) >= most:
        refuse("This participant has taken part already.")
    if not _may(world, study.body.get("filters") or [], participant):
        refuse("This participant is not eligible for this study.")
    submission = KnownSubmission(
        id=world.new_id(),
        study=study.id,
        participant=participant,
        status="RESERVED",
        reserved=world.now,
    )
    world.state.submissions[submission.id] = submission
    world.set_submission(submission, "RESERVED")
    settle_study(world, study)
    return submission


def _may(world: World, filters: list[dict[str, Any]], participant: str) -> bool:
    """Whether somebody passes the lists of groups and studies; everybody passes all else."""
    for each in filters:
        named, chosen = each.get("filter_id"), each.get("selected_values") or []
        groups = [world.state.groups[name] for name in chosen if name in world.state.groups]
        is_member = any(participant in group.members for group in groups)
        took_part = any(
            one.study in chosen and one.participant == participant
            for one in world.state.submissions.values()
        )
        if named == "participant_group_blocklist" and is_member:
            return False
        if named == "participant_group_allowlist" and not is_member:
            return False
        if named == "previous_studies_blocklist" and took_part:
            return False
        if named == "previous_studies_allowlist" and not took_part:
            return False
    return True


def start(world: World, submission: KnownSubmission) -> None:
    """Begin: the participant opens the study."""
    if submission.status == "RESERVED":
        submission.started = world.now
        world.set_submission(submission, "ACTIVE")


def complete(
    world: World,
    submission: KnownSubmission,
    code: str,
    *,
    actor: str = "participant",
    part: int | None = None,
) -> None:
    """Come home with a code; what follows is what the study says of it.

    `part` is what a code that pays a part pays, in the smallest unit.
    """
    if submission.status not in ("ACTIVE", "TIMED-OUT", "RESERVED"):
        refuse(f"A submission that is {submission.status} cannot be completed.")
    study = existing(world.state.studies, submission.study, "Study")
    known = next((c for c in study.body.get("completion_codes", []) if c["code"] == code), None)
    if known is not None and known.get("actor", actor) != actor:
        refuse("This code is not for the participant to use.")
    submission.code, submission.paid = code, part
    submission.completed = world.now
    submission.started = submission.started or submission.reserved
    becomes = "AWAITING REVIEW" if known is None else _follow(world, study, submission, known)
    if world.switches.processing_seconds > 0:
        submission.becomes = becomes
        submission.becomes_at = world.now + world.switches.processing_seconds
        world.set_submission(submission, "PROCESSING")
    else:
        _arrive_at(world, submission, becomes)
    settle_study(world, study)


def _follow(
    world: World, study: KnownStudy, submission: KnownSubmission, code: dict[str, Any]
) -> str:
    """Do what a code says, and return how the submission stands after it."""
    becomes = "AWAITING REVIEW"
    for each in code.get("actions", []):
        action, group = each["action"], world.state.groups.get(each.get("participant_group", ""))
        if action == "AUTOMATICALLY_APPROVE":
            becomes = "APPROVED"
        elif action == "DYNAMIC_PAYMENT" and submission.paid is not None:
            becomes = "PARTIALLY APPROVED"
        elif action == "ADD_TO_PARTICIPANT_GROUP" and group is not None:
            if submission.participant not in group.members:
                group.members.append(submission.participant)
        elif action == "REMOVE_FROM_PARTICIPANT_GROUP" and group is not None:
            group.members = [one for one in group.members if one != submission.participant]
        elif action == "REQUEST_RETURN":
            submission.return_requested = world.now
        elif action == "FIXED_SCREEN_OUT_PAYMENT" and _screened(world, study, code) < each["slots"]:
            submission.paid = int(each["fixed_screen_out_reward"])
            # Somebody else gets a place of their own.
            study.body["total_available_places"] = study.places + 1
            becomes = "SCREENED OUT"
    return becomes


def _screened(world: World, study: KnownStudy, code: dict[str, Any]) -> int:
    return sum(
        each.status == "SCREENED OUT" and each.code == code["code"]
        for each in submissions_of(world, study)
    )


def _arrive_at(world: World, submission: KnownSubmission, status: str) -> None:
    submission.becomes = ""
    world.set_submission(submission, status)


def give_back(world: World, submission: KnownSubmission) -> None:
    """The participant returns their place."""
    if submission.status not in HOLDING - {"APPROVED", "SCREENED OUT", "PARTIALLY APPROVED"}:
        refuse(f"A submission that is {submission.status} cannot be returned.")
    world.set_submission(submission, "RETURNED")


def run_out(world: World, submission: KnownSubmission) -> None:
    """The participant's time is over."""
    if submission.status not in ("ACTIVE", "RESERVED"):
        refuse(f"A submission that is {submission.status} cannot run out of time.")
    world.set_submission(submission, "TIMED-OUT")


def move_submission(world: World, submission: KnownSubmission, body: dict[str, Any]) -> None:
    """What the researcher decides."""
    action = str(body.get("action", ""))
    if action == "COMPLETE":
        _complete_from_here(world, submission, body)
        return
    if action not in ACTIONS:
        refuse({"action": [f"{action[:40]!r} is not a valid choice."]})
    allowed, becomes = ACTIONS[action]
    if submission.status not in allowed:
        refuse(f"A submission that is {submission.status} cannot {action}.")
    if action == "REJECT":
        message, category = str(body.get("message", "")), str(body.get("rejection_category", ""))
        if wrong := rejection_problems(message, category):
            refuse({"message": list(wrong)})
        submission.rejection = {"message": message, "category": category}
        reopen(world.state.studies[submission.study])
    if action == "START":
        submission.started = world.now
    world.set_submission(submission, becomes)


def _complete_from_here(world: World, submission: KnownSubmission, body: dict[str, Any]) -> None:
    code = str(body.get("completion_code", ""))
    study = existing(world.state.studies, submission.study, "Study")
    known = next((c for c in study.body.get("completion_codes", []) if c["code"] == code), None)
    if known is None or known.get("actor") != "researcher":
        refuse({"completion_code": ["This code is not for the researcher to use."]})
    actions = [each["action"] for each in known.get("actions", [])]
    part = _part_paid(world, study, body) if "DYNAMIC_PAYMENT" in actions else None
    complete(world, submission, code, actor="researcher", part=part)
    told = (body.get("completion_code_data") or {}).get("message_to_participant")
    if part is not None and told:
        write(world, [submission.participant], {"study_id": study.id, "body": told})


def _part_paid(world: World, study: KnownStudy, body: dict[str, Any]) -> int:
    """The part of the reward that is asked for, in the smallest unit."""
    percent = (body.get("completion_code_data") or {}).get("percentage_of_reward")
    if not isinstance(percent, int | float) or not LEAST_PART <= percent <= MOST_PART:
        told = f"percentage_of_reward must be from {LEAST_PART} to {MOST_PART}."
        refuse({"completion_code_data": [told]})
    return Money(study.reward, world.state.currency).share(Fraction(percent) / 100).minor


def approve_many(world: World, body: dict[str, Any]) -> None:
    """Approve many, by and by: they still await review in this call's answer."""
    chosen = body.get("submission_ids")
    people = set(body.get("participant_ids") or [])
    found = (
        [existing(world.state.submissions, each, "Submission") for each in chosen]
        if chosen
        else [
            each
            for each in world.state.submissions.values()
            if each.study == body.get("study_id") and each.participant in people
        ]
    )
    if not found:
        refuse("No submissions were named.")
    for each in found:
        if each.status == "AWAITING REVIEW":
            each.becomes, each.becomes_at = "APPROVED", world.now


def ask_return(world: World, submission: KnownSubmission, body: dict[str, Any]) -> None:
    """Ask somebody to return; they decide."""
    if not body.get("request_return_reasons"):
        refuse({"request_return_reasons": ["This field is required."]})
    submission.return_requested = world.now


def screen_out(world: World, study: KnownStudy, body: dict[str, Any]) -> None:
    """Pay people who are not for this study a fixed amount."""
    if not study.body.get("is_custom_screening"):
        refuse("This study was not made with custom screening.")
    named = [
        existing(world.state.submissions, n, "Submission") for n in body.get("submission_ids", [])
    ]
    if not named or any(each.study != study.id for each in named):
        refuse({"submission_ids": ["These must be submissions of this study."]})
    try:
        due = read_money(body.get("bonus_per_submission", 0), world.state.currency)
    except InputError as error:
        refuse({"bonus_per_submission": [str(error)]})
    for each in named:
        each.paid = due.minor
        world.set_submission(each, "SCREENED OUT")
    if body.get("increase_places"):
        study.body["total_available_places"] = study.places + len(named)


def submission_view(world: World, each: KnownSubmission) -> dict[str, Any]:
    """A submission as the service shows it."""
    is_done = each.completed is not None
    reward = world.state.studies[each.study].reward
    part = each.paid if each.status == "PARTIALLY APPROVED" else None
    return {
        "id": each.id,
        "participant_id": each.participant,
        "study_id": each.study,
        "status": each.status,
        "started_at": moment(each.started or each.reserved),
        "completed_at": moment(each.completed),
        "is_complete": is_done,
        "time_taken": (each.completed or 0) - (each.started or 0) if is_done else None,
        "reward": reward if part is None else part,
        "study_code": each.code or None,
        "star_awarded": False,
        "bonus_payments": each.bonuses,
        "return_requested": moment(each.return_requested),
        "strata": {"date of birth": "", "sex": "CONSENT_REVOKED"},
        "ip": "192.0.2.1",
    }


def counts_view(world: World, study: KnownStudy) -> dict[str, int]:
    """How many submissions stand how."""
    own = [each.status for each in submissions_of(world, study)]
    words = [word.upper().replace("_", " ") for word in SUBMISSION_STATUSES]
    shown = ["TIMED-OUT" if word == "TIMED OUT" else word for word in words if word != "PROCESSING"]
    return {word: own.count(word) for word in shown} | {"TOTAL": len(own)}


def submission_named(world: World, name: str) -> KnownSubmission:
    """The submission of that id."""
    return existing(world.state.submissions, name, "Submission")
