"""Calls about submissions and bonuses."""

from palaver.crowds.prolific.stand_in import bonuses, studies, submissions
from palaver.crowds.prolific.stand_in.calls import CallTable, ReadCall, StandInAnswer, page
from palaver.crowds.prolific.stand_in.world import World

table = CallTable()


@table.on("GET", "studies/ID/submissions/")
def _study_submissions(world: World, call: ReadCall) -> StandInAnswer:
    own = studies.submissions_of(world, studies.study_named(world, call.names[0]))
    return page(call, [submissions.submission_view(world, each) for each in own])


@table.on("GET", "studies/ID/submissions/counts/")
def _counts(world: World, call: ReadCall) -> StandInAnswer:
    return StandInAnswer(submissions.counts_view(world, studies.study_named(world, call.names[0])))


@table.on("GET", "submissions/")
def _submissions(world: World, call: ReadCall) -> StandInAnswer:
    chosen = call.query.get("study")
    own = [s for s in world.state.submissions.values() if chosen in (None, s.study)]
    return page(call, [submissions.submission_view(world, each) for each in own])


@table.on("GET", "submissions/ID/")
def _submission(world: World, call: ReadCall) -> StandInAnswer:
    found = submissions.submission_named(world, call.names[0])
    return StandInAnswer(submissions.submission_view(world, found))


@table.on("POST", "submissions/ID/transition/")
def _move_submission(world: World, call: ReadCall) -> StandInAnswer:
    found = submissions.submission_named(world, call.names[0])
    submissions.move_submission(world, found, call.body)
    return StandInAnswer(submissions.submission_view(world, found))


@table.on("POST", "submissions/bulk-approve/")
def _approve_many(world: World, call: ReadCall) -> StandInAnswer:
    submissions.approve_many(world, call.body)
    return StandInAnswer({"message": "The request to bulk approve has been made successfully."})


@table.on("POST", "submissions/ID/request-return/")
def _ask_return(world: World, call: ReadCall) -> StandInAnswer:
    found = submissions.submission_named(world, call.names[0])
    submissions.ask_return(world, found, call.body)
    return StandInAnswer(submissions.submission_view(world, found))


@table.on("POST", "studies/ID/screen-out-submissions/")
def _screen_out(world: World, call: ReadCall) -> StandInAnswer:
    submissions.screen_out(world, studies.study_named(world, call.names[0]), call.body)
    return StandInAnswer({"message": "The submissions are being screened out."}, 202)


@table.on("POST", "submissions/bonus-payments/")
def _set_up(world: World, call: ReadCall) -> StandInAnswer:
    return StandInAnswer(bonuses.set_up(world, call.body), 201)


@table.on("POST", "bulk-bonus-payments/ID/pay/")
def _pay(world: World, call: ReadCall) -> StandInAnswer:
    bonuses.pay(world, call.names[0])
    return StandInAnswer({"message": "The bonuses will be paid in the following minutes."}, 202)
