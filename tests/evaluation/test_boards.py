"""A board, read from the labels of a real store."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import pytest

from palaver.core.labels import Label
from palaver.core.scenario import Scenario
from palaver.core.serial import encode
from palaver.core.units import dialogue_unit, pair_unit
from palaver.evaluation.boards import KIND_OF, Raters, VoteBoard, VotePlan, vote_board
from palaver.evaluation.verdicts import cast_votes, study_verdict
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue
from palaver.storage.judging.labels import NewLabel, append_labels
from palaver.storage.judging.units import ensure_unit
from palaver.storage.judging.votes import read_votes
from palaver.storage.people.participants import enter, finish
from palaver.storage.people.raters import ensure_rater
from palaver.storage.studies.studies import register_study
from support.databases import new_sqlite

PLAN = VotePlan(12)


class Votes:
    """A study with as many votes as a test casts."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.cast_so_far = 0
        self.study_id = store.write_now(
            lambda c: register_study(c, name="s", title="S", digest="", definition="", now=0.0)
        )

    def cast(self, first: str, second: str, value: str, times: int, kind: str = "person") -> None:
        for _ in range(times):
            self.cast_so_far += 1
            self.store.write_now(lambda c: self._cast(c, (first, second), value, kind))

    def _cast(self, connection, systems, value, kind) -> None:
        person = f"p{self.cast_so_far}"
        visit = enter(
            connection,
            study_id=self.study_id,
            crowd="local",
            person=person,
            assignment="1",
            first_step="chat",
            now=0.0,
        )
        members = [
            dialogue_unit(
                create_dialogue(
                    connection,
                    study_id=self.study_id,
                    stage=0,
                    condition="|".join(systems),
                    scenario=Scenario(),
                    occupants=[Occupant(assignment_id=visit.id), Occupant(system=system)],
                    now=0.0,
                )[1]
            )
            for system in systems
        ]
        for member in members:
            ensure_unit(connection, self.study_id, member)
        pair = pair_unit(*members)
        if pair.members != tuple(member.key for member in members):
            value = {"first": "second", "second": "first"}.get(value, value)
        append_labels(
            connection,
            [
                NewLabel(
                    Label(
                        unit=pair.key,
                        question="better",
                        question_version="1",
                        rater=person,
                        rater_kind=kind,
                        value=value,
                    ),
                    study_id=self.study_id,
                    unit_id=ensure_unit(connection, self.study_id, pair),
                    rater_id=ensure_rater(connection, key=person, kind=kind, now=0.0),
                    assignment_id=visit.id,
                )
            ],
        )
        finish(connection, visit.id, state="finished", reason="complete", code=None, now=1.0)

    def board(
        self,
        *,
        raters: Raters = "all",
        plan: VotePlan = PLAN,
        systems: Sequence[str] = ("a", "b", "c"),
        truth: Mapping[str, float] | None = None,
    ) -> VoteBoard:
        rows = self.store.read_now(lambda c: read_votes(c, self.study_id, "better"))
        cast = cast_votes(rows, KIND_OF[raters])
        final = plan.has_all(len(cast.votes))
        return vote_board(
            study_verdict(cast, systems=systems, final=final),
            title="Which is better?",
            votes=len(cast.votes),
            plan=plan,
            final=final,
            raters=raters,
            truth=truth,
            now=7.0,
        )


@pytest.fixture
def votes(tmp_path) -> Iterator[Votes]:
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    yield Votes(store)
    store.close()


def test_before_the_first_vote_every_system_is_listed_without_a_rate(votes):
    board = votes.board()

    assert [(row.system, row.n, row.rate, row.low) for row in board.systems] == [
        ("a", 0, None, None),
        ("b", 0, None, None),
        ("c", 0, None, None),
    ]
    assert (board.votes, board.state, board.answer) == (0, "provisional", "No comparisons yet")


def test_systems_are_ranked_by_rate_and_those_without_votes_come_last(votes):
    votes.cast("b", "c", "second", 2)
    votes.cast("b", "c", "tie", 1)

    rows = votes.board().systems

    assert [(row.system, row.wins, row.ties, row.losses) for row in rows] == [
        ("c", 2, 1, 0),
        ("b", 0, 1, 2),
        ("a", 0, 0, 0),
    ]
    assert rows[0].rate == pytest.approx(2.5 / 3)
    assert rows[0].low < rows[0].rate < rows[0].high


def test_equal_rates_stand_in_the_order_of_their_names(votes):
    votes.cast("b", "a", "tie", 2)

    assert [row.system for row in votes.board(systems=["b", "a"]).systems] == ["a", "b"]


def test_the_truth_is_shown_only_when_all_votes_are_in(votes):
    truth = {"a": 0.8, "b": 0.2}
    votes.cast("a", "b", "first", 11)
    assert [row.truth for row in votes.board(truth=truth).systems] == [None, None, None]

    votes.cast("b", "a", "second", 1)
    final = votes.board(truth=truth)

    assert (final.state, final.votes) == ("final", 12)
    assert [(row.system, row.truth) for row in final.systems] == [
        ("a", 0.8),
        ("b", 0.2),
        ("c", None),
    ]
    assert final.answer == "a leads; b follows; c has no votes yet"


def test_without_a_number_needed_a_board_stays_provisional(votes):
    votes.cast("a", "b", "first", 3)

    assert votes.board(plan=VotePlan(None), truth={"a": 1.0}).state == "provisional"


def test_a_board_is_final_when_all_work_is_done_though_somebody_did_not_vote(votes):
    assert votes.board(plan=VotePlan(2, is_over=True)).state == "provisional"  # nobody voted
    votes.cast("a", "b", "first", 1)
    assert votes.board(plan=VotePlan(2, is_over=True)).state == "final"
    assert votes.board(plan=VotePlan(2)).state == "provisional"


def test_votes_of_people_and_of_simulated_raters_can_be_told_apart(votes):
    votes.cast("a", "b", "first", 3, kind="person")
    votes.cast("a", "b", "second", 5, kind="simulated")
    votes.cast("a", "b", "tie", 1, kind="model")

    assert votes.board(raters="people").votes == 3
    assert votes.board(raters="simulated").votes == 5
    assert votes.board(raters="all").votes == 9
    assert votes.board(raters="simulated", plan=VotePlan(5)).state == "final"
    assert votes.board(raters="people", plan=VotePlan(5)).state == "provisional"


def test_a_system_that_is_no_longer_in_the_study_keeps_its_votes(votes):
    votes.cast("a", "old", "second", 2)

    assert [row.system for row in votes.board(systems=["a"]).systems] == ["old", "a"]


def test_the_page_receives_it_as_json(votes):
    votes.cast("a", "b", "first", 1)

    sent = msgspec.json.decode(encode(votes.board(systems=["a"])))

    assert list(sent) == [
        "title", "state", "votes", "needed", "raters", "systems", "updated", "answer", "excluded",
        "unjudged", "inference", "pairs", "voters", "waiting", "confidence", "method",
        "intervals",
    ]  # fmt: skip
    assert list(sent["systems"][0]) == [
        "system", "wins", "ties", "losses", "n", "rate", "low", "high", "truth", "rank",
        "strength",
        "strength_low",
        "strength_high",
    ]  # fmt: skip
    assert (sent["votes"], sent["updated"], sent["systems"][0]["truth"]) == (1, 7.0, None)
