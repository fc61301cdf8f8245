"""The documentation of the API as a page: rendered here, from the document that programs read."""

from dataclasses import dataclass
from typing import ClassVar

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from palaver.web.api.document import Group, ObjectShape, read_groups, read_shapes
from palaver.web.rendering import Renderer
from palaver.web.security import public_base
from palaver.web.shell import Shell

router = APIRouter(include_in_schema=False)
# Where the API is mounted in the application.
MOUNT = "/api/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiPage:
    """Every operation by noun, and the shapes they send and answer with."""

    template: ClassVar[str] = "api/api.html"
    shell: Shell
    version: str
    about: str
    address: str
    document_url: str
    groups: tuple[Group, ...]
    shapes: tuple[ObjectShape, ...]


@router.get("/docs", response_class=HTMLResponse)
async def show_docs(request: Request) -> Response:
    """What you can ask, how, and what the answers look like."""
    document = request.app.openapi()
    address = _address(request)
    page = ApiPage(
        shell=Shell(title="Palaver API"),
        version=document["info"]["version"],
        about=document["info"]["description"],
        address=address,
        document_url="openapi.json",
        groups=read_groups(document, address=address),
        shapes=read_shapes(document),
    )
    return HTMLResponse(Renderer().render(page))


def _address(request: Request) -> str:
    base = public_base(request, request.app.state.public_url)
    return base if base.endswith(MOUNT) else f"{base}{MOUNT}"
