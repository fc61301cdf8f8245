"""The calls that the stand-in answers: which path does what, with slashes at the end where they belong."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from palaver.crowds.prolific.stand_in import bonuses, hooks, people, studies, submissions
from palaver.crowds.prolific.stand_in.catalogue import FILTERS, eligible
from palaver.crowds.prolific.stand_in.world import World, existing, refuse

MOST_ON_A_PAGE = 200
RESEARCHER = "5f0000000000000000000001"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCall:
    """A call: where to, with what; `base` is the stand-in's own address."""

    base: str
    method: str
    path: str
    names: tuple[str, ...] = ()
    query: Mapping[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Told:
    """What a call is answered with."""

    content: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Endpoint = Callable[[World, ReadCall], Told]
_ID = "([A-Za-z0-9_-]+)"
_table: list[tuple[str, re.Pattern[str], Endpoint]] = []


def on(method: str, path: str) -> Callable[[Endpoint], Endpoint]:
    """Answer calls of this method to this path, in which ID stands for an id."""

    def added(endpoint: Endpoint) -> Endpoint:
        _table.append((method, re.compile(path.replace("ID", _ID)), endpoint))
        return endpoint

    return added


def find(method: str, path: str) -> tuple[Endpoint, tuple[str, ...]]:
    """What answers a call, and the ids in its path; refused as the service does where nothing does."""
    known = [(verb, end, found) for verb, way, end in _table if (found := way.fullmatch(path))]
    for verb, end, found in known:
        if verb == method:
            return end, found.groups()
    if known:
        refuse(f"Method {method} not allowed.", status=405, title="Method not allowed")
    refuse("Not found.", status=404, title="Not found")


def answer(world: World, call: ReadCall) -> Told:
    """The answer to a call."""
    endpoint, names = find(call.method, call.path)
    return endpoint(world, ReadCall(**{**_fields(call), "names": names}))


def _fields(call: ReadCall) -> dict[str, Any]:
    return {name: getattr(call, name) for name in ("base", "method", "path", "query", "body")}


def page(call: ReadCall, found: list[Any]) -> Told:
    """A page of a list, with links to the others."""
    limit = min(_number(call, "limit", 20), MOST_ON_A_PAGE)
    offset = _number(call, "offset", 0)
    end = offset + limit
    here = f"{call.base}/api/v1/{call.path}"

    def link(title: str, at: int | None) -> dict[str, Any]:
        href = None if at is None else f"{here}?limit={limit}&offset={at}"
        return {"href": href, "title": title}

    links = {
        "self": link("Current", offset),
        "next": link("Next", end if end < len(found) else None),
        "previous": link("Previous", max(0, offset - limit) if offset else None),
        "last": link("Last", max(0, len(found) - 1) // limit * limit),
    }
    body = {"results": found[offset:end], "_links": links, "meta": {"count": len(found)}}
    return Told(body)


def _number(call: ReadCall, name: str, usual: int) -> int:
    told = call.query.get(name, "")
    return int(told[:6]) if told.isascii() and told.isdecimal() and int(told[:6]) else usual


# Who, and where.


@on("GET", "users/me/?")
def _me(world: World, call: ReadCall) -> Told:
    return Told(
        {
            "id": RESEARCHER,
            "email": "researcher@stand-in.example",
            "name": "Stand-in researcher",
            "user_type": "researcher",
            "currency_code": world.state.currency,
            "balance": world.state.funds - studies.spent(world),
            "available_balance": studies.available(world),
        }
    )


@on("GET", "workspaces/")
def _workspaces(world: World, call: ReadCall) -> Told:
    return page(call, [{"id": world.state.workspace, "title": "Stand-in workspace"}])


@on("GET", "workspaces/ID/balance/")
def _balance(world: World, call: ReadCall) -> Told:
    _own_workspace(world, call.names[0])
    total = world.state.funds - studies.spent(world)
    free = studies.available(world)
    # Of what may be spent, as rewards with a third for the service and VAT on that third: 5 : 7.
    rewards = free * 5 // 7
    fees = rewards // 3
    parts = {"rewards": rewards, "fees": fees, "vat": free - rewards - fees}
    body = {
        "currency_code": world.state.currency,
        "total_balance": total,
        "balance_breakdown": parts,
        "available_balance": free,
        "available_balance_breakdown": parts,
    }
    return Told(body)


def _own_workspace(world: World, name: str) -> None:
    if name != world.state.workspace:
        refuse("Workspace was not found", status=404, title="Not found")


@on("GET", "workspaces/ID/projects/")
def _projects(world: World, call: ReadCall) -> Told:
    _own_workspace(world, call.names[0])
    return page(call, [_project_view(world, each) for each in world.state.projects])


@on("POST", "workspaces/ID/projects/")
def _make_project(world: World, call: ReadCall) -> Told:
    _own_workspace(world, call.names[0])
    name = world.new_id()
    world.state.projects[name] = str(call.body.get("title", ""))
    return Told(_project_view(world, name), 201)


@on("GET", "projects/ID/")
def _project(world: World, call: ReadCall) -> Told:
    existing(world.state.projects, call.names[0], "Project")
    return Told(_project_view(world, call.names[0]))


def _project_view(world: World, name: str) -> dict[str, str]:
    return {"id": name, "title": world.state.projects[name], "workspace": world.state.workspace}


@on("GET", "projects/ID/studies/")
def _project_studies(world: World, call: ReadCall) -> Told:
    existing(world.state.projects, call.names[0], "Project")
    own = [s for s in world.state.studies.values() if s.body.get("project") == call.names[0]]
    return page(call, [studies.study_view(world, each, base=call.base) for each in own])


@on("GET", "reward-recommendations/")
def _recommendations(world: World, call: ReadCall) -> Told:
    currency = call.query.get("currency") or call.query.get("currency_code") or ""
    rates = {"GBP": (600, 900), "USD": (800, 1_200)}
    if currency not in rates:
        refuse({"currency": ["Choose GBP or USD."]})
    least, good = rates[currency]
    newest = {
        "currency": currency,
        "min_reward_per_hour": least,
        "recommended_reward_per_hour": good,
    }
    return Told([newest])


# Studies.


@on("GET", "studies/")
def _studies(world: World, call: ReadCall) -> Told:
    state = call.query.get("state", "").upper().replace("_", " ")
    own = [s for s in world.state.studies.values() if not state or s.status == state]
    return page(call, [studies.study_view(world, each, base=call.base) for each in own])


@on("POST", "studies/")
def _make_study(world: World, call: ReadCall) -> Told:
    made = studies.make_study(world, call.body)
    return Told(studies.study_view(world, made, base=call.base), 201)


@on("GET", "studies/ID/?")
def _study(world: World, call: ReadCall) -> Told:
    found = studies.study_named(world, call.names[0])
    return Told(studies.study_view(world, found, base=call.base))


@on("PATCH", "studies/ID/")
def _update_study(world: World, call: ReadCall) -> Told:
    found = studies.study_named(world, call.names[0])
    studies.update_study(world, found, call.body)
    return Told(studies.study_view(world, found, base=call.base))


@on("DELETE", "studies/ID/")
def _delete_study(world: World, call: ReadCall) -> Told:
    studies.delete_study(world, studies.study_named(world, call.names[0]))
    return Told(None, 204)


@on("POST", "studies/ID/clone/")
def _copy_study(world: World, call: ReadCall) -> Told:
    made = studies.copy_study(world, studies.study_named(world, call.names[0]))
    return Told(studies.study_view(world, made, base=call.base), 201)


@on("POST", "studies/ID/transition/")
def _move_study(world: World, call: ReadCall) -> Told:
    found = studies.study_named(world, call.names[0])
    studies.move_study(world, found, str(call.body.get("action", "")))
    return Told(studies.study_view(world, found, base=call.base))


@on("POST", "studies/ID/test-study/?")
def _test_study(world: World, call: ReadCall) -> Told:
    found = studies.study_named(world, call.names[0])
    if not world.state.test_participants:
        refuse("Create a test participant first.")
    if found.status != "UNPUBLISHED":
        refuse("Only a draft can be tested.")
    found.is_test = True
    return Told({"study_id": found.id, "study_url": f"{call.base}/studies/{found.id}"}, 201)


@on("POST", "researchers/participants/")
def _test_participant(world: World, call: ReadCall) -> Told:
    email = str(call.body.get("email", ""))
    if "@" not in email:
        refuse({"email": ["Enter a valid email address."]})
    made = world.new_id()
    world.state.test_participants[made] = email
    return Told({"participant_id": made}, 201)


@on("POST", "studies/ID/demographic-export/")
def _demographics(world: World, call: ReadCall) -> Told:
    studies.study_named(world, call.names[0])
    return Told({"message": "The export is being generated."}, 202)


@on("POST", "study-cost-calculator/")
def _cost(world: World, call: ReadCall) -> Told:
    numbers = [call.body.get("reward"), call.body.get("total_available_places")]
    if any(isinstance(each, bool) or not isinstance(each, int) or each < 1 for each in numbers):
        refuse({"reward": ["A reward and places of at least 1 are required."]})
    parts = studies.cost_of(world, *(each for each in numbers if isinstance(each, int)))
    return Told({"total_cost": sum(parts.values()), **parts})


# Submissions.


@on("GET", "studies/ID/submissions/")
def _study_submissions(world: World, call: ReadCall) -> Told:
    own = studies.submissions_of(world, studies.study_named(world, call.names[0]))
    return page(call, [submissions.submission_view(world, each) for each in own])


@on("GET", "studies/ID/submissions/counts/")
def _counts(world: World, call: ReadCall) -> Told:
    return Told(submissions.counts_view(world, studies.study_named(world, call.names[0])))


@on("GET", "submissions/")
def _submissions(world: World, call: ReadCall) -> Told:
    chosen = call.query.get("study")
    own = [s for s in world.state.submissions.values() if chosen in (None, s.study)]
    return page(call, [submissions.submission_view(world, each) for each in own])


@on("GET", "submissions/ID/")
def _submission(world: World, call: ReadCall) -> Told:
    found = submissions.submission_named(world, call.names[0])
    return Told(submissions.submission_view(world, found))


@on("POST", "submissions/ID/transition/")
def _move_submission(world: World, call: ReadCall) -> Told:
    found = submissions.submission_named(world, call.names[0])
    submissions.move_submission(world, found, call.body)
    return Told(submissions.submission_view(world, found))


@on("POST", "submissions/bulk-approve/")
def _approve_many(world: World, call: ReadCall) -> Told:
    submissions.approve_many(world, call.body)
    return Told({"message": "The request to bulk approve has been made successfully."})


@on("POST", "submissions/ID/request-return/")
def _ask_return(world: World, call: ReadCall) -> Told:
    found = submissions.submission_named(world, call.names[0])
    submissions.ask_return(world, found, call.body)
    return Told(submissions.submission_view(world, found))


@on("POST", "studies/ID/screen-out-submissions/")
def _screen_out(world: World, call: ReadCall) -> Told:
    submissions.screen_out(world, studies.study_named(world, call.names[0]), call.body)
    return Told({"message": "The submissions are being screened out."}, 202)


# Bonuses.


@on("POST", "submissions/bonus-payments/")
def _set_up(world: World, call: ReadCall) -> Told:
    return Told(bonuses.set_up(world, call.body), 201)


@on("POST", "bulk-bonus-payments/ID/pay/")
def _pay(world: World, call: ReadCall) -> Told:
    bonuses.pay(world, call.names[0])
    return Told({"message": "The bonuses will be paid in the following minutes."}, 202)


# Groups, filters, messages.


@on("GET", "participant-groups/")
def _groups(world: World, call: ReadCall) -> Told:
    return page(call, [people.group_view(each) for each in world.state.groups.values()])


@on("POST", "participant-groups/")
def _make_group(world: World, call: ReadCall) -> Told:
    return Told(people.group_view(people.make_group(world, call.body)), 201)


@on("GET", "participant-groups/ID/participants/")
def _members(world: World, call: ReadCall) -> Told:
    group = existing(world.state.groups, call.names[0], "Participant group")
    return page(call, people.members_view(group))


@on("POST", "participant-groups/ID/participants/")
def _add_members(world: World, call: ReadCall) -> Told:
    group = people.change_group(world, call.names[0], call.body, adds=True)
    return Told({"results": people.members_view(group)})


@on("DELETE", "participant-groups/ID/participants/")
def _remove_members(world: World, call: ReadCall) -> Told:
    group = people.change_group(world, call.names[0], call.body, adds=False)
    return Told({"results": people.members_view(group)})


@on("GET", "filters/")
def _filters(world: World, call: ReadCall) -> Told:
    return page(call, list(FILTERS))


@on("GET", "filter-sets/")
def _filter_sets(world: World, call: ReadCall) -> Told:
    return page(call, list(world.state.filter_sets.values()))


@on("POST", "filter-sets/")
def _make_filter_set(world: World, call: ReadCall) -> Told:
    made = {**call.body, "id": world.new_id(), "version": 1}
    world.state.filter_sets[made["id"]] = made
    return Told(made, 201)


@on("GET", "filter-sets/ID/")
def _filter_set(world: World, call: ReadCall) -> Told:
    return Told(existing(world.state.filter_sets, call.names[0], "Filter set"))


@on("POST", "eligibility-count/")
def _eligible(world: World, call: ReadCall) -> Told:
    chosen = call.body.get("filters")
    if not isinstance(chosen, list):
        refuse({"filters": ["This field is required."]})
    return Told({"count": eligible(chosen)})


@on("GET", "messages/")
def _messages(world: World, call: ReadCall) -> Told:
    user, since = call.query.get("user_id"), call.query.get("created_after")
    if not user and not since:
        refuse("Either user_id or created_after is required.")
    own = [m for m in world.state.messages if not user or user in (m.sender, m.recipient)]
    return page(call, [people.message_view(each) for each in own])


@on("GET", "messages/unread/")
def _unread(world: World, call: ReadCall) -> Told:
    own = [m for m in world.state.messages if m.sender != people.RESEARCHER and not m.is_read]
    return page(call, [people.message_view(each, unread=True) for each in own])


@on("POST", "messages/")
def _send(world: World, call: ReadCall) -> Told:
    people.write(world, [str(call.body.get("recipient_id") or "")], call.body)
    return Told(None, 204)


@on("POST", "messages/bulk/")
def _send_many(world: World, call: ReadCall) -> Told:
    people.write(world, [str(each) for each in call.body.get("ids") or []], call.body)
    return Told(None, 204)


@on("POST", "messages/participant-group/")
def _send_to_group(world: World, call: ReadCall) -> Told:
    name = str(call.body.get("participant_group_id", ""))
    group = existing(world.state.groups, name, "Participant group")
    people.write(world, group.members, call.body)
    return Told(None, 204)


# Hooks.


@on("GET", "hooks/event-types/")
def _event_types(world: World, call: ReadCall) -> Told:
    return Told({"results": hooks.event_types()})


@on("GET", "hooks/secrets/")
def _secrets(world: World, call: ReadCall) -> Told:
    chosen = call.query.get("workspace_id")
    known = [each for each in world.state.secrets if chosen in (None, each)]
    return Told({"results": [hooks.secret_view(world, each) for each in known]})


@on("POST", "hooks/secrets/")
def _make_secret(world: World, call: ReadCall) -> Told:
    return Told(hooks.make_secret(world, str(call.body.get("workspace_id", ""))), 201)


@on("GET", "hooks/subscriptions/?")
def _subscriptions(world: World, call: ReadCall) -> Told:
    known = [hooks.subscription_view(each) for each in world.state.subscriptions.values()]
    return page(call, known)


@on("POST", "hooks/subscriptions/")
def _subscribe(world: World, call: ReadCall) -> Told:
    made = hooks.subscribe(world, call.body)
    return Told(hooks.subscription_view(made), 201, {"X-Hook-Secret": made.confirmation})


@on("POST", "hooks/subscriptions/ID/")
def _confirm(world: World, call: ReadCall) -> Told:
    found = hooks.confirm(world, call.names[0], str(call.body.get("secret", "")))
    return Told(hooks.subscription_view(found))


@on("GET", "hooks/subscriptions/ID/")
def _subscription(world: World, call: ReadCall) -> Told:
    found = existing(world.state.subscriptions, call.names[0], "Subscription")
    return Told(hooks.subscription_view(found))


@on("PATCH", "hooks/subscriptions/ID/")
def _change_subscription(world: World, call: ReadCall) -> Told:
    return Told(hooks.subscription_view(hooks.change(world, call.names[0], call.body)))


@on("DELETE", "hooks/subscriptions/ID/")
def _unsubscribe(world: World, call: ReadCall) -> Told:
    existing(world.state.subscriptions, call.names[0], "Subscription").is_enabled = False
    return Told(None, 204)


@on("GET", "hooks/subscriptions/ID/events/")
def _events(world: World, call: ReadCall) -> Told:
    own = [d for d in world.state.deliveries if d.subscription == call.names[0]]
    return page(call, [hooks.delivery_view(each) for each in own])
