"""Studies of the stand-in: drafts, publishing, and when recruiting ends and begins again."""

import copy
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any
from urllib.parse import urlsplit

from palaver.core.money import Money
from palaver.crowds.prolific.bodies import DEVICES, PERIPHERALS
from palaver.crowds.prolific.records import CODE_ACTIONS, CODE_TYPES
from palaver.crowds.prolific.stand_in.catalogue import FILTER_IDS
from palaver.crowds.prolific.stand_in.state import KnownStudy, KnownSubmission
from palaver.crowds.prolific.stand_in.world import World, existing, refuse

# What keeps a place: the others have given theirs back.
HOLDING = frozenset(
    {"RESERVED", "ACTIVE", "PROCESSING", "AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED"}
    | {"SCREENED OUT"}
)
OPEN = frozenset({"RESERVED", "ACTIVE", "PROCESSING", "AWAITING REVIEW"})
FEE = Fraction(1, 3)
VAT = Fraction(1, 5)
CHANGEABLE = frozenset({"internal_name", "total_available_places"})
# The least a wage may be by the hour, in the smallest unit.
LEAST_HOURLY = {"GBP": 600, "USD": 800}
LONGEST = 24 * 60 - 1
TEXTS = ("name", "description", "prolific_id_option")


def make_study(world: World, body: dict[str, Any], *, workspace: str = "") -> KnownStudy:
    """A new draft; refused with what is wrong, field by field."""
    _check(world, body)
    study = KnownStudy(
        id=world.new_id(),
        workspace=workspace or world.state.workspace,
        body=copy.deepcopy(body),
        created=world.now,
    )
    world.state.studies[study.id] = study
    return study


def update_study(world: World, study: KnownStudy, body: dict[str, Any]) -> KnownStudy:
    """A changed study: all of a draft, and little of a published one."""
    if study.status == "UNPUBLISHED":
        changed = {**study.body, **body}
        _check(world, changed)
        study.body = copy.deepcopy(changed)
        return study
    if odd := sorted(set(body) - CHANGEABLE):
        refuse({name: ["This cannot be changed once a study is published."] for name in odd})
    places = body.get("total_available_places", study.places)
    if not isinstance(places, int) or places < study.places:
        refuse({"total_available_places": ["Places can only be added to a published study."]})
    grows = places > study.places
    study.body |= body
    if grows and study.status in ("AWAITING REVIEW", "COMPLETED"):
        study.is_stopped = False
        world.set_study(study, "ACTIVE")
    return study


def delete_study(world: World, study: KnownStudy) -> None:
    """Delete a draft."""
    if study.status != "UNPUBLISHED":
        refuse("Only an unpublished study can be deleted.")
    del world.state.studies[study.id]


def copy_study(world: World, study: KnownStudy) -> KnownStudy:
    """A draft like a study."""
    return make_study(world, {**study.body, "name": f"{study.body['name']} Copy"})


def move_study(world: World, study: KnownStudy, action: str) -> KnownStudy:
    """A study that was published, paused, started again or stopped."""
    allowed = {
        "PUBLISH": {"UNPUBLISHED"},
        "PAUSE": {"ACTIVE"},
        "START": {"PAUSED"},
        "STOP": {"ACTIVE", "PAUSED", "PUBLISHING", "SCHEDULED"},
    }
    if action not in allowed:
        refuse({"action": [f"'{action[:40]}' is not one of PUBLISH, PAUSE, START, STOP."]})
    if study.status not in allowed[action]:
        refuse(f"A study that is {study.status} cannot {action}.")
    if action == "PUBLISH":
        _publish(world, study)
    elif action == "STOP":
        study.is_stopped = True
        world.set_study(study, "AWAITING REVIEW")
    else:
        world.set_study(study, "PAUSED" if action == "PAUSE" else "ACTIVE")
    return study


