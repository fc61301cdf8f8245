"""The headline of a study: one function decides it for the report, the desk and the command line.

Votes come first, the board's before others; ratings follow. A study of advice says what its board
says, and nothing else. Nobody leads on a tie, and of many
questions or labels the finding sums up how many tell systems apart instead of taking one of them.
"""

from typing import NamedTuple

from palaver.core.studies.headline import Headline
from palaver.core.words import counted
from palaver.reports.report.answers import RatedQuestion, rate_systems
from palaver.reports.report.ranking import RankedVotes, rank_votes
from palaver.reports.report.rating_finding import finding_of_ratings
from palaver.reports.report.subject import ReportSettings, Subject
from palaver.reports.report.vote_finding import finding_of_votes

KINDS = {"person": "people", "model": "model judges", "simulated": "simulated raters"}


class MeasuredQuestions(NamedTuple):
    """What was computed of each question: rankings of votes, and comparisons of ratings."""

    rankings: list[RankedVotes]
    rated: list[RatedQuestion]

    @property
    def orders(self) -> dict[str, tuple[str, ...]]:
        """The systems of each question, best first."""
        ranked = {
            each.votes.name: tuple(system.system for system in each.found.standings)
            for each in self.rankings
        }
        return ranked | {
            each.ratings.name: tuple(each.found.systems)
            for each in self.rated
            if each.found is not None
        }


def measure(subject: Subject, settings: ReportSettings) -> MeasuredQuestions:
    """The numbers that a headline is made of."""
    return MeasuredQuestions(
        [rank_votes(votes, settings) for votes in subject.votes if len(votes.frame)],
        [
            rate_systems(rating, settings)
            for rating in subject.ratings
            if not rating.is_choice and len(rating.frame)
        ],
    )


def headline_of(subject: Subject, measured: MeasuredQuestions) -> Headline:
    """The headline of everything that was answered."""
    rankings, rated = measured
    if not rankings and not rated:
        return _nothing(subject)
    if subject.finding is not None:
        found = [subject.finding]
    else:
        found = [finding_of_votes(rankings[0])] if rankings else []
        found += [finding_of_ratings(rated)] if rated else []
    next_ = next((each.next for each in found if each.next), "")
    made_up = "All raters are simulated." if subject.simulated else ""
    only = (
        ""
        if subject.raters == "all"
        else f"Only answers of {KINDS.get(subject.raters, subject.raters)}."
    )
    left = ""
    if subject.leaves_out:
        left = f"{counted(len(subject.flags), 'flagged rater')} left out."
    return Headline(
        finding=" ".join(_sentence(each.finding) for each in found),
        certainty=" ".join(
            text for text in (*(each.certainty for each in found), only, made_up, left) if text
        ),
        next=next_,
    )


def _nothing(subject: Subject) -> Headline:
    what = "Serve the study and have it judged, then make the report again."
    if subject.kind == "table":
        what = "The table has no rows that could be counted."
    return Headline("There are no answers yet, so there is nothing to report.", next=what)


def _sentence(text: str) -> str:
    # A system keeps the small letter its name may begin with.
    return f"{text.rstrip('.')}."
