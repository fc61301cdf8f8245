"""Arriving at a study: who comes, and whether they begin, go on, or show first that they were here.

One place decides for every door. A signed link, or parameters that a panel signed, prove who comes
and resume anywhere. Plain parameters only claim it: they begin a visit, and go on with one in the
browser that began it or with the return code that its first screen showed. A visit of which nothing
has been done holds nothing; it goes to whoever came last, and the browser before is signed out of it.
"""

import asyncio
import hmac
import os
import time
from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.annotation.assignment import in_turn
from palaver.core.errors import AccessError, InputError, RevokedLinkError
from palaver.core.studies.outcomes import OVER_QUOTA, outcome_of
from palaver.core.studies.visits import ACTIVE, FINISHED
from palaver.crowds import signed_parameters
from palaver.crowds.links import Visitor, read_holder, read_link
from palaver.storage.engine.keys import derived_code
from palaver.storage.people import participants, tombstones
from palaver.storage.people.links import link_of, note_use
from palaver.storage.people.participants import Assignment
from palaver.storage.people.raters import lock_rater
from palaver.studies.file.definition import Study
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.studies.run.flow import steps
from palaver.studies.run.participation import is_blocked
from palaver.studies.stages.parts import path_of

# How many return codes may be tried at once for one visit, and how long until one more.
TRIES, NEXT_TRY_SECONDS = 5, 60.0
MOST_COUNTED = 10_000

REVOKED = (
    "This link was revoked by the people who made it. Ask whoever sent it whether there is another."
)


@dataclass(frozen=True, slots=True)
class Entered:
    """The browser may act for this visit."""

    assignment: Assignment


@dataclass(frozen=True, slots=True)
class CodeAsked:
    """There is a visit under these ids that another browser began; `refused` says what was wrong."""

    refused: str = ""


@dataclass(frozen=True, slots=True)
class TookPart:
    """Somebody who took part before, and whose answers were erased."""


Arrived = Entered | CodeAsked | TookPart


