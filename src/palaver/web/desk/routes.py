"""The researcher's desk: every route below /desk, and what an error looks like there."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from palaver.core.errors import AccessError
from palaver.web.desk.audit.routes import routes as audit
from palaver.web.desk.challenges.close_routes import routes as challenge_closing
from palaver.web.desk.challenges.routes import routes as challenges
from palaver.web.desk.challenges.team_routes import routes as challenge_teams
from palaver.web.desk.components.routes import routes as components
from palaver.web.desk.dialogues.routes import routes as dialogues
from palaver.web.desk.frame import RefusalPage, shell
from palaver.web.desk.questions.routes import routes as questions
from palaver.web.desk.raters.routes import routes as raters
from palaver.web.desk.recruiting.filter_routes import routes as filters
from palaver.web.desk.recruiting.payment_routes import routes as payments
from palaver.web.desk.recruiting.routes import routes as recruiting
from palaver.web.desk.recruiting.submission_routes import routes as submissions
from palaver.web.desk.results.routes import routes as results
from palaver.web.desk.rounds.example_routes import routes as round_examples
from palaver.web.desk.rounds.routes import routes as rounds
from palaver.web.desk.settings.account_routes import routes as account
from palaver.web.desk.settings.own_routes import routes as own
from palaver.web.desk.settings.recruiting_routes import routes as panel_access
from palaver.web.desk.settings.routes import routes as settings
from palaver.web.desk.signing_in.provider_routes import routes as provider
from palaver.web.desk.signing_in.routes import routes as signing_in
from palaver.web.desk.studies.editing import routes as editing
from palaver.web.desk.studies.erasing import routes as erasing
from palaver.web.desk.studies.kept_links import routes as kept_links
from palaver.web.desk.studies.life_routes import routes as lives
from palaver.web.desk.studies.links import routes as links
from palaver.web.desk.studies.making import routes as making_studies
from palaver.web.desk.studies.rehearsing import routes as rehearsing
from palaver.web.desk.studies.routes import routes as studies
from palaver.web.desk.tasks.adding.dataset_routes import routes as adding_data
from palaver.web.desk.tasks.adding.making_routes import routes as making
from palaver.web.desk.tasks.adding.model_routes import routes as adding_models
from palaver.web.desk.tasks.model_routes import routes as task_models
from palaver.web.desk.tasks.routes import routes as tasks
from palaver.web.desk.tasks.run_routes import routes as task_runs
from palaver.web.desk.tasks.settings_routes import routes as task_settings
from palaver.web.rendering import show

routes: list[BaseRoute] = [
    *signing_in,
    *provider,
    *studies,
    *erasing,
    *links,
    *kept_links,
    *lives,
    *making_studies,
    *rehearsing,
    *editing,
    *filters,
    *recruiting,
    *submissions,
    *payments,
    *dialogues,
    *questions,
    *raters,
    *results,
    *tasks,
    *task_runs,
    *task_models,
    *task_settings,
    *rounds,
    *round_examples,
    *adding_data,
    *adding_models,
    *making,
    *challenges,
    *challenge_teams,
    *challenge_closing,
    *audit,
    *settings,
    *own,
    *panel_access,
    *account,
    *components,
]


def refuse(request: Request, error: AccessError) -> Response:
    """Somebody who is signed in may not do this."""
    return explain(request, 403, "You do not have access to this", str(error))


def explain(request: Request, status: int, heading: str, detail: str) -> Response:
    """A page of the desk that says what happened instead of what was asked for."""
    page = RefusalPage(shell=shell(request, None, heading), heading=heading, detail=detail)
    return show(request, page, status=status)
