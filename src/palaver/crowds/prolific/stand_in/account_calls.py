"""Calls about the account, its workspaces, and pay."""

from palaver.crowds.prolific.stand_in import studies
from palaver.crowds.prolific.stand_in.calls import CallTable, ReadCall, StandInAnswer, page
from palaver.crowds.prolific.stand_in.world import World, existing, refuse

RESEARCHER = "5f0000000000000000000001"
table = CallTable()


@table.on("GET", "users/me/?")
def _me(world: World, call: ReadCall) -> StandInAnswer:
    return StandInAnswer(
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


@table.on("GET", "workspaces/")
def _workspaces(world: World, call: ReadCall) -> StandInAnswer:
    return page(call, [{"id": world.state.workspace, "title": "Stand-in workspace"}])


@table.on("GET", "workspaces/ID/balance/")
def _balance(world: World, call: ReadCall) -> StandInAnswer:
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
    return StandInAnswer(body)


def _own_workspace(world: World, name: str) -> None:
    if name != world.state.workspace:
        refuse("Workspace was not found", status=404, title="Not found")


@table.on("GET", "workspaces/ID/projects/")
def _projects(world: World, call: ReadCall) -> StandInAnswer:
    _own_workspace(world, call.names[0])
    return page(call, [_project_view(world, each) for each in world.state.projects])


@table.on("POST", "workspaces/ID/projects/")
def _make_project(world: World, call: ReadCall) -> StandInAnswer:
    _own_workspace(world, call.names[0])
    name = world.new_id()
    world.state.projects[name] = str(call.body.get("title", ""))
    return StandInAnswer(_project_view(world, name), 201)


@table.on("GET", "projects/ID/")
def _project(world: World, call: ReadCall) -> StandInAnswer:
    existing(world.state.projects, call.names[0], "Project")
    return StandInAnswer(_project_view(world, call.names[0]))


def _project_view(world: World, name: str) -> dict[str, str]:
    return {"id": name, "title": world.state.projects[name], "workspace": world.state.workspace}


@table.on("GET", "projects/ID/studies/")
def _project_studies(world: World, call: ReadCall) -> StandInAnswer:
    existing(world.state.projects, call.names[0], "Project")
    own = [s for s in world.state.studies.values() if s.body.get("project") == call.names[0]]
    return page(call, [studies.study_view(world, each, base=call.base) for each in own])


@table.on("GET", "reward-recommendations/")
def _recommendations(world: World, call: ReadCall) -> StandInAnswer:
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
    return StandInAnswer([newest])
