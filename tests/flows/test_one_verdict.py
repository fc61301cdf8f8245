"""Board, desk, report and command say the same of the same votes, while they come and afterwards."""

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from palaver.cli.statistics.rank_command import command
from palaver.core.serial import encode
from palaver.evaluation.boards import VoteBoard
from palaver.reports.report.headline import headline_of, measure
from palaver.reports.report.ranking import RankedVotes
from palaver.reports.report.study_subject import of_study
from palaver.reports.report.subject import ReportSettings
from palaver.reports.target import opened_study
from palaver.storage.people.participants import finish
from palaver.studies.file.reader import load_study
from palaver.studies.review.boards import StudyBoards, read_study_board
from palaver.web.boards.routes import VoteBoardPage
from palaver.web.rendering import Renderer
from palaver.web.shell import Shell
from support.reviewing import Judging, judged_home
from support.seeding import NOW


def vote(judging: Judging, people: int) -> list[int]:
    """Two votes of each person, most for the terse one; the visits of the last two are not over."""
    visits = []
    for number in range(people):
        visit = judging.seeder.visit(f"rater {number}", state=None)
        for place in range(2):
            one, other = judging.dialogue(system="terse"), judging.dialogue(system="chatty")
            better = other if number % 4 == 3 and place else one
            judging.prefer(better, one, other, visit.alias, assignment_id=visit.id)
        visits.append(visit.id)
    for visit_id in visits[:-2]:
        end(judging, visit_id)
    return visits[-2:]


def end(judging: Judging, visit_id: int) -> None:
    judging.store.write_now(
        lambda c: finish(c, visit_id, state="finished", reason="complete", code=None, now=NOW)
    )


def shown(board: VoteBoard) -> list[tuple[object, ...]]:
    return [(row.system, row.rate, row.low, row.high, row.rank) for row in board.systems]


def told(ranked: RankedVotes) -> list[tuple[object, ...]]:
    return [
        (each.system, each.rate.value, ends.low, ends.high, each.rank_interval)
        for each in ranked.verdict.systems
        if (ends := each.rate.interval) is not None
    ]


@pytest.mark.parametrize(("planned", "inference"), [(400, "anytime"), (16, "fixed")])
def test_all_pages_say_the_same(tmp_path: Path, planned: int, inference: str) -> None:
    with judged_home(tmp_path) as (folder, home, judging):
        text = (folder / "study.yaml").read_text(encoding="utf-8")
        text += f"board: {{votes: {planned}}}\n"
        (folder / "study.yaml").write_text(text, encoding="utf-8")
        at_work = vote(judging, 8)
        boards, study = StudyBoards(judging.store), load_study(folder)
        board = asyncio.run(boards.get(study, now=NOW))
        assert (board.inference, board.votes) == (inference, 16)
        assert board.waiting == (4 if inference == "anytime" else 0)

        with opened_study(folder, home=home) as opened:
            subject = of_study(opened)
            measured = measure(subject, ReportSettings())
            headline = headline_of(subject, measured)
        [ranked] = measured.rankings
        assert ranked.verdict.inference == inference
        assert told(ranked) == shown(board)
        assert headline.finding.rstrip(".") == board.answer

        found = CliRunner().invoke(command, [str(folder), "--home", str(home), "--json"])
        assert json.loads(found.output)["answer"] == board.answer

        for visit in at_work:
            end(judging, visit)
        later = asyncio.run(StudyBoards(judging.store).get(study, now=NOW))
        assert later.waiting == 0


def test_a_public_board_tells_neither_who_voted_what_nor_which_votes_are_checks(
    tmp_path: Path,
) -> None:
    with judged_home(tmp_path) as (folder, _, judging):
        vote(judging, 4)
        known = load_study(folder)
        before = judging.store.read_now(lambda c: read_study_board(c, known, now=NOW))
        visit = judging.seeder.visit("checked", state=None)
        one, other = judging.dialogue(system="terse"), judging.dialogue(system="chatty")
        judging.prefer(one, one, other, visit.alias, assignment_id=visit.id, purpose="gold")
        board = judging.store.read_now(lambda c: read_study_board(c, known, now=NOW))
        assert encode(board) == encode(before)
        page = Renderer().render(VoteBoardPage(shell=Shell(title=board.title), board=board))
        for person in judging.seeder.people:
            for secret in (person.alias, person.key):
                assert secret not in encode(board).decode()
                assert secret not in page
        times = [name for name in json.loads(encode(board)) if "time" in name or name == "updated"]
        assert times == ["updated"]
