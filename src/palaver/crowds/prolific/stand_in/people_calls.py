"""Calls about groups, filters and messages."""

from palaver.crowds.prolific.stand_in import people
from palaver.crowds.prolific.stand_in.calls import CallTable, ReadCall, StandInAnswer, page
from palaver.crowds.prolific.stand_in.catalogue import FILTERS, eligible
from palaver.crowds.prolific.stand_in.world import World, existing, refuse

table = CallTable()


@table.on("GET", "participant-groups/")
def _groups(world: World, call: ReadCall) -> StandInAnswer:
    return page(call, [people.group_view(each) for each in world.state.groups.values()])


@table.on("POST", "participant-groups/")
def _make_group(world: World, call: ReadCall) -> StandInAnswer:
    return StandInAnswer(people.group_view(people.make_group(world, call.body)), 201)


@table.on("GET", "participant-groups/ID/participants/")
def _members(world: World, call: ReadCall) -> StandInAnswer:
    group = existing(world.state.groups, call.names[0], "Participant group")
    return page(call, people.members_view(group))


@table.on("POST", "participant-groups/ID/participants/")
def _add_members(world: World, call: ReadCall) -> StandInAnswer:
    group = people.change_group(world, call.names[0], call.body, adds=True)
    return StandInAnswer({"results": people.members_view(group)})


@table.on("DELETE", "participant-groups/ID/participants/")
def _remove_members(world: World, call: ReadCall) -> StandInAnswer:
    group = people.change_group(world, call.names[0], call.body, adds=False)
    return StandInAnswer({"results": people.members_view(group)})


@table.on("GET", "filters/")
def _filters(world: World, call: ReadCall) -> StandInAnswer:
    return page(call, list(FILTERS))


@table.on("GET", "filter-sets/")
def _filter_sets(world: World, call: ReadCall) -> StandInAnswer:
    return page(call, list(world.state.filter_sets.values()))


@table.on("POST", "filter-sets/")
def _make_filter_set(world: World, call: ReadCall) -> StandInAnswer:
    made = {**call.body, "id": world.new_id(), "version": 1}
    world.state.filter_sets[made["id"]] = made
    return StandInAnswer(made, 201)


@table.on("GET", "filter-sets/ID/")
def _filter_set(world: World, call: ReadCall) -> StandInAnswer:
    return StandInAnswer(existing(world.state.filter_sets, call.names[0], "Filter set"))


@table.on("POST", "eligibility-count/")
def _eligible(world: World, call: ReadCall) -> StandInAnswer:
    chosen = call.body.get("filters")
    if not isinstance(chosen, list):
        refuse({"filters": ["This field is required."]})
    return StandInAnswer({"count": eligible(chosen)})


@table.on("GET", "messages/")
def _messages(world: World, call: ReadCall) -> StandInAnswer:
    user, since = call.query.get("user_id"), call.query.get("created_after")
    if not user and not since:
        refuse("Either user_id or created_after is required.")
    own = [m for m in world.state.messages if not user or user in (m.sender, m.recipient)]
    return page(call, [people.message_view(each) for each in own])


@table.on("GET", "messages/unread/")
def _unread(world: World, call: ReadCall) -> StandInAnswer:
    own = [m for m in world.state.messages if m.sender != people.RESEARCHER and not m.is_read]
    return page(call, [people.message_view(each, unread=True) for each in own])


@table.on("POST", "messages/")
def _send(world: World, call: ReadCall) -> StandInAnswer:
    people.write(world, [str(call.body.get("recipient_id") or "")], call.body)
    return StandInAnswer(None, 204)


@table.on("POST", "messages/bulk/")
def _send_many(world: World, call: ReadCall) -> StandInAnswer:
    people.write(world, [str(each) for each in call.body.get("ids") or []], call.body)
    return StandInAnswer(None, 204)


@table.on("POST", "messages/participant-group/")
def _send_to_group(world: World, call: ReadCall) -> StandInAnswer:
    name = str(call.body.get("participant_group_id", ""))
    group = existing(world.state.groups, name, "Participant group")
    people.write(world, group.members, call.body)
    return StandInAnswer(None, 204)
