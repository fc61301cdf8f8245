"""Who is owed what in a round that real visits made: people who come again, leave, and are excluded."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from palaver.core.audit import COMMAND
from palaver.core.evaluation.bonuses import RoundBonuses
from palaver.core.evaluation.rounds import Round, RoundTerms
from palaver.core.serial import plain
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.evaluation.rounds.closing import ClosingOptions, close_round
from palaver.evaluation.rounds.example_decisions import retract_example
from palaver.storage.evaluation.rounds import find_round
from palaver.storage.evaluation.tasks import find_task
from palaver.storage.judging.exclusions import exclude
from palaver.storage.people.erasure import erase_assignment
from palaver.storage.people.participants import Assignment, enter
from palaver.storage.schema import raters
from palaver.studies.run.round_bonuses import round_bonuses
from support.validating import Validation
from support.written_rounds import NOW, RoundDesk, Sent

TERMS = RoundTerms(bonus={"verified": 0.5, "fooling": 0.1, "judged": 0.05})


class Paid:
    """A round of ann and ben, judged by cem and dia, who find everything right."""

    def __init__(self, home: EvaluationHome) -> None:
        self.home = home
        self.desk = RoundDesk(home.store, terms=TERMS)
        self.visits = {name: self.desk.visit(name) for name in ("ann", "ben")}
        self.sessions = {name: self.write(visit, name) for name, visit in self.visits.items()}
        self.validation = Validation(self.desk, name="judging")
        self.validation.take_in()
        self.judge("cem", "dia")

    def write(self, visit: Assignment, about: str) -> str:
        """Write one example that fools the model; its uid."""
        key = self.desk.session(visit, Sent(f"Nobody knew of {about}."), context=about)
        return next(each.uid for each in self.desk.examples() if each.dialogue == key)

    def again(self, person: str) -> Assignment:
        """Another visit of somebody to the same study."""
        return self.home.store.write_now(
            lambda c: enter(
                c,
                study_id=self.desk.study_id,
                crowd="link",
                person=person,
                assignment="2",
                first_step="stage:0",
                now=NOW,
            )
        )

    def judge(self, *people: str, answer: str = "entailed") -> None:
        for person in people:
            while self.validation.judge(person, answer) is not None:
                pass

    def alias(self, person: str) -> str:
        return self.validation.rater(person).alias

    def exclude(self, person: str) -> None:
        wanted = select(raters.c.id).where(raters.c.key == self.alias(person))
        rater_id = self.home.store.read_now(lambda c: c.execute(wanted).scalar_one())
        study_id = self.validation.study_id
        self.home.store.write_now(
            lambda c: exclude(c, study_id=study_id, rater_id=rater_id, excluded=True, now=NOW)
        )

    def withdraw(self, visit: int) -> None:
        self.home.store.write_now(lambda c: erase_assignment(c, visit, now=NOW))

    def take_back(self, person: str) -> None:
        uid, writer = self.sessions[person], self.alias(person)
        self.home.store.write_now(lambda c: retract_example(c, uid, writer=writer, now=NOW))

    def close(self) -> None:
        row = self.home.store.read_now(lambda c: find_task(c, "nli"))
        options = ClosingOptions(anyway=True)
        close_round(self.home, row, self.desk.round, options=options, by=COMMAND, now=NOW)

    @property
    def round(self) -> Round:
        return self.home.store.read_now(lambda c: find_round(c, self.desk.round.task_id))

    @property
    def found(self) -> RoundBonuses:
        return self.home.store.read_now(lambda c: round_bonuses(c, self.round, ids=True))

    @property
    def owed(self) -> dict[str, str]:
        """What each person is owed, by the name that their panel has for them."""
        return {each.panel_id or each.person: each.amount for each in self.found.bonuses}


@pytest.fixture
def paid(tmp_path: Path, database_url: str) -> Iterator[Paid]:
    with open_evaluation(tmp_path / "home", database_url) as home:
        yield Paid(home)


ALL = {"ann": "0.60", "ben": "0.60", "cem": "0.10", "dia": "0.10"}


def test_somebody_who_comes_again_or_judges_too_is_one_person(paid: Paid) -> None:
    assert paid.owed == ALL
    paid.write(paid.again("ann"), "the second visit")
    paid.validation.take_in()
    paid.judge("cem", "dia", "ann")
    # ann wrote two that were verified, and judged the one that ben wrote.
    assert paid.owed == {"ann": "1.25", "ben": "0.60", "cem": "0.15", "dia": "0.15"}


def test_who_takes_an_example_back_earns_nothing_for_it_and_who_judged_it_does(paid: Paid) -> None:
    paid.take_back("ann")
    assert paid.owed == {"ben": "0.60", "cem": "0.10", "dia": "0.10"}


def test_who_judged_what_was_erased_did_their_work(paid: Paid) -> None:
    paid.withdraw(paid.visits["ann"].id)
    assert paid.owed == {"ben": "0.60", "cem": "0.10", "dia": "0.10"}
    (judged,) = next(each for each in paid.found.bonuses if each.panel_id == "cem").parts
    assert set(judged.examples) == set(paid.sessions.values())
    paid.close()
    assert paid.owed == {"ben": "0.60", "cem": "0.10", "dia": "0.10"}


def test_whose_judgements_do_not_count_changes_bonuses_until_the_round_is_closed(
    paid: Paid,
) -> None:
    paid.exclude("cem")
    # One judgement is left of each example, and two are needed.
    assert paid.owed == {"ann": "0.10", "ben": "0.10", "dia": "0.10"}
    assert paid.found.waiting == 2
    paid.close()
    assert paid.owed == {"ann": "0.10", "ben": "0.10", "dia": "0.10"}
    assert paid.found.waiting == 0


def test_what_happens_after_a_round_is_closed_changes_no_bonus(paid: Paid) -> None:
    paid.close()
    assert paid.owed == ALL
    paid.exclude("cem")
    paid.take_back("ann")
    paid.judge("eli", answer="neutral")
    paid.write(paid.again("ben"), "what came late")
    assert paid.owed == ALL
    paid.withdraw(paid.validation.rater("dia").assignment_id)
    # What they are owed stays; who they are is forgotten.
    assert sorted(paid.owed.values()) == sorted(ALL.values())
    assert "dia" not in paid.owed


def test_what_people_earned_is_told_nowhere_beside_the_bonuses(paid: Paid) -> None:
    paid.close()
    result = paid.round.result
    assert result is not None
    assert result.earned
    assert "earned" not in plain(result)
