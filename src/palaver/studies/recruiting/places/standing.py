"""How a recruitment stands at the panel: asked and moved over there, and written down here.

Every answer is written down, and so is that none came, or that the panel knows nothing of the study.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.errors import ConflictError, InputError, PanelMissingError, PanelUnknownError
from palaver.core.recruiting.recruitments import HeldFor, Recruitment, Wanted
from palaver.crowds.prolific.records import PanelStudy, StudyAction
from palaver.storage.audit.entries import record
from palaver.storage.recruiting import recruitments as rows
from palaver.studies.recruiting.clients import PanelClients
from palaver.studies.run.deployment import Deployment

T = TypeVar("T")

GONE = (
    "The panel no longer knows this study: it was deleted there. Nothing was changed; what is here "
    "stays. Create a new recruitment to go on."
)
# The states of a study over there in which nobody sees it yet.
_UNSEEN = ("unpublished", "scheduled", "")


def panel_id(recruitment: Recruitment) -> str:
    """What the panel calls the study of a recruitment that it is known to have."""
    assert recruitment.panel_id is not None
    return recruitment.panel_id


async def ask_panel(
    deployment: Deployment, recruitment: Recruitment, ask: Callable[[], Awaitable[T]]
) -> T:
    """What the panel answers; that it knows nothing of the study any more is written down."""
    try:
        return await ask()
    except PanelMissingError as error:
        await deployment.store.write(lambda c: rows.note_missing(c, recruitment, GONE))
        raise InputError(GONE) from error
    except PanelUnknownError as error:
        await note_trouble(deployment, recruitment, str(error))
        raise


async def read_study(deployment: Deployment, recruitment: Recruitment) -> PanelStudy:
    """The study over there."""
    client = await PanelClients.of(deployment).prolific()
    return await ask_panel(
        deployment, recruitment, lambda: client.studies.get(panel_id(recruitment))
    )


async def move_study(
    deployment: Deployment, recruitment: Recruitment, action: StudyAction, *, when: tuple[str, ...]
) -> PanelStudy:
    """The study over there, moved if it is in a state from which it can be."""
    client = await PanelClients.of(deployment).prolific()
    there = await read_study(deployment, recruitment)
    if there.status not in when:
        return there
    return await ask_panel(
        deployment, recruitment, lambda: client.studies.move(panel_id(recruitment), action)
    )


async def want(
    deployment: Deployment, recruitment: Recruitment, wanted: Wanted, *, held_for: HeldFor = ""
) -> None:
    """Write down what is meant to be; ConflictError where a hold meets what a person paused."""

    def write(connection: Connection) -> None:
        known = rows.find_recruitment(connection, recruitment.key, lock=True)
        if held_for and known.wanted != "running":
            raise ConflictError("A person paused this meanwhile.")
        rows.want(connection, known, wanted, held_for=held_for)

    await deployment.store.write(write)


async def note_trouble(deployment: Deployment, recruitment: Recruitment, words: str) -> None:
    """Write down that it is not known what came of a call."""
    await deployment.store.write(lambda c: rows.note_trouble(c, recruitment, words[:1000]))


async def note_standing(
    deployment: Deployment, recruitment: Recruitment, there: PanelStudy
) -> Recruitment:
    """Write down what the panel says of a recruitment."""
    now = deployment.clock.now()
    return await deployment.store.write(lambda c: _note(c, recruitment, there, now=now))


async def note_act(
    deployment: Deployment,
    recruitment: Recruitment,
    there: PanelStudy,
    *,
    act: str,
    actor: Actor,
    is_published: bool = False,
    detail: Mapping[str, object] | None = None,
) -> Recruitment:
    """Write down what the panel said to an act, and the act."""
    now = deployment.clock.now()

    def note(connection: Connection) -> Recruitment:
        known = _note(connection, recruitment, there, now=now, is_published=is_published)
        record_act(connection, known, act, actor=actor, now=now, detail=detail)
        return known

    return await deployment.store.write(note)


def record_act(
    connection: Connection,
    recruitment: Recruitment,
    act: str,
    *,
    actor: Actor,
    now: float,
    detail: Mapping[str, object] | None = None,
) -> None:
    """Write down who did what with a recruitment."""
    record(
        connection,
        act,
        by=actor,
        now=now,
        subject=recruitment.key,
        study_id=recruitment.study_id,
        detail=dict(detail or {}),
    )


def _note(
    connection: Connection,
    recruitment: Recruitment,
    there: PanelStudy,
    *,
    now: float,
    is_published: bool = False,
) -> Recruitment:
    is_out = is_published or there.status not in _UNSEEN
    return rows.note_panel(
        connection,
        recruitment,
        panel_id=there.id,
        state=there.status,
        places=there.places or None,
        taken=there.places_taken,
        published=now if is_out else None,
    )