def _publish(world: World, study: KnownStudy) -> None:
    due = sum(cost_of(world, study.reward, study.places).values())
    if due > available(world):
        refuse("There are not enough funds in the workspace to publish this study.")
    study.published = world.now
    study.active_from = world.now + world.switches.publishing_seconds
    world.set_study(study, "PUBLISHING")
    settle_study(world, study)


def settle_study(world: World, study: KnownStudy) -> None:
    """Bring a study to where it stands by now."""
    if study.status == "PUBLISHING" and (study.active_from or 0.0) <= world.now:
        world.set_study(study, "ACTIVE")
    taken = places_taken(world, study)
    if study.status == "ACTIVE" and taken >= study.places:
        world.set_study(study, "AWAITING REVIEW")
    elif study.status in ("AWAITING REVIEW", "COMPLETED"):
        if taken < study.places and not study.is_stopped:
            world.set_study(study, "ACTIVE")
        elif study.status == "AWAITING REVIEW" and _is_reviewed(world, study):
            world.set_study(study, "COMPLETED")


def reopen(study: KnownStudy) -> None:
    """A rejection opens a study again, stopped or not."""
    study.is_stopped = False


def _is_reviewed(world: World, study: KnownStudy) -> bool:
    own = submissions_of(world, study)
    return bool(own) and not any(each.status in OPEN for each in own)


def submissions_of(world: World, study: KnownStudy) -> list[KnownSubmission]:
    """The submissions of a study, the first first."""
    return [each for each in world.state.submissions.values() if each.study == study.id]


def places_taken(world: World, study: KnownStudy) -> int:
    """How many places are taken."""
    return sum(each.status in HOLDING for each in submissions_of(world, study))


def cost_of(world: World, reward: int, places: int) -> dict[str, int]:
    """Rewards, the service's fee of a third, and VAT on the fee."""
    rewards = Money(reward * places, world.state.currency)
    fees = rewards.share(FEE)
    return {"rewards": rewards.minor, "fees": fees.minor, "vat": fees.share(VAT).minor}


def spent(world: World) -> int:
    """What was paid so far, with fees: work, screen-outs, and bonuses as often as they were paid."""
    total = 0
    for each in world.state.submissions.values():
        reward = world.state.studies[each.study].reward if each.study in world.state.studies else 0
        is_paid = each.status in ("APPROVED", "PARTIALLY APPROVED", "SCREENED OUT")
        own = (reward if each.paid is None else each.paid) if is_paid else 0
        total += sum(cost_of(world, own + sum(each.bonuses), 1).values())
    return total


def available(world: World) -> int:
    """What is neither paid nor promised to a published study's open places."""
    promised = 0
    for study in world.state.studies.values():
        if study.status in ("PUBLISHING", "SCHEDULED", "ACTIVE", "PAUSED"):
            settled = sum(each.status not in OPEN for each in submissions_of(world, study))
            promised += sum(cost_of(world, study.reward, max(0, study.places - settled)).values())
    return world.state.funds - spent(world) - promised


def minutes_allowed(study: KnownStudy) -> int:
    """How long somebody may take: what was said, else a bound that grows with the estimate."""
    given = study.body.get("maximum_allowed_time")
    estimate = int(study.body["estimated_completion_time"])
    return int(given) if given else min(LONGEST, 3 * estimate + 10)


