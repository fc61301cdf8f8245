"""Calls about hooks."""

from palaver.crowds.prolific.stand_in import hooks
from palaver.crowds.prolific.stand_in.calls import CallTable, ReadCall, StandInAnswer, page
from palaver.crowds.prolific.stand_in.world import World, existing

table = CallTable()


@table.on("GET", "hooks/event-types/")
def _event_types(world: World, call: ReadCall) -> StandInAnswer:
    return StandInAnswer({"results": hooks.event_types()})


@table.on("GET", "hooks/secrets/")
def _secrets(world: World, call: ReadCall) -> StandInAnswer:
    chosen = call.query.get("workspace_id")
    known = [each for each in world.state.secrets if chosen in (None, each)]
    return StandInAnswer({"results": [hooks.secret_view(world, each) for each in known]})


@table.on("POST", "hooks/secrets/")
def _make_secret(world: World, call: ReadCall) -> StandInAnswer:
    return StandInAnswer(hooks.make_secret(world, str(call.body.get("workspace_id", ""))), 201)


@table.on("GET", "hooks/subscriptions/?")
def _subscriptions(world: World, call: ReadCall) -> StandInAnswer:
    known = [hooks.subscription_view(each) for each in world.state.subscriptions.values()]
    return page(call, known)


@table.on("POST", "hooks/subscriptions/")
def _subscribe(world: World, call: ReadCall) -> StandInAnswer:
    made = hooks.subscribe(world, call.body)
    return StandInAnswer(hooks.subscription_view(made), 201, {"X-Hook-Secret": made.confirmation})


@table.on("POST", "hooks/subscriptions/ID/")
def _confirm(world: World, call: ReadCall) -> StandInAnswer:
    found = hooks.confirm(world, call.names[0], str(call.body.get("secret", "")))
    return StandInAnswer(hooks.subscription_view(found))


@table.on("GET", "hooks/subscriptions/ID/")
def _subscription(world: World, call: ReadCall) -> StandInAnswer:
    found = existing(world.state.subscriptions, call.names[0], "Subscription")
    return StandInAnswer(hooks.subscription_view(found))


@table.on("PATCH", "hooks/subscriptions/ID/")
def _change_subscription(world: World, call: ReadCall) -> StandInAnswer:
    return StandInAnswer(hooks.subscription_view(hooks.change(world, call.names[0], call.body)))


@table.on("DELETE", "hooks/subscriptions/ID/")
def _unsubscribe(world: World, call: ReadCall) -> StandInAnswer:
    existing(world.state.subscriptions, call.names[0], "Subscription").is_enabled = False
    return StandInAnswer(None, 204)


@table.on("GET", "hooks/subscriptions/ID/events/")
def _events(world: World, call: ReadCall) -> StandInAnswer:
    own = [d for d in world.state.deliveries if d.subscription == call.names[0]]
    return page(call, [hooks.delivery_view(each) for each in own])
