"""Whose token it is, what there is to spend, and what it is spent on."""

from palaver.core.errors import PanelError
from palaver.crowds.prolific import answers
from palaver.crowds.prolific.api.requests import Requests
from palaver.crowds.prolific.bodies import path_id
from palaver.crowds.prolific.records import PanelAccount, PanelBalance, PanelWorkspace, PayAdvice


class AccountCalls:
    """The account, its workspaces and projects, and what Prolific recommends to pay."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests

    async def me(self) -> PanelAccount:
        """Whose token it is: the way to try one."""
        return await self._requests.one("users/me", "read the account", answers.read_account)

    async def workspaces(self) -> list[PanelWorkspace]:
        """The workspaces of the token's owner."""
        return await self._requests.all("workspaces/", "list workspaces", answers.read_workspace)

    async def balance(self, workspace: str) -> PanelBalance:
        """What a workspace has to spend."""
        path = f"workspaces/{path_id(workspace)}/balance/"
        return await self._requests.one(
            path, f"read the balance of {workspace}", answers.read_balance
        )

    async def projects(self, workspace: str) -> list[PanelWorkspace]:
        """The projects of a workspace."""
        path = f"workspaces/{path_id(workspace)}/projects/"
        return await self._requests.all(
            path, f"list projects of {workspace}", answers.read_workspace
        )

    async def project(self, project: str) -> PanelWorkspace:
        """One project, and which workspace it is in."""
        path = f"projects/{path_id(project)}/"
        return await self._requests.one(path, f"read project {project}", answers.read_workspace)

    async def make_project(self, workspace: str, title: str) -> PanelWorkspace:
        """A new project in a workspace."""
        path = f"workspaces/{path_id(workspace)}/projects/"
        return await self._requests.made(
            path, f"make project '{title[:60]}'", {"title": title}, answers.read_workspace
        )

    async def pay_advice(self, currency: str, minutes: int) -> PayAdvice:
        """What Prolific asks for and recommends by the hour, as of now."""
        query: dict[str, str | int] = {
            "currency_code": currency,
            "estimated_completion_time": minutes,
        }
        wanted = "read what is recommended to pay"
        raw = await self._requests.ask("reward-recommendations/", wanted, query=query)
        found = answers.objects_of(raw, "pay")
        if not found:
            raise PanelError(f"Prolific recommends nothing for {currency[:20]}. Look at its pages.")
        return answers.read_pay_advice(found[0], currency)
