"""Closing a challenge: its results are computed once and kept, and nothing changes after that."""

import hashlib
import io
import re
import zipfile
from pathlib import Path

import pytest

from palaver.core.audit import COMMAND, AuditFilter
from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.challenge_results import ChallengeResults
from palaver.evaluation.challenges.closing import (
    challenge_results,
    close_challenge,
    publish_results,
    result_file,
    write_runs,
)
from palaver.evaluation.challenges.entries import choose_final, withdraw_entry
from palaver.evaluation.challenges.final_boards import FinalBoards
from palaver.evaluation.challenges.standings import track_board
from palaver.evaluation.challenges.teams import find_team
from palaver.reports.challenge_results import close_and_write, write_kept_results
from palaver.storage.audit.entries import all_entries
from support.challenges import DEADLINE, FILE, FINAL, HOUR, TEST, Cup, answers

CLOSED = DEADLINE + 24 * HOUR


def held(cup: Cup) -> Cup:
    """A challenge with three teams on its English track; one is a baseline, one run is late."""
    otters, owls = cup.team("Otters"), cup.team("Ö_wls & co")
    base = cup.team("Uniform", is_baseline=True)
    cup.submit(otters, answers(TEST), run=1)
    cup.submit(otters, answers(TEST, right=5), run=3)
    cup.submit(owls, answers(TEST, right=4), now=DEADLINE + HOUR)
    cup.submit(base, answers(TEST, right=1))
    cup.bench.work()
    return cup


def nothing(_final: FinalBoards, folder: Path) -> None:
    (folder / "index.html").write_text("nothing")


def close(cup: Cup) -> ChallengeResults:
    return close_challenge(cup.home, cup.row, writer=nothing, by=COMMAND, now=CLOSED, trials=100)


def test_a_closed_challenge_says_what_its_boards_say(cup: Cup) -> None:
    held(cup)
    board = track_board(cup.home, cup.row, "english", "final", trials=100)

    found = close(cup)

    assert cup.row.frozen == CLOSED
    assert cup.row.published is None
    english, chinese = found.tracks
    assert english.answers == board.answers
    assert (
        english.runs
        == board.runs
        == (
            "Otters-run1",
            "Otters-run3",
            "Uniform-run1",
            "Ö_wls & co-run1",
        )
    )
    assert (english.items, chinese.items, chinese.runs) == (len(TEST), 0, ())
    assert challenge_results(cup.home, cup.row) == found


def test_every_file_is_kept_byte_by_byte(local_cup: Cup, tmp_path: Path) -> None:
    cup = held(local_cup)
    found = close_and_write(cup.home, cup.row, by=COMMAND, now=CLOSED, trials=100)
    read = {each.path: result_file(cup.home, cup.row, each.path) for each in found.files}

    for each in found.files:
        assert len(read[each.path]) == each.size
        assert hashlib.sha256(read[each.path]).hexdigest() == each.sha256
    assert result_file(cup.home, cup.row, "") == read["index.html"]
    assert result_file(cup.home, cup.row, "english") == read["english/index.html"]
    with pytest.raises(UnknownNameError, match="have no file"):
        result_file(cup.home, cup.row, "../../secret")

    page = write_kept_results(cup.home, cup.row, tmp_path / "out")
    packed = zipfile.ZipFile(io.BytesIO(read["tables.zip"]))
    written = {
        path.relative_to(page.parent).as_posix(): path.read_bytes()
        for path in page.parent.rglob("*")
        if path.is_file()
    }
    assert written == read
    assert {name: packed.read(name) for name in packed.namelist()} == {
        name: content for name, content in read.items() if name != "tables.zip"
    }

    assert_pages(cup, found)


def assert_pages(cup: Cup, found: ChallengeResults) -> None:
    """Pages tell the verdict and point at files that are there."""
    paths = {each.path for each in found.files}
    answer = next(iter(found.tracks[0].answers.values()))

    for page in ("index.html", "english/index.html", "chinese/index.html"):
        text = result_file(cup.home, cup.row, page).decode()
        for link in re.findall(r'href="([^"#:]+)"', text):
            start = Path(page).parent
            place = "manifest.json" if link == "../manifest.json" else (start / link).as_posix()
            assert place.replace("english/../", "").replace("chinese/../", "") in paths, link
        assert "--" not in re.sub(r"<style>.*?</style>|--[a-z0-9-]+", "", text, flags=re.DOTALL)
    main = result_file(cup.home, cup.row, "index.html").decode()
    assert answer in main.replace("&amp;", "&")
    assert "No runs were submitted here." in main
    for mark in ("baseline", "late"):
        assert f'<span class="tag">{mark}</span>' in main


