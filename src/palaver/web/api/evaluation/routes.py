"""Every router of the evaluation server, in the order of its documentation.

A router that comes first is asked first: `/tasks/nli/models/dynaboard` is a board, not a model.
"""

from palaver.web.api.evaluation import (
    boards,
    challenge_endpoints,
    challenge_teams,
    challenges,
    datasets,
    measures,
    models,
    perturbations,
    rounds,
    runs,
    scores,
    submissions,
    tasks,
    teams,
)

ROUTERS = (
    tasks.router,
    boards.router,
    datasets.router,
    perturbations.router,
    models.router,
    runs.router,
    scores.router,
    measures.router,
    submissions.router,
    teams.router,
    rounds.router,
    challenges.router,
    challenge_teams.router,
    challenge_endpoints.router,
)
