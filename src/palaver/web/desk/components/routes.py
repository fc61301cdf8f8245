"""Every component of the pages in every state, for whoever designs a page."""

from dataclasses import dataclass
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.web.desk.accounts import Person, for_role
from palaver.web.desk.frame import DeskShell, shell
from palaver.web.rendering import show


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentsPage:
    """What stands around the components; the template shows them."""

    template: ClassVar[str] = "desk/components/components.html"
    shell: DeskShell


@for_role("member")
async def show_components(request: Request, person: Person) -> Response:
    return show(request, ComponentsPage(shell=shell(request, person, "Components")))


routes: list[BaseRoute] = [Route("/desk/components", show_components)]
