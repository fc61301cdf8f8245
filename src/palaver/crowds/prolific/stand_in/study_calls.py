"""Calls about studies."""

from palaver.crowds.prolific.stand_in import studies
from palaver.crowds.prolific.stand_in.calls import CallTable, ReadCall, StandInAnswer, page
from palaver.crowds.prolific.stand_in.world import World, refuse

table = CallTable()


@table.on("GET", "studies/")
def _studies(world: World, call: ReadCall) -> StandInAnswer:
    state = call.query.get("state", "").upper().replace("_", " ")
    own = [s for s in world.state.studies.values() if not state or s.status == state]
    return page(call, [studies.study_view(world, each, base=call.base) for each in own])


@table.on("POST", "studies/")
def _make_study(world: World, call: ReadCall) -> StandInAnswer:
    made = studies.make_study(world, call.body)
    return StandInAnswer(studies.study_view(world, made, base=call.base), 201)


@table.on("GET", "studies/ID/?")
def _study(world: World, call: ReadCall) -> StandInAnswer:
    found = studies.study_named(world, call.names[0])
    return StandInAnswer(studies.study_view(world, found, base=call.base))


@table.on("PATCH", "studies/ID/")
def _update_study(world: World, call: ReadCall) -> StandInAnswer:
    found = studies.study_named(world, call.names[0])
    studies.update_study(world, found, call.body)
    return StandInAnswer(studies.study_view(world, found, base=call.base))


@table.on("DELETE", "studies/ID/")
def _delete_study(world: World, call: ReadCall) -> StandInAnswer:
    studies.delete_study(world, studies.study_named(world, call.names[0]))
    return StandInAnswer(None, 204)


@table.on("POST", "studies/ID/clone/")
def _copy_study(world: World, call: ReadCall) -> StandInAnswer:
    made = studies.copy_study(world, studies.study_named(world, call.names[0]))
    return StandInAnswer(studies.study_view(world, made, base=call.base), 201)


@table.on("POST", "studies/ID/transition/")
def _move_study(world: World, call: ReadCall) -> StandInAnswer:
    found = studies.study_named(world, call.names[0])
    studies.move_study(world, found, str(call.body.get("action", "")))
    return StandInAnswer(studies.study_view(world, found, base=call.base))


@table.on("POST", "studies/ID/test-study/?")
def _test_study(world: World, call: ReadCall) -> StandInAnswer:
    found = studies.study_named(world, call.names[0])
    if not world.state.test_participants:
        refuse("Create a test participant first.")
    if found.status != "UNPUBLISHED":
        refuse("Only a draft can be tested.")
    found.is_test = True
    return StandInAnswer(
        {"study_id": found.id, "study_url": f"{call.base}/studies/{found.id}"}, 201
    )


@table.on("POST", "researchers/participants/")
def _test_participant(world: World, call: ReadCall) -> StandInAnswer:
    email = str(call.body.get("email", ""))
    if "@" not in email:
        refuse({"email": ["Enter a valid email address."]})
    made = world.new_id()
    world.state.test_participants[made] = email
    return StandInAnswer({"participant_id": made}, 201)


@table.on("POST", "studies/ID/demographic-export/")
def _demographics(world: World, call: ReadCall) -> StandInAnswer:
    studies.study_named(world, call.names[0])
    return StandInAnswer({"message": "The export is being generated."}, 202)


@table.on("POST", "study-cost-calculator/")
def _cost(world: World, call: ReadCall) -> StandInAnswer:
    numbers = [call.body.get("reward"), call.body.get("total_available_places")]
    if any(isinstance(each, bool) or not isinstance(each, int) or each < 1 for each in numbers):
        refuse({"reward": ["A reward and places of at least 1 are required."]})
    parts = studies.cost_of(world, *(each for each in numbers if isinstance(each, int)))
    return StandInAnswer({"total_cost": sum(parts.values()), **parts})
