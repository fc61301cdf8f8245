"""Groups, projects and messages of the stand-in."""

from typing import Any

from palaver.crowds.prolific.stand_in.state import KnownGroup, KnownMessage
from palaver.crowds.prolific.stand_in.studies import moment
from palaver.crowds.prolific.stand_in.world import World, existing, refuse

RESEARCHER = "researcher"


def make_group(world: World, body: dict[str, Any]) -> KnownGroup:
    """A new group."""
    name = str(body.get("name", "")).strip()
    if not name:
        refuse({"name": ["This field is required."]})
    if not (body.get("workspace_id") or body.get("project_id")):
        refuse({"workspace_id": ["A workspace or a project is required."]})
    group = KnownGroup(
        id=world.new_id(),
        name=name,
        workspace=str(body.get("workspace_id") or world.state.workspace),
        members=list(dict.fromkeys(body.get("participant_ids") or [])),
    )
    world.state.groups[group.id] = group
    return group


def change_group(world: World, name: str, body: dict[str, Any], *, adds: bool) -> KnownGroup:
    """A group with more or fewer people; who was taken out stays out of what is shown."""
    group = existing(world.state.groups, name, "Participant group")
    chosen = body.get("participant_ids")
    if not isinstance(chosen, list) or not chosen:
        refuse({"participant_ids": ["This field is required."]})
    if adds:
        group.members = list(dict.fromkeys([*group.members, *chosen]))
    else:
        group.removed += [each for each in group.members if each in chosen]
        group.members = [each for each in group.members if each not in chosen]
    return group


def group_view(group: KnownGroup) -> dict[str, Any]:
    """A group as the service shows it."""
    return {"id": group.id, "name": group.name, "workspace_id": group.workspace}


def members_view(group: KnownGroup) -> list[dict[str, Any]]:
    """Who is in a group."""
    return [{"participant_id": each, "datetime_created": None} for each in group.members]


def write(world: World, recipients: list[str], body: dict[str, Any]) -> None:
    """Write to participants."""
    text = str(body.get("body", "")).strip()
    if not text or not recipients:
        refuse({"body": ["A message needs a body and somebody to read it."]})
    for each in recipients:
        world.state.messages.append(
            KnownMessage(
                id=world.new_id(),
                sender=RESEARCHER,
                recipient=each,
                body=text,
                study=str(body.get("study_id") or ""),
                created=world.now,
            )
        )


def write_back(world: World, participant: str, text: str, *, study: str = "") -> KnownMessage:
    """What a participant writes to the researcher."""
    made = KnownMessage(
        id=world.new_id(),
        sender=participant,
        recipient=RESEARCHER,
        body=text,
        study=study,
        created=world.now,
    )
    world.state.messages.append(made)
    return made


def message_view(each: KnownMessage, *, unread: bool = False) -> dict[str, Any]:
    """A message as the service shows it; unread ones call their sender otherwise."""
    return {
        "id": each.id,
        "sender" if unread else "sender_id": each.sender,
        "body": each.body,
        "datetime_created": moment(each.created),
        "type": "message",
        "channel_id": each.recipient if each.sender == RESEARCHER else each.sender,
        "data": {"study_id": each.study} if each.study else None,
    }
