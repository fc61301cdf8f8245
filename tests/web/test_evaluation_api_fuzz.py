"""Schemathesis calls every operation of the evaluation server as those who may change things.

No call may end in a server error, an undocumented status or an answer that breaks its schema.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi.routing import APIRoute
from schemathesis import GenerationMode
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import (
    negative_data_rejection,
    positive_data_acceptance,
)
from starlette.applications import Starlette

from palaver.web.api.evaluation.routes import ROUTERS
from palaver.web.api.routes import create_api
from palaver.web.lazy import WholeMount
from support.cases import every_case
from support.endpoints import serving
from support.evaluation_desk import EvaluationDesk, open_evaluation_desk
from support.fuzzing import fuzz
from support.lengths import short_and_long

OPERATIONS = [
    (method, route.path)
    for router in ROUTERS
    for route in router.routes
    if isinstance(route, APIRoute)
    for method in sorted(route.methods)
]
# Files and forms: what breaks their schema may well be a file.
ANY_BODY = ("/tasks", "/tasks/{task}/datasets/{dataset}")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EvaluationDesk]:
    """A home with a little of everything; one for all operations."""
    folder: Path = tmp_path_factory.mktemp("fuzz")
    with open_evaluation_desk(folder) as opened, serving() as endpoint:
        opened.bench.dataset("dev", 4)
        opened.bench.variants("dev", "fairness", 2)
        opened.bench.model("mod", endpoint.url)
        opened.bench.work()
        opened.policy(terms="Be fair.")
        yield opened


@pytest.fixture(scope="module")
def schema(desk: EvaluationDesk) -> Any:
    """The API's own document, mounted without the application's start and stop."""
    app = Starlette(routes=[WholeMount("/api/v1", create_api(desk.desk.deployment))])
    return schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)


@pytest.fixture(scope="module")
def tokens(desk: EvaluationDesk) -> dict[str, str]:
    """Those of an owner and of a team."""
    return {"owner": desk.desk.token("olga"), "team": desk.accepted_team().token}


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@short_and_long("examples", 2, 50)
def test_the_api_keeps_what_its_document_promises(
    schema: Any, tokens: dict[str, str], mode: GenerationMode, examples: int
) -> None:
    with every_case() as case:
        for method, path in OPERATIONS:
            operation = schema[path][method]
            if mode is GenerationMode.NEGATIVE and not _can_be_wrong(operation, method, path):
                continue
            token = tokens["team" if path.startswith("/submissions") else "owner"]
            with case(f"{method} {path}"):
                fuzz(_call_as(token), operation, mode, examples)


def _call_as(token: str) -> Callable[[Any], None]:
    def call(case: Any) -> None:
        # What fits its schema may still name what is not there or may not be.
        excluded = [positive_data_acceptance]
        if _need_not_be_refused(case):
            excluded.append(negative_data_rejection)
        case.call_and_validate(
            headers={"Authorization": f"Bearer {token}"}, excluded_checks=excluded
        )

    return call


def _need_not_be_refused(case: Any) -> bool:
    """Whether nothing is wrong but headers, which the token replaces, and unknown query names."""
    found = case.meta.components.items()
    wrong = {place for place, part in found if part.mode is GenerationMode.NEGATIVE}
    if ParameterLocation.HEADER not in wrong:
        return False
    unknown = set(case.query or ()) - {parameter.name for parameter in case.operation.query}
    ignored = {ParameterLocation.QUERY} if unknown else set()
    return wrong <= {ParameterLocation.HEADER} | ignored


def _can_be_wrong(operation: Any, method: str, path: str) -> bool:
    takes = operation.path_parameters or operation.query or operation.body
    return bool(takes) and not (method == "POST" and path in ANY_BODY)


@pytest.mark.parametrize(
    "path",
    [
        *("/tasks", "/tasks/{task}", "/tasks/{task}/status", "/tasks/{task}/board"),
        *("/tasks/{task}/datasets", "/tasks/{task}/datasets/{dataset}", "/tasks/{task}/models"),
        *("/tasks/{task}/models/{model}", "/tasks/{task}/models/dynaboard", "/runs", "/runs/{run}"),
        *("/tasks/{task}/models/topleaderboardtags", "/runs/{run}/scores", "/tasks/{task}/scores"),
        *("/runs/{run}/predictions", "/metrics", "/perturbations", "/tasks/{task}/teams"),
    ],
)
def test_what_is_there_fits_its_schema(schema: Any, desk: EvaluationDesk, path: str) -> None:
    olga = desk.caller("olga")
    run = olga.get("/runs?state=done")["runs"][0]["key"]
    known = {"task": "nli", "dataset": "dev", "model": "mod", "run": run}
    given = {name: value for name, value in known.items() if f"{{{name}}}" in path}
    case = schema[path]["GET"].Case(path_parameters=given)
    response = case.call_and_validate(headers={"Authorization": f"Bearer {olga.token}"})
    assert response.status_code == 200


@pytest.mark.parametrize("path", ["/submissions", "/submissions/team"])
def test_what_a_team_sees_fits_its_schema(schema: Any, tokens: dict[str, str], path: str) -> None:
    headers = {"Authorization": f"Bearer {tokens['team']}"}
    assert schema[path]["GET"].Case().call_and_validate(headers=headers).status_code == 200
