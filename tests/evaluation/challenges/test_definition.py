"""The challenge file: what it means, and every problem with its line and column."""

from pathlib import Path

import pytest

from palaver.core.deadlines import read_moment
from palaver.core.errors import InputError, StudyError
from palaver.core.evaluation.challenges import Challenge, Sight, StoredChallenge
from palaver.evaluation.challenges.definition import (
    challenge_json,
    load_challenge,
    stored_definition,
)
from palaver.evaluation.challenges.starter_files import write_starter
from palaver.evaluation.tasks import builtin_names
from support.challenges import FILE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "about.md").write_text("# About\r\n\r\nIt is about *reading*.\r\n")
    (tmp_path / "terms.md").write_text("Be kind.\n")
    (tmp_path / "train.txt").write_text("x")
    return tmp_path


def load(folder: Path, text: str) -> Challenge:
    file = folder / "challenge.yaml"
    file.write_text(text, encoding="utf-8")
    return load_challenge(file)


def test_a_file_says_it_all(folder: Path) -> None:
    challenge = load(folder, FILE)
    assert challenge.pages == {"about": "# About\n\nIt is about *reading*.", "rules": "Play fair."}
    assert challenge.terms == "Be kind."
    english, chinese = challenge.tracks
    assert (english.task, english.language) == ("nli", "en")
    assert chinese.datasets == {"final": "test-zh"}
    practice, final = challenge.phases
    assert practice.sights == (Sight(who="own"),)
    assert final.closes == read_moment("2026-12-01 11:59:59 UTC")
    assert final.is_final
    assert not practice.is_final
    assert (challenge.most_runs, challenge.final_runs) == (4, 2)


def test_it_is_stored_and_read_again_as_it_was(folder: Path) -> None:
    challenge = load(folder, FILE)
    row = StoredChallenge(
        name="cup", title="", public=False, created=0.0, content=challenge_json(challenge)
    )
    assert stored_definition(row) == challenge


def test_one_data_set_is_that_of_every_phase_and_one_phase_is_final(folder: Path) -> None:
    text = (
        "name: cup\ntracks: {t: {task: nli, data: dev}}\nphases: {only: {closes: 2026-12-01 AoE}}\n"
    )
    challenge = load(folder, text)
    assert challenge.tracks[0].datasets == {"only": "dev"}
    assert challenge.phases[0].is_final
    assert challenge.final_runs == 3
    # Under the name that such a data set gets.
    other = load(folder, text.replace("data: dev", "data: dev_set 2"))
    assert other.tracks[0].datasets == {"only": "dev-set-2"}


@pytest.mark.parametrize(
    ("old", "new", "place", "problem"),
    [
        ("closes: 2026-11-30 23:59 AoE", "closes: 2026-11-30 23:59", "30:13", "has no zone"),
        ("closes: 2026-11-30 23:59 AoE", "closes: 2026-11-30 23:59 CET", "30:13", "'CET' is not a"),
        ("closes: 2026-11-30 23:59 AoE", "closes: 2026-11-01 AoE", "30:13", "before it opens at"),
        ("closes: 2026-11-30 23:59 AoE", "closes: 3", "30:13", "A date with time and zone"),
        (
            "{final: test-zh}",
            "{finale: test-zh}",
            "19:12",
            "There is no phase 'finale'. Near: 'final'",
        ),
        ("data: {final: test-zh}", "data: []", "19:5", "'data' takes a data set, or one per phase"),
        ("final_runs: 2", "final_runs: 9", "42:13", "A team has 4 runs"),
        ("final_runs: 2", "final_runs: 0", "42:13", "'final_runs' takes 1 or more; got 0"),
        ("runs: 4", "runs: 0", "41:7", "'runs' takes 1 or more; got 0"),
        ("runs: 4", "rusn: 4", "41:1", "Unknown key 'rusn'"),
        (
            "about: about.md",
            "about: abuot.md",
            "6:10",
            "There is no file 'abuot.md' that can be read",
        ),
        ("about: about.md", "about: ../about.md", "6:10", "lies outside the folder"),
        ("about: about.md", "abuot: about.md", "6:3", "There is no page 'abuot'. Near: 'about'"),
        ("file: train.txt", "file: /etc/passwd", "39:11", "lies outside the folder"),
        ("file: train.txt", "file: dev.txt", "39:11", "There is no file 'dev.txt'"),
        ("final: true", "final: false", "20:1", "No phase is final"),
        ("scores: own", "scores: onw", "26:13", "'scores' takes everybody, own or organisers"),
        ("submissions: 3", "submissions: 0", "32:18", "'submissions' takes 1 or more"),
        ("late_hours: 12", "late_hours: -1", "31:17", "'late_hours' takes 0 or more"),
        ("hours: 24", "halves: {public: 1.5}", "33:22", "'public' takes a number below 1"),
        (
            "contact: cup@example.org",
            "contact: the cup",
            "4:10",
            "'contact' takes an e-mail address",
        ),
        ("name: cup", "name: The Cup", "1:7", "A name has lower-case letters"),
    ],
)
def test_every_problem_has_its_place(
    folder: Path, old: str, new: str, place: str, problem: str
) -> None:
    assert FILE.count(old) == 1, old
    with pytest.raises(StudyError) as refused:
        load(folder, FILE.replace(old, new))
    lines = [str(each) for each in refused.value.problems]
    assert any(problem in line and f"challenge.yaml:{place}:" in line for line in lines), lines