def study_view(world: World, study: KnownStudy, *, base: str) -> dict[str, Any]:
    """A study as the service shows it."""
    body, minutes = study.body, int(study.body["estimated_completion_time"])
    times = [
        each.completed - each.started
        for each in submissions_of(world, study)
        if each.completed is not None and each.started is not None
    ]
    average = _hourly(study.reward, sorted(times)[len(times) // 2] / 60) if times else None
    least = LEAST_HOURLY.get(world.state.currency)
    codes = body.get("completion_codes") or [{"code": body.get("completion_code", "")}]
    return {
        **body,
        "id": study.id,
        "internal_name": body.get("internal_name", body["name"]),
        "status": study.status,
        "date_created": moment(study.created),
        "published_at": moment(study.published),
        "places_taken": places_taken(world, study),
        "maximum_allowed_time": minutes_allowed(study),
        "estimated_reward_per_hour": _hourly(study.reward, minutes),
        "average_reward_per_hour": average or 0,
        "is_underpaying": None if average is None or least is None else average < least,
        "total_cost": sum(cost_of(world, study.reward, study.places).values()),
        "currency_code": world.state.currency,
        "presentment_currency_code": world.state.currency,
        "completion_url": f"{base}/submissions/complete?cc={codes[0]['code']}",
    }


def moment(seconds: float | None) -> str | None:
    """A time as the service writes it."""
    from_epoch = None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    return None if from_epoch is None else from_epoch.isoformat().replace("+00:00", "Z")


def _hourly(reward: int, minutes: float) -> int:
    return round(reward * 60 / minutes) if minutes > 0 else 0


def study_named(world: World, name: str) -> KnownStudy:
    """The study of that id."""
    return existing(world.state.studies, name, "Study")


def _check(world: World, body: dict[str, Any]) -> None:
    """Refuse a draft with what is wrong, by field."""
    wrong: dict[str, list[str]] = {}
    for name in TEXTS:
        if not isinstance(body.get(name), str) or not body[name].strip():
            wrong[name] = ["This field is required."]
    for name in ("total_available_places", "estimated_completion_time", "reward"):
        value = body.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            wrong[name] = ["Ensure this value is a whole number greater than or equal to 1."]
    parts = urlsplit(str(body.get("external_study_url") or ""))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        wrong["external_study_url"] = ["Enter a valid URL."]
    for name, known in (
        ("device_compatibility", DEVICES),
        ("peripheral_requirements", PERIPHERALS),
    ):
        if odd := [each for each in body.get(name, []) if each not in known]:
            wrong[name] = [f"{odd[0]!r} is not a valid choice."]
    limit = body.get("maximum_allowed_time")
    if limit is not None and not (isinstance(limit, int) and 0 < limit <= LONGEST):
        wrong["maximum_allowed_time"] = ["This must be less than 24 hours."]
    if odd := [each for each in body.get("filters", []) if each.get("filter_id") not in FILTER_IDS]:
        wrong["filters"] = [f"{odd[0].get('filter_id')!r} is not a valid filter."]
    if found := _wrong_codes(world, body):
        wrong["completion_codes"] = found
    if wrong:
        refuse(wrong)


def _wrong_codes(world: World, body: dict[str, Any]) -> list[str]:
    codes = body.get("completion_codes", [])
    if not codes and not body.get("completion_code"):
        return ["This field is required."]
    found = []
    told = [each.get("code") for each in codes]
    screening = [
        action
        for each in codes
        for action in each.get("actions", [])
        if action.get("action") == "FIXED_SCREEN_OUT_PAYMENT"
    ]
    if len(screening) > 1:
        found.append("Only one completion code may have a fixed screen out payment.")
    if any((each.get("fixed_screen_out_reward") or 0) >= body["reward"] for each in screening):
        found.append("The screen out reward must be less than the study reward.")
    if len(set(told)) < len(told):
        found.append("Completion codes must be unique.")
    for each in codes:
        actions = [action.get("action") for action in each.get("actions", [])]
        if not isinstance(each.get("code"), str) or not each["code"]:
            found.append("A code is required.")
        if each.get("code_type") not in CODE_TYPES:
            found.append(f"{each.get('code_type')!r} is not a valid code type.")
        if odd := [action for action in actions if action not in CODE_ACTIONS]:
            found.append(f"{odd[0]!r} is not a valid action.")
        if {"AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW"} <= set(actions):
            found.append("A code cannot both approve automatically and be reviewed.")
        named = [action.get("participant_group") for action in each.get("actions", [])]
        if missing := [name for name in named if name and name not in world.state.groups]:
            found.append(f"There is no participant group {missing[0]!r}.")
    return found