class Door:
    """Lets people into the studies of a deployment."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._keys: dict[str, signed_parameters.ProlificKeys] = {}
        self._tries = Tries()

    @classmethod
    def of(cls, deployment: Deployment) -> "Door":
        """The door of a deployment."""
        door = deployment.kept.setdefault(cls, cls(deployment))
        assert isinstance(door, cls)
        return door

    async def visitor(
        self, study: Study, parameters: Mapping[str, str], *, hosts: Collection[str]
    ) -> Visitor | None:
        """Who comes with these parameters; None for a preview.

        LinkError if they are forged or not valid now, AccessError if the study blocks the person.
        """
        token = parameters.get("link")
        if token is not None:
            visitor = await self._by_link(study, token)
        else:
            found = await asyncio.to_thread(self._by_panel, study, parameters, hosts)
            if found is None:
                return None
            visitor = found
        if self._deployment.store.read_only:
            raise InputError("This is a read-only copy. Nobody can take part in it.")
        if await asyncio.to_thread(is_blocked, study, visitor.person):
            raise AccessError("You cannot take part in this study.")
        return visitor

    async def _by_link(self, study: Study, token: str) -> Visitor:
        """Who comes with a link; one that is kept has its own hours, and may have been revoked."""
        # Links carry the time of the wall, whatever the deployment's own clock says.
        known, now = self._deployment.readable_secrets, time.time()
        holder = read_holder(known, token, study=study.name)
        running = self._deployment.study(study.name)
        kept, visit = await self._deployment.store.read(
            lambda c: (link_of(c, holder.person, now=now), find_visit(c, running, holder))
        )
        if kept is not None and kept.revoked is not None and visit is None:
            raise RevokedLinkError(REVOKED)
        hours = study.crowd.link_hours if kept is None else (kept.expires - kept.made) / 3600
        return read_link(known, token, study=study.name, hours=hours, now=now)

    def _by_panel(
        self, study: Study, parameters: Mapping[str, str], hosts: Collection[str]
    ) -> Visitor | None:
        # Tokens carry the time of the wall, too.
        crowd, now = study.crowd, time.time()
        source = crowd.panel
        if source is None:
            return None
        if crowd.signed:
            return self._signed_by_prolific(study, parameters, hosts, source.visitor(parameters))
        visitor = source.visitor(parameters)
        if visitor is None or crowd.secret_from is None:
            return visitor
        secret = os.environ.get(crowd.secret_from, "")
        if not secret:
            raise InputError("This study cannot be joined: the secret of its panel is not set.")
        return signed_parameters.check_signature(
            secret, visitor, parameters, study=study.name, now=now
        )

    def _signed_by_prolific(
        self,
        study: Study,
        parameters: Mapping[str, str],
        hosts: Collection[str],
        claimed: Visitor | None,
    ) -> Visitor | None:
        token = parameters.get(signed_parameters.TOKEN, "")
        if not token and claimed is None:
            return None
        keys = self._keys.setdefault(
            study.name, signed_parameters.ProlificKeys(path_of(study.crowd.keys, study.folder))
        )
        return signed_parameters.read_prolific_token(
            keys, token, study=study.name, hosts=hosts, now=time.time()
        )

    async def enter(
        self, study: RunningStudy, visitor: Visitor, *, holds: str | None, code: str | None = None
    ) -> Arrived:
        """Begin a visit or go on with one.

        `holds` is the visit to this study that the browser acts for already, `code` a return code
        that was typed.
        """
        now = self._deployment.clock.now()

        def work(connection: Connection) -> Arrived:
            return self._enter(connection, study, visitor, holds=holds, code=code, now=now)

        return await in_turn(self._deployment.store, work)

    def _enter(
        self,
        connection: Connection,
        study: RunningStudy,
        visitor: Visitor,
        *,
        holds: str | None,
        code: str | None,
        now: float,
    ) -> Arrived:
        known = participants.person_known(connection, study.definition.crowd.kind, visitor.person)
        if known is not None:
            lock_rater(connection, known)
        visit = find_visit(connection, study, visitor)
        if visit is None:
            return begin(connection, study, visitor, now=now)
        is_open = study.definition.crowd.rejoin == "open"
        if visitor.proven or holds == visit.key or is_open:
            return Entered(visit)
        if is_untouched(study.definition, visit) or was_turned_away(visit):
            return Entered(participants.change_key(connection, visit))
        if code is None:
            return CodeAsked()
        if not self._tries.take(visit.id, now):
            return CodeAsked(
                "That was one try too many. Wait a minute, then type the code again. "
                "Everything you did is kept."
            )
        if not self._is_code_of(code, visit):
            return CodeAsked(
                "This is not the return code of your visit. It has ten letters and digits, without "
                "vowels. Check it and try again."
            )
        return Entered(visit)

    def _is_code_of(self, typed: str, visit: Assignment) -> bool:
        """Whether somebody typed the return code of a visit, as a key that is still read made it."""
        given = normalised(typed).encode()
        codes = (return_code(known, visit) for known in self._deployment.readable_secrets)
        return any(hmac.compare_digest(given, code.encode()) for code in codes)


def find_visit(connection: Connection, study: RunningStudy, visitor: Visitor) -> Assignment | None:
    """The visit that somebody goes on with; None if they have none here.

    One person has one visit, whatever piece of work the panel names, unless the study allows more.
    """
    crowd = study.definition.crowd
    known = participants.person_known(connection, crowd.kind, visitor.person)
    if known is None:
        return None
    visits = participants.visits_of(connection, study.id, known)
    same = [visit for visit in visits if visit.external_id == visitor.assignment]
    if same or crowd.repeats:
        return same[-1] if same else None
    return visits[-1] if visits else None


def begin(
    connection: Connection, study: RunningStudy, visitor: Visitor, *, now: float
) -> Entered | TookPart:
    """A new visit, unless this person has taken part and was erased since."""
    crowd = study.definition.crowd
    if not crowd.repeats and _has_completed(connection, study, visitor):
        return TookPart()
    if visitor.proven:
        note_use(connection, visitor.person, now=now)
    return Entered(
        participants.enter(
            connection,
            study_id=study.id,
            crowd=crowd.kind,
            person=visitor.person,
            assignment=visitor.assignment,
            first_step=steps(study.definition)[0],
            now=now,
            version=study.version,
            panel_study=visitor.panel_study,
        )
    )


def _has_completed(connection: Connection, study: RunningStudy, visitor: Visitor) -> bool:
    found = tombstones.tombstones_of(connection, study.definition.crowd.kind, visitor.person)
    return any(
        stone.state == tombstones.COMPLETED and stone.study_id == study.id for stone in found
    )


def is_untouched(study: Study, visit: Assignment) -> bool:
    """Whether nothing has been done in a visit: it shows what anybody may read."""
    first = steps(study)[0]
    return visit.state == ACTIVE and visit.step == first and visit.consented is None


def was_turned_away(visit: Assignment) -> bool:
    """Whether a visit ended before anything began, since nothing was open: it holds nobody's words."""
    is_over = visit.state == FINISHED and visit.consented is None
    return is_over and outcome_of(visit.reason) == OVER_QUOTA


def return_code(secret: str, visit: Assignment) -> str:
    """The code with which a visit goes on in another browser.

    It follows from the visit and the secret of the home: nothing of it is stored, and the first
    screen shows the same one each time.
    """
    return derived_code(secret, f"return\0{visit.key}")


def shows_return_code(study: Study, visit: Assignment) -> bool:
    """Whether the page that somebody is at tells them the return code: the first, for panels."""
    asks = study.crowd.panel is not None and study.crowd.rejoin == "code"
    return asks and visit.step == steps(study)[0] and visit.state == ACTIVE


def spaced(code: str) -> str:
    """A code as people read it.

    >>> spaced("23456789BC")
    '23456-789BC'
    """
    return f"{code[:5]}-{code[5:]}"


def normalised(typed: str) -> str:
    """A code as somebody typed it, in the form of the original.

    >>> normalised(" 2345 6-789bc ")
    '23456789BC'
    """
    return "".join(typed[:100].split()).replace("-", "").upper()


class Tries:
    """How often something was tried for one visit of late; the longest unused are forgotten."""

    def __init__(self) -> None:
        self._left: OrderedDict[int, tuple[float, float]] = OrderedDict()

    def take(self, name: int, now: float) -> bool:
        """Whether one more try is allowed now."""
        left, since = self._left.pop(name, (float(TRIES), now))
        left = min(float(TRIES), left + max(0.0, now - since) / NEXT_TRY_SECONDS)
        allowed = left >= 1.0
        self._left[name] = (left - 1.0 if allowed else left, now)
        if len(self._left) > MOST_COUNTED:
            self._left.popitem(last=False)
        return allowed