def test_phases_on_the_same_data_do_not_overlap(folder: Path) -> None:
    text = FILE.replace("final: test}", "final: dev}").replace("2026-11-10", "2026-10-10")
    with pytest.raises(
        StudyError, match="'practice' and 'final' overlap, and in english they have"
    ):
        load(folder, text)
    load(folder, FILE.replace("2026-11-10", "2026-10-10"))


def test_late_hours_do_not_run_into_the_next_phase_on_the_same_data(folder: Path) -> None:
    text = FILE.replace("final: test}", "final: dev}")
    load(folder, text)
    late = text.replace("submissions: 20", "late_hours: 400")
    with pytest.raises(StudyError, match="'practice' and its late hours and 'final' overlap"):
        load(folder, late)


def test_two_final_phases(folder: Path) -> None:
    with pytest.raises(StudyError, match="'practice' is the final phase already"):
        load(folder, FILE.replace("submissions: 20", "final: true"))


def test_a_page_that_is_not_text(folder: Path) -> None:
    (folder / "about.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StudyError, match=r"'about\.md' is not UTF-8 text"):
        load(folder, FILE)


class TestStarter:
    def test_it_is_a_challenge_with_dates_to_come(self, tmp_path: Path) -> None:
        now = read_moment("2026-06-01 00:00 AoE")
        places = write_starter("cup", tmp_path / "cup", task="dialogue-quality", now=now)
        challenge = load_challenge(places[0])
        assert challenge.name == "cup"
        assert challenge.tracks[0].task == "dialogue-quality"
        assert all(phase.state(now) == "before" for phase in challenge.phases)
        assert challenge.phases[0].opens == read_moment("2026-06-08 00:00 AoE")
        assert set(challenge.pages) == {"about", "data", "rules", "organisers", "citation"}

    def test_every_built_in_task_fits(self, tmp_path: Path) -> None:
        for name in builtin_names():
            write_starter("cup", tmp_path / name, task=name, now=1_700_000_000.0)

    def test_nothing_is_overwritten_and_names_are_names(self, tmp_path: Path) -> None:
        write_starter("cup", tmp_path / "cup", task="nli", now=1_700_000_000.0)
        with pytest.raises(InputError, match="would be overwritten"):
            write_starter("cup", tmp_path / "cup", task="nli", now=1_700_000_000.0)
        with pytest.raises(InputError, match="A name has lower-case letters"):
            write_starter("The Cup", tmp_path / "other", task="nli", now=1_700_000_000.0)


ASKED = """\
name: cup
tracks:
  t:
    task: nli
    takes: endpoints
    data: {one: later}
    judged: {one: round-1}
phases:
  one:
    opens: 2026-09-01 00:00 UTC
    asks: 2026-09-05 00:00 UTC
"""


def test_a_track_takes_endpoints_that_are_asked_at_a_time_and_judged(folder: Path) -> None:
    challenge = load(folder, ASKED)
    (track,) = challenge.tracks
    assert (track.takes_endpoints, track.takes_files) == (True, False)
    assert track.judged == {"one": "round-1"}
    assert challenge.phases[0].asks == read_moment("2026-09-05 00:00 UTC")


@pytest.mark.parametrize(
    ("old", "new", "place", "words"),
    [
        ("takes: endpoints", "takes: endpoint", ":5:12", "'takes' is files, endpoints or both"),
        ("{one: round-1}", "{two: round-1}", ":7:14", "The phase 'two' is not there"),
        ("{one: round-1}", "{one: Round 1}", ":7:19", "'judged' names the study of each phase"),
        ("2026-09-05 00:00 UTC", "2026-09-05 00:00", ":11:11", "zone"),
        ("2026-09-05 00:00 UTC", "2026-08-05 00:00 UTC", ":11:11", "before the phase opens"),
        ("takes: endpoints", "takes: files", ":11:11", "No track takes endpoints in the phase"),
    ],
)
def test_what_is_asked_and_judged_must_make_sense(
    folder: Path, old: str, new: str, place: str, words: str
) -> None:
    with pytest.raises(StudyError) as caught:
        load(folder, ASKED.replace(old, new))
    assert words in str(caught.value)
    assert place in str(caught.value)
