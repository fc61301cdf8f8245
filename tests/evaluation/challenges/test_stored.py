"""Challenges in the store: added with their data, and changed only where entries keep their meaning."""

from dataclasses import replace

import pytest

from palaver.core.audit import COMMAND, AuditFilter
from palaver.core.errors import InputError, StudyError, UnknownNameError
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.stored import (
    add_challenge,
    find_challenge,
    find_public_challenge,
    set_challenge,
)
from palaver.evaluation.tasks import ensure_task
from palaver.storage.audit.entries import all_entries
from support.challenges import FILE, PRACTICE, Cup


def test_tasks_and_data_sets_that_are_not_there_are_named_with_their_places(local_cup: Cup) -> None:
    text = FILE.replace("final: test}", "final: tset}").replace(
        "title: Chinese\n    task: nli", "title: Chinese\n    task: nil"
    )
    with pytest.raises(StudyError) as refused:
        local_cup.add(text)
    english, chinese = refused.value.problems
    assert (english.line, english.column) == (14, 34)
    assert "The task 'nli' has no data set 'tset'. Near: 'test'" in english.message
    assert (chinese.line, chinese.column) == (17, 11)
    assert "No task 'nil' is stored here or built in. Near: 'nli'" in chinese.message


def test_the_same_file_again_changes_nothing(cup: Cup) -> None:
    before = cup.row
    assert cup.add(FILE).state == "same"
    assert cup.row == before


def test_a_challenge_made_in_python_is_checked_the_same(local_cup: Cup) -> None:
    challenge = replace(stored_definition(local_cup.row), name="other", final_runs=9)
    with pytest.raises(InputError, match="A team has 4 runs"):
        add_challenge(local_cup.home, challenge, by=COMMAND, now=PRACTICE)
    added = add_challenge(
        local_cup.home, replace(challenge, final_runs=1), by=COMMAND, now=PRACTICE
    )
    assert added.state == "new"


def test_what_halves_are_drawn_with_stays(local_cup: Cup) -> None:
    salt = local_cup.row.salt
    local_cup.add(FILE.replace("The NLI Cup", "The Cup"))
    assert len(salt) == 32
    assert local_cup.row.salt == salt
    assert local_cup.row.title == "The Cup"


def test_public_and_private(cup: Cup) -> None:
    with pytest.raises(UnknownNameError, match="No public challenge has this name"):
        cup.home.store.read_now(lambda c: find_public_challenge(c, "cup"))
    for public in (True, True, False):
        row = cup.home.store.write_now(
            lambda c, public=public: set_challenge(  # type: ignore[misc]
                c, cup.row, public=public, by=COMMAND, now=PRACTICE
            )
        )
        assert row.public is public
    found = cup.home.store.read_now(
        lambda c: list(all_entries(c, AuditFilter(act="challenge.change")))
    )
    assert [each.detail for each in found] == [{"public": True}, {"public": False}]


def test_an_unknown_challenge_names_what_is_near(local_cup: Cup) -> None:
    with pytest.raises(UnknownNameError, match=r"No challenge 'cub' is stored here\. Near: 'cup'"):
        local_cup.home.store.read_now(lambda c: find_challenge(c, "cub"))


MORE = """\
  after:
    title: After
    opens: 2027-02-01 00:00 UTC
"""


class TestChanges:
    @pytest.mark.parametrize(
        ("old", "new", "changed"),
        [
            ("Play fair.", "Play fair, always.", ("pages",)),
            ("closes: 2026-11-30", "closes: 2026-12-03", ("phases.final",)),
            ("{everybody: 2026-12-15", "{everybody: 2026-12-20", ("phases.final",)),
            (
                "data: {final: test-zh}",
                "data: {final: test-zh, after: test-zh}",
                ("tracks.chinese", "phases.after"),
            ),
            ("title: English", "title: In English", ("tracks.english",)),
            ("runs: 4", "runs: 5", ("most_runs",)),
        ],
    )
    def test_texts_later_deadlines_and_more_may_change_and_are_on_record(
        self, local_cup: Cup, old: str, new: str, changed: tuple[str, ...]
    ) -> None:
        local_cup.submit(local_cup.team())
        text = FILE.replace(old, new)
        text = text.replace("files:\n", f"{MORE}files:\n") if "after:" in new else text
        added = local_cup.add(text)
        assert (added.state, added.changed) == ("changed", changed)
        [act] = local_cup.home.store.read_now(
            lambda c: list(all_entries(c, AuditFilter(act="challenge.change")))
        )
        assert act.detail["changed"] == list(changed)

    @pytest.mark.parametrize(
        ("old", "new", "problem"),
        [
            ("final: test}", "final: dev}", "they do not answer 'dev'"),
            (
                "english:\n    title: English\n    task: nli",
                "english:\n    title: English\n    task: qa",
                "were measured as 'nli'; as 'qa' their scores would mean something else",
            ),
            ("closes: 2026-11-30", "closes: 2026-11-29", "may be later but not earlier"),
            ("opens: 2026-11-10", "opens: 2026-11-16", "it cannot open after that"),
            ("hours: 24", "halves: {public: 0.5}", "cannot be cut anew"),
            ("late_hours: 12", "late_hours: 6", "its late hours cannot become fewer"),
            ("final_runs: 2", "final_runs: 1", "it cannot become less"),
            (
                "  english:",
                "  british:",
                "The track 'english' has 1 entry, so it cannot be removed",
            ),
        ],
    )
    def test_what_entries_were_measured_by_may_not(
        self, local_cup: Cup, old: str, new: str, problem: str
    ) -> None:
        local_cup.submit(local_cup.team())
        before = local_cup.row
        local_cup.home.store.write_now(lambda c: ensure_task(c, "qa", now=PRACTICE))
        with pytest.raises(StudyError) as refused:
            local_cup.add(FILE.replace(old, new))
        assert problem in str(refused.value)
        assert all(each.line for each in refused.value.problems)
        assert local_cup.row == before

    def test_without_entries_everything_may_change(self, local_cup: Cup) -> None:
        assert local_cup.add(FILE.replace("final: test}", "final: dev}")).state == "changed"