def test_nothing_changes_after_it(cup: Cup) -> None:
    held(cup)
    close(cup)
    otters = cup.entries()[0]
    team = cup.home.store.read_now(lambda c: find_team(c, cup.row, "Otters"))

    for act in (
        lambda: cup.submit(team, answers(TEST, right=2), now=FINAL),
        lambda: withdraw_entry(cup.home, cup.row, team, otters.key, now=FINAL),
        lambda: choose_final(cup.home, cup.row, team, otters.key, final=True, now=FINAL),
        lambda: cup.add(FILE.replace("Play fair.", "Play.")),
        lambda: cup.team("Newts"),
    ):
        with pytest.raises(InputError, match="closed"):
            act()


def test_closing_twice_is_refused_with_when_it_was_closed(local_cup: Cup) -> None:
    cup = held(local_cup)
    close(cup)
    with pytest.raises(InputError, match="was closed on 2026-12-02 11:59 UTC"):
        close_challenge(cup.home, cup.row, writer=nothing, by=COMMAND, now=CLOSED + 1, trials=10)


def test_who_dies_on_the_way_leaves_it_open(local_cup: Cup) -> None:
    cup = held(local_cup)

    def dies(_final: FinalBoards, folder: Path) -> None:
        (folder / "index.html").write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        close_challenge(cup.home, cup.row, writer=dies, by=COMMAND, now=CLOSED, trials=10)

    assert cup.row.frozen is None
    with pytest.raises(InputError, match="still open"):
        challenge_results(cup.home, cup.row)
    assert close(cup).tracks[0].runs


def test_what_arrives_meanwhile_is_in_the_results(local_cup: Cup) -> None:
    cup = held(local_cup)
    newts = cup.team("Newts")
    written: list[tuple[str, ...]] = []

    def writes(final: FinalBoards, folder: Path) -> None:
        if not written:
            cup.submit(newts, answers(TEST, right=3))
            cup.bench.work()
        written.append(final.boards[0].board.runs)
        nothing(final, folder)

    found = close_challenge(cup.home, cup.row, writer=writes, by=COMMAND, now=CLOSED, trials=10)

    assert ["Newts-run1" in runs for runs in written] == [False, True]
    assert "Newts-run1" in found.tracks[0].runs


def test_it_stays_open_while_entries_do_not_stop(local_cup: Cup) -> None:
    cup = held(local_cup)
    newts = cup.team("Newts")

    def writes(final: FinalBoards, folder: Path) -> None:
        cup.submit(newts, answers(TEST, right=len(final.boards[0].board.runs) - 3))
        nothing(final, folder)

    with pytest.raises(InputError, match="kept arriving"):
        close_challenge(cup.home, cup.row, writer=writes, by=COMMAND, now=CLOSED, trials=10)
    assert cup.row.frozen is None


def test_it_is_on_record_and_published_once(cup: Cup) -> None:
    held(cup)
    close(cup)
    for later in (1, 2):
        row = cup.home.store.write_now(
            lambda c, later=later: publish_results(c, cup.row, by=COMMAND, now=CLOSED + later)
        )
    acts = cup.home.store.read_now(lambda c: list(all_entries(c, AuditFilter())))

    told = [each for each in acts if each.act in ("challenge.close", "challenge.publish")]
    assert row.published == CLOSED + 1
    assert sorted(each.act for each in told) == ["challenge.close", "challenge.publish"]
    closed = next(each for each in told if each.act == "challenge.close")
    assert closed.detail["runs"] == {"english": 4, "chinese": 0}


def test_an_open_challenge_has_no_results_to_publish(local_cup: Cup) -> None:
    with pytest.raises(InputError, match="still open"):
        local_cup.home.store.write_now(
            lambda c: publish_results(c, local_cup.row, by=COMMAND, now=CLOSED)
        )


def test_runs_as_folders(local_cup: Cup, tmp_path: Path) -> None:
    cup = held(local_cup)

    written = write_runs(cup.home, cup.row, tmp_path / "runs")

    assert sorted(written) == [
        "Otters/run1/english_en.jsonl",
        "Otters/run3/english_en.jsonl",
        "Uniform/run1/english_en.jsonl",
        "Ö_wls & co/run1/english_en.jsonl",
    ]
    assert (tmp_path / "runs/Otters/run3/english_en.jsonl").read_bytes() == answers(TEST, right=5)
    assert "baseline: true" in (tmp_path / "runs/teams.yaml").read_text()
    with pytest.raises(InputError, match="not an empty folder"):
        write_runs(cup.home, cup.row, tmp_path / "runs")
    with pytest.raises(UnknownNameError, match="no track 'german'"):
        write_runs(cup.home, cup.row, tmp_path / "more", track="german")
    assert write_runs(cup.home, cup.row, tmp_path / "zh", track="chinese") == []
