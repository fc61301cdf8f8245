"""Schemathesis calls every operation of the API with what its OpenAPI document allows and forbids.

No call may end in a server error, an undocumented status or an answer that breaks its schema.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi.routing import APIRoute
from schemathesis import GenerationMode
from starlette.applications import Starlette

from palaver.web.api.routes import create_api, router
from palaver.web.lazy import WholeMount
from support.cases import every_case
from support.desks import Desk, open_desk
from support.fuzzing import fuzz
from support.lengths import short_and_long

OPERATIONS = [
    (method, route.path)
    for route in router.routes
    if isinstance(route, APIRoute)
    for method in sorted(route.methods)
]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk with a little of everything; one for all operations."""
    folder: Path = tmp_path_factory.mktemp("fuzz")
    with open_desk(folder) as opened:
        ann = opened.study.visit("ann")
        _, one = opened.study.dialogue(ann, "hello", "I see.", group="g")
        _, other = opened.study.dialogue(ann, "hello", failures=1, group="g", position=1)
        opened.study.dialogue(ann, "still here", reason=None)
        opened.study.preference(one, other, "tie", rater="sim:1")
        yield opened


@pytest.fixture(scope="module")
def schema(desk: Desk) -> Any:
    """The API's own document, mounted without the application's start and stop."""
    app = Starlette(routes=[WholeMount("/api/v1", create_api(desk.deployment))])
    return schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)


@pytest.fixture(scope="module")
def headers(desk: Desk) -> dict[str, str]:
    """Those of a viewer."""
    return {"Authorization": f"Bearer {desk.token('vera')}"}


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@short_and_long("examples", 4, 100)
def test_the_api_keeps_what_its_document_promises(
    schema: Any, headers: dict[str, str], mode: GenerationMode, examples: int
) -> None:
    def call(case: Any) -> None:
        case.call_and_validate(headers=headers)

    with every_case() as case:
        for method, path in OPERATIONS:
            operation = schema[path][method]
            # Elsewhere nothing can be wrong.
            if mode is GenerationMode.POSITIVE or operation.body or _takes_anything(operation):
                with case(f"{method} {path}"):
                    fuzz(call, operation, mode, examples)


@pytest.mark.parametrize("name", ["pilot-2"])
@pytest.mark.parametrize(
    "rest", ["", "/dialogues", "/labels", "/board", "/export", "/export?format=messages&mask=true"]
)
def test_what_is_there_fits_its_schema(schema: Any, desk: Desk, name: str, rest: str) -> None:
    path, _, query = rest.partition("?")
    operation = schema["/studies/{name}" + path]["GET"]
    case = operation.Case(
        path_parameters={"name": name},
        query=dict(part.split("=") for part in query.split("&") if part),
    )
    token = desk.token("ruth")
    response = case.call_and_validate(headers={"Authorization": f"Bearer {token}"})
    assert response.status_code == 200


def _takes_anything(operation: Any) -> bool:
    return bool(operation.path_parameters or operation.query)
