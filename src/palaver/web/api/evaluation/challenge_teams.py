"""What a team does in a challenge: register, accept the terms, load data, check and hand in files."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import Body, Path, Query, Request, Response
from pydantic import Field
from starlette.responses import FileResponse, StreamingResponse

from palaver.core.errors import InputError
from palaver.core.evaluation.challenge_entries import (
    ChallengeSheet,
    ChallengeTeam,
    CheckedFile,
    Entry,
)
from palaver.core.evaluation.public_numbers import public_number
from palaver.core.evaluation.submissions import TeamToken
from palaver.evaluation.challenges import entries, teams
from palaver.evaluation.challenges.sheets import team_sheet
from palaver.evaluation.models.decisions import MOST_LINK
from palaver.evaluation.submissions.teams import MOST_AFFILIATION, MOST_NAME
from palaver.web.api.errors import (
    ANSWERS,
    CONFLICT,
    FORBIDDEN,
    MISSING,
    TOO_LARGE,
    UNREADABLE,
    USED_UP,
)
from palaver.web.api.evaluation.challenge_request import (
    NAME,
    AskingChallengeTeam,
    OpenChallenge,
    TeamCaller,
    TrackName,
    for_strangers,
)
from palaver.web.api.evaluation.request import OPEN, in_thread, missing, most_bytes
from palaver.web.api.evaluation.submissions import AcceptedTerms
from palaver.web.api.models import Given
from palaver.web.api.records import RecordRouter, answer
from palaver.web.desk.accounts import check_writable
from palaver.web.uploads import SentFile, sent_file

router = RecordRouter(responses=ANSWERS, tags=["challenges"])

ASKED = {**FORBIDDEN, **MISSING}
MOST_CONTACT = 254
MOST_RUNS = 1000

EntryKey = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
FileName = Annotated[str, Path(pattern=NAME)]
SentAs = Annotated[str, Query(min_length=1, max_length=120, description="What the file is called.")]
Affiliation = Annotated[str, Field(json_schema_extra={"maxLength": MOST_AFFILIATION})]
Contact = Annotated[str, Field(json_schema_extra={"maxLength": MOST_CONTACT})]
Link = Annotated[str, Field(json_schema_extra={"maxLength": MOST_LINK})]
Members = Annotated[list[str], Field(max_length=1000)]

A_FILE: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@dataclass(frozen=True, slots=True)
class EntryList:
    """What was handed in, oldest first, with the scores that whoever asks may see."""

    entries: list[Entry]


class NewChallengeTeam(Given):
    """A team that registers; letters go to `contact`."""

    team: Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": MOST_NAME})]
    contact: Contact
    affiliation: Affiliation = ""
    link: Link = ""
    members: Members = Field(default_factory=list)


class ChangedChallengeTeam(Given):
    """What to change; the rest stays as it is."""

    contact: Contact | None = None
    affiliation: Affiliation | None = None
    link: Link | None = None
    members: Members | None = None


class FinalChoice(Given):
    """Whether the entry is one of the runs that count in the end."""

    final: bool


@router.post(
    "/challenges/{challenge}/teams",
    status_code=201,
    responses={**ASKED, **UNREADABLE, **CONFLICT},
    openapi_extra=OPEN,
)
async def register(asking: OpenChallenge, wanted: Annotated[NewChallengeTeam, Body()]) -> TeamToken:
    """Register a team; its token, for all tracks, is in this answer and nowhere else."""
    made = await asking.write(
        lambda c: teams.register_team(c, asking.row, **wanted.model_dump(), now=asking.now)
    )
    return replace(made, id=public_number("team", made.team))


@router.get("/challenges/{challenge}/team", responses=ASKED)
async def show_team(asking: AskingChallengeTeam) -> ChallengeSheet:
    """The team that the token belongs to: terms, tracks, what is left, what it handed in."""
    return await _sheet(asking)


@router.patch("/challenges/{challenge}/team", responses={**ASKED, **UNREADABLE})
async def change_team(
    asking: AskingChallengeTeam, wanted: Annotated[ChangedChallengeTeam, Body()]
) -> ChallengeTeam:
    """Change what the team says about itself; its name stays."""
    changed = await asking.write(
        lambda c: teams.change_team(
            c, asking.row, asking.team.id, **wanted.model_dump(), by=asking.actor, now=asking.now
        )
    )
    return for_strangers(changed)


@router.post("/challenges/{challenge}/team/leave", responses=ASKED)
async def leave(asking: AskingChallengeTeam) -> ChallengeTeam:
    """Leave the challenge: the token no longer works, and what was handed in is withdrawn."""
    left = await asking.write(
        lambda c: teams.leave_team(c, asking.row, asking.team.id, by=asking.actor, now=asking.now)
    )
    return for_strangers(left)


@router.post("/challenges/{challenge}/team/terms", responses={**ASKED, **UNREADABLE})
async def accept_terms(
    asking: AskingChallengeTeam, given: Annotated[AcceptedTerms, Body()]
) -> ChallengeSheet:
    """Accept the terms, by the digest of the wording that was read."""
    await asking.write(
        lambda c: teams.accept_terms(
            c, asking.row, asking.team, digest=given.digest, now=asking.now
        )
    )
    return await _sheet(asking)


@router.get(
    "/challenges/{challenge}/questions/{track}",
    responses={
        **ASKED,
        200: {"content": {"application/x-ndjson": {}}, "description": "A line per item."},
    },
    response_class=Response,
)
async def load_questions(asking: AskingChallengeTeam, track: TrackName) -> Response:
    """What the open phase of a track asks, without gold and tags."""
    teams.check_approved(asking.team)
    teams.check_terms(asking.row, asking.team)
    with missing():
        lines = await in_thread(
            lambda: entries.questions_of(asking.home, asking.row, track, now=asking.now)
        )
    return StreamingResponse(lines, media_type="application/x-ndjson")


@router.get(
    "/challenges/{challenge}/files/{file}",
    responses={
        **ASKED,
        200: {"content": {"application/octet-stream": {}}, "description": "The file."},
    },
    response_class=Response,
)
async def load_file(asking: AskingChallengeTeam, file: FileName) -> Response:
    """A file of the challenge, for a team that accepted the terms, from its date on."""
    with missing():
        path = await in_thread(
            lambda: entries.shared_file(asking.home, asking.row, asking.team, file, now=asking.now)
        )
    return FileResponse(
        path, media_type="application/octet-stream", filename=path.name, stat_result=path.stat()
    )


@router.post(
    "/challenges/{challenge}/tracks/{track}/check",
    responses={**ASKED, **TOO_LARGE},
    openapi_extra=A_FILE,
)
async def check_file(
    request: Request,
    asking: AskingChallengeTeam,
    track: TrackName,
    filename: SentAs = "answers.jsonl",
) -> CheckedFile:
    """Check a file as it would be checked when it is handed in; nothing is stored or counted."""
    teams.check_approved(asking.team)
    teams.check_terms(asking.row, asking.team)
    async with _received(request, asking, filename) as sent:
        with missing():
            return await in_thread(
                lambda: entries.check_file(
                    asking.home, asking.row, track, sent.path, name=sent.name, now=asking.now
                )
            )


@router.post(
    "/challenges/{challenge}/tracks/{track}/entries",
    responses={
        **ASKED,
        **TOO_LARGE,
        **CONFLICT,
        **USED_UP,
        201: answer(Entry, "A new entry."),
    },
    openapi_extra=A_FILE,
)
async def hand_in(
    request: Request,
    response: Response,
    asking: AskingChallengeTeam,
    track: TrackName,
    run: Annotated[int | None, Query(ge=1, le=MOST_RUNS)] = None,
    filename: SentAs = "answers.jsonl",
) -> Entry:
    """Hand in a file, which is the body, for a run of a track; without `run` for the next free one.

    201 for a new entry, 200 if the very same file is there already. When it arrived is when all of
    it had arrived.
    """
    check_writable(asking.deployment)
    async with _received(request, asking, filename) as sent:
        now = asking.now
        with missing():
            entry = await in_thread(
                lambda: entries.submit_file(
                    asking.home,
                    asking.row,
                    asking.team,
                    track=track,
                    run=run,
                    content=sent.path,
                    name=sent.name,
                    now=now,
                    by=asking.actor,
                )
            )
    response.status_code = 201 if entry.created == now else 200
    return entry


@router.get("/challenges/{challenge}/entries", responses=ASKED, openapi_extra=OPEN)
async def read_entries(asking: OpenChallenge) -> EntryList:
    """What was handed in, oldest first: a team's own; with an account's token all.

    Without a token those that stand in phases whose scores are public.
    """
    return EntryList(
        await asking.read(
            lambda c: entries.list_entries(
                c,
                asking.row,
                team=asking.team,
                now=asking.now,
                audience=asking.audience,
                home=asking.home,
            )
        )
    )


@router.post("/challenges/{challenge}/entries/{entry}/withdrawal", responses=ASKED)
async def withdraw(asking: AskingChallengeTeam, entry: EntryKey) -> Entry:
    """Take an entry out of the standings; it stays counted among the submissions."""
    check_writable(asking.deployment)
    with missing():
        return await in_thread(
            lambda: entries.withdraw_entry(
                asking.home, asking.row, asking.team, entry, now=asking.now, by=asking.actor
            )
        )


@router.post("/challenges/{challenge}/entries/{entry}/final", responses={**ASKED, **UNREADABLE})
async def choose_final(
    asking: AskingChallengeTeam, entry: EntryKey, wanted: Annotated[FinalChoice, Body()]
) -> Entry:
    """Choose an entry of the final phase as one of the runs that count, or take that back."""
    check_writable(asking.deployment)
    with missing():
        return await in_thread(
            lambda: entries.choose_final(
                asking.home,
                asking.row,
                asking.team,
                entry,
                final=wanted.final,
                now=asking.now,
                by=asking.actor,
            )
        )


async def _sheet(asking: TeamCaller) -> ChallengeSheet:
    sheet = await asking.read(
        lambda c: team_sheet(c, asking.row, asking.team, now=asking.now, home=asking.home)
    )
    return replace(sheet, team=for_strangers(sheet.team))


@asynccontextmanager
async def _received(request: Request, asking: TeamCaller, filename: str) -> AsyncIterator[SentFile]:
    """The body as a file; problems call it what its sender calls it, and not where it lies here."""
    async with sent_file(request, name=filename, most=most_bytes(asking.home)) as sent:
        try:
            yield sent
        except InputError as error:
            told = str(error).replace(str(sent.path), sent.name)
            raise (error if told == str(error) else InputError(told)) from error
