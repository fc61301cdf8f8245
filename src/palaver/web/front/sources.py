"""Where the lines of boards come from: tasks, studies with their closed rounds, and challenges."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy import Connection
from starlette.requests import Request

from palaver.core.evaluation.challenge_standings import TrackStandings
from palaver.core.evaluation.challenges import Track
from palaver.core.evaluation.runs import OVER
from palaver.core.evaluation.tasks import StoredTask, TaskOverview
from palaver.core.words import counted
from palaver.evaluation.boards import VoteBoard
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.stored import list_challenges
from palaver.evaluation.tasks import list_tasks, stored_task, task_overviews
from palaver.studies.advice.kept_board import judges_advice, read_kept_board
from palaver.studies.advice.kept_rounds import ClosedAdviceRound, closed_rounds
from palaver.studies.review.boards import ListedBoard, list_boards
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.web.boards.results import may_read_board, may_read_round, open_to_all, withheld
from palaver.web.challenges.access import ChallengeVisit, has_results
from palaver.web.challenges.board.judged import judged_board
from palaver.web.challenges.board.view import AskedBoard, read_board, usual_board
from palaver.web.desk.accounts import Person, deployment_of, root_of
from palaver.web.desk.vote_boards import study_boards
from palaver.web.formatting import with_query
from palaver.web.front.lines import BoardLine, Known, Tone
from palaver.web.schedules import StandingKind, standing_of
from palaver.web.tasks.access import is_open_to
from palaver.web.tasks.board.view import leaders_of

CHALLENGE_STATES: Mapping[StandingKind, tuple[str, Tone]] = {
    "open": ("open", "good"),
    "late": ("late entries", "good"),
    "before": ("not open yet", ""),
    "over": ("over", ""),
    "closed": ("closed", ""),
}


async def known_boards(request: Request, person: Person | None) -> list[Known]:
    """Every board that somebody may see; a stranger is None."""
    # Whoever was granted single studies sees of all else what strangers see.
    reader = person if person is not None and person.may("viewer") else None
    return [
        *await _of_tasks(request, reader),
        *await _of_studies(request, person),
        *await _of_challenges(request, reader),
    ]


async def _of_tasks(request: Request, reader: Person | None) -> list[Known]:
    def read(connection: Connection) -> tuple[list[StoredTask], dict[int, TaskOverview]]:
        rows = [row for row in list_tasks(connection) if is_open_to(row, reader)]
        # Runs are nobody's business but the researchers'.
        overviews = task_overviews(connection) if reader is not None else []
        return rows, {each.id: each for each in overviews}

    rows, overviews = await deployment_of(request).store.read(read)
    public = reader is None
    return [_task(request, row, overviews.get(row.id), public=public) for row in rows]


def _task(
    request: Request, row: StoredTask, overview: TaskOverview | None, *, public: bool
) -> Known:
    line = BoardLine(
        kind="task",
        name=row.name,
        title=row.title,
        url=f"{root_of(request)}/tasks/{row.name}",
        public=row.public,
        about=stored_task(row).about,
        state=_task_state(overview) if overview else "",
        noun="model",
        updated=overview.finished if overview else None,
    )
    leaders, store = leaders_of(request), deployment_of(request).store

    async def read() -> BoardLine:
        led = await store.read(lambda c: leaders.find(c, row, public=public))
        return replace(
            line,
            answer=led.answer,
            score=led.score,
            measure=led.measure,
            digits=led.digits,
            count=led.published if public else led.models,
            pending=led.pending,
        )

    return Known(("task", row.id, public), line, read)


def _task_state(task: TaskOverview) -> str:
    """What is going on in a task, in words."""
    under_way = sum(n for state, n in task.runs.items() if state not in OVER)
    failed = task.runs.get("failed", 0)
    if not task.datasets:
        return "no data sets yet"
    if not task.models:
        return "no models yet"
    told = [f"{counted(under_way, 'run')} under way"] if under_way else []
    told += [f"{counted(failed, 'run')} failed"] if failed else []
    return ", ".join(told) or "up to date"


async def _of_studies(request: Request, person: Person | None) -> list[Known]:
    """The boards of studies that are served, and the results of rounds that were closed."""
    deployment, root = deployment_of(request), root_of(request)
    held = await withheld(deployment)
    rounds = await deployment.store.read(closed_rounds)
    closed = {each.study for each in rounds}
    served = {
        name: study
        for name, study in deployment.served.items()
        if study.board_question is not None
        and name not in closed
        and may_read_board(deployment, name, person, held)
    }
    boards = await deployment.store.read(lambda c: list_boards(c, served)) if served else []
    return [
        *(_study(deployment, each, root, held) for each in boards),
        *(
            Known(("round", each.study), _round(deployment, each, root, held))
            for each in rounds
            if may_read_round(deployment, each, person, held)
        ),
    ]


def _study(deployment: Deployment, board: ListedBoard, root: str, held: frozenset[str]) -> Known:
    study = deployment.studies[board.study]
    line = BoardLine(
        kind="study",
        name=board.study,
        title=board.title,
        url=f"{root}/boards/{board.study}",
        public=open_to_all(deployment, board.study, public=board.public, held=held),
        about=board.question,
        state="provisional",
        count=board.votes,
        noun="vote",
        planned=board.needed,
    )
    read = _advice if judges_advice(study.definition) else _votes
    return Known(("study", board.study), line, lambda: read(deployment, study, line))


async def _votes(deployment: Deployment, study: RunningStudy, line: BoardLine) -> BoardLine:
    boards, now = study_boards(deployment), deployment.clock.now()
    board: VoteBoard = await boards.get(study.definition, now=now)
    return replace(
        line,
        answer=board.answer if board.votes else "",
        state="stopped by its rule" if board.stop else board.state,
        tone="good" if board.state == "final" else "",
        count=board.votes,
        planned=board.needed,
        updated=boards.newest_vote(study.name),
    )


async def _advice(deployment: Deployment, study: RunningStudy, line: BoardLine) -> BoardLine:
    """What was computed last; the page of the board computes a newer one."""
    kept = await deployment.store.read(
        lambda c: read_kept_board(c, study.id, study.definition, "all")
    )
    board = kept.board
    if board is None:
        return replace(line, noun="judgement")
    return replace(
        line,
        answer=board.answer,
        state=board.state,
        tone="good" if board.state == "final" else "",
        count=board.judgements,
        noun="judgement",
        planned=board.needed,
        updated=board.updated,
    )


def _round(
    deployment: Deployment, closed: ClosedAdviceRound, root: str, held: frozenset[str]
) -> BoardLine:
    return BoardLine(
        kind="study",
        name=closed.study,
        title=closed.title,
        url=f"{root}/boards/{closed.study}/results/",
        public=may_read_round(deployment, closed, None, held),
        answer=closed.answer,
        state="closed",
        count=closed.models,
        noun="model",
        updated=closed.closed,
    )


async def _of_challenges(request: Request, reader: Person | None) -> list[Known]:
    deployment = deployment_of(request)
    rows = await deployment.store.read(list_challenges)
    now = deployment.clock.now()
    found = [
        ChallengeVisit(request, row, stored_definition(row), reader, reader, None, now)
        for row in rows
        if is_open_to(row, reader)
    ]
    return [_track(each, track) for each in found for track in each.challenge.tracks]


def _track(found: ChallengeVisit, track: Track) -> Known:
    """The board of a track that one looks at first."""
    challenge, asked = found.challenge, usual_board(found, track)
    state, tone = CHALLENGE_STATES[standing_of(found.row, challenge, found.now).kind]
    line = BoardLine(
        kind="challenge",
        name=found.row.name,
        title=found.row.title,
        track=track.title,
        url=found.url if asked is None else _board_url(found, asked),
        public=found.row.public,
        about=track.about or challenge.summary,
        state=state,
        tone=tone,
        noun="run",
    )
    name = ("track", found.row.id, track.name, found.person is None)
    if asked is None:
        return Known(name, line)
    return Known(name, line, lambda: asyncio.to_thread(_standing, found, asked, line))


def _board_url(found: ChallengeVisit, asked: AskedBoard) -> str:
    if has_results(found):
        return f"{found.url}/results/"
    return with_query(f"{found.url}/board", track=asked.track.name, phase=asked.phase.name)


def _standing(found: ChallengeVisit, asked: AskedBoard, line: BoardLine) -> BoardLine:
    """How a track stands, as far as whoever asks may see it now."""
    judged = judged_board(found, asked.track, asked.phase)
    if judged is not None:
        return replace(line, answer=judged.withheld or judged.answer)
    board = read_board(found, asked)
    is_reader = found.person is not None
    return replace(
        line,
        answer=board.withheld or _leader(board),
        count=len(board.rows),
        updated=max((each.created for each in board.rows), default=None) if is_reader else None,
    )


def _leader(board: TrackStandings) -> str:
    """Which runs can be told apart by the measure that ranks; who is first while nobody knows."""
    if not board.rows or board.rows[0].rank is None:
        return ""
    sentence = board.verdict.sentences.get(board.measures[0].name, "") if board.verdict else ""
    if sentence:
        return sentence
    first = board.rows[0]
    return (
        f"{first.team}, run {first.run}, stands first so far; the runs have not been compared yet"
    )
