"""Who may take part: groups and filters; and what is written to people."""

from collections.abc import Sequence
from typing import Any

from palaver.core.errors import InputError
from palaver.core.words import counted
from palaver.crowds.prolific import answers
from palaver.crowds.prolific.api.requests import Requests
from palaver.crowds.prolific.bodies import filter_body, path_id
from palaver.crowds.prolific.fields import AnswerFields
from palaver.crowds.prolific.records import (
    FilterEntry,
    FilterSet,
    PanelMessage,
    ParticipantGroup,
    StudyFilter,
)


class PeopleCalls:
    """Groups, filters and messages."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests

    async def groups(self, *, workspace: str = "", project: str = "") -> list[ParticipantGroup]:
        """The groups of a workspace or a project."""
        named = {"workspace_id": workspace, "project_id": project}
        query = {name: told for name, told in named.items() if told}
        return await self._requests.all(
            "participant-groups/", "list groups", answers.read_group, query
        )

    async def make_group(
        self, name: str, *, workspace: str, participants: Sequence[str] = ()
    ) -> ParticipantGroup:
        """A new group in a workspace."""
        body = {"name": name, "workspace_id": workspace, "participant_ids": list(participants)}
        return await self._requests.made(
            "participant-groups/", f"make group '{name[:60]}'", body, answers.read_group
        )

    async def members(self, group: str) -> list[str]:
        """Who is in a group now; people who were removed are not told."""
        path = f"participant-groups/{path_id(group)}/participants/"
        return await self._requests.all(path, f"read group {group}", answers.read_member)

    async def add_members(self, group: str, participants: Sequence[str]) -> None:
        """Put people into a group."""
        await self._change_group("POST", group, participants)

    async def remove_members(self, group: str, participants: Sequence[str]) -> None:
        """Take people out of a group."""
        await self._change_group("DELETE", group, participants)

    async def filters(self) -> list[FilterEntry]:
        """The catalogue of filters."""
        return await self._requests.all("filters/", "list filters", answers.read_filter_entry)

    async def filter_sets(self, workspace: str) -> list[FilterSet]:
        """The filter sets of a workspace."""
        query = {"workspace_id": workspace}
        return await self._requests.all(
            "filter-sets/", "list filter sets", answers.read_filter_set, query
        )

    async def filter_set(self, name: str) -> FilterSet:
        """One filter set, by its id."""
        path = f"filter-sets/{path_id(name)}/"
        return await self._requests.one(path, f"read filter set {name}", answers.read_filter_set)

    async def make_filter_set(
        self, name: str, filters: Sequence[StudyFilter], *, workspace: str
    ) -> FilterSet:
        """Filters that are kept under a name."""
        body = {
            "name": name,
            "workspace_id": workspace,
            "filters": [filter_body(each) for each in filters],
        }
        wanted = f"make filter set '{name[:60]}'"
        return await self._requests.made("filter-sets/", wanted, body, answers.read_filter_set)

    async def eligible(self, filters: Sequence[StudyFilter], *, workspace: str = "") -> int:
        """How many people pass all filters; 0 stands for fewer than 25."""
        body: dict[str, Any] = {"filters": [filter_body(each) for each in filters]}
        if workspace:
            body["workspace_id"] = workspace
        raw = await self._requests.ask("eligibility-count/", "count who is eligible", body=body)
        return AnswerFields(raw, "who is eligible").whole("count")

    async def messages(self, *, user: str = "", since: str = "") -> list[PanelMessage]:
        """Messages with a user, or since a time (ISO 8601, 30 days back at most)."""
        if not user and not since:
            raise InputError("Say of which user the messages are wanted, or since when.")
        named = {"user_id": user, "created_after": since}
        query = {name: told for name, told in named.items() if told}
        return await self._requests.all("messages/", "read messages", answers.read_message, query)

    async def unread(self) -> list[PanelMessage]:
        """Messages that nobody has read; they stay unread."""
        return await self._requests.all("messages/unread/", "read messages", answers.read_message)

    async def send_message(self, participant: str, *, study: str, body: str) -> None:
        """Write to a participant of a study."""
        told = {"recipient_id": participant, "study_id": study, "body": body}
        await self._requests.change("POST", "messages/", f"write to {participant}", told)

    async def send_messages(self, participants: Sequence[str], *, study: str, body: str) -> None:
        """Write the same to several participants of a study."""
        told = {"ids": list(participants), "study_id": study, "body": body}
        wanted = f"write to {counted(len(participants), 'participant')}"
        await self._requests.change("POST", "messages/bulk/", wanted, told)

    async def send_to_group(self, group: str, *, body: str, study: str = "") -> None:
        """Write the same to everybody in a group."""
        told = {"participant_group_id": group, "body": body} | (
            {"study_id": study} if study else {}
        )
        await self._requests.change(
            "POST", "messages/participant-group/", f"write to group {group}", told
        )

    async def _change_group(self, method: str, group: str, participants: Sequence[str]) -> None:
        if not participants:
            return
        path = f"participant-groups/{path_id(group)}/participants/"
        body = {"participant_ids": list(participants)}
        await self._requests.change(method, path, f"change group {group}", body)
