"""A round on one sheet: its rates, how far contexts and goals are, what was noticed, who judged how."""

from collections import Counter
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from palaver.core.evaluation.round_sheets import GoalProgress, RoundSheet
from palaver.core.evaluation.rounds import WrittenExample
from palaver.core.serial import extended
from palaver.core.tasks import Labelled, Task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.rounds.contexts import contexts_of_round
from palaver.evaluation.rounds.examples import WrittenRound
from palaver.evaluation.rounds.opening import label_changes
from palaver.evaluation.rounds.rates import round_rates
from palaver.evaluation.rounds.sessions import RoundSessions
from palaver.evaluation.rounds.validators import validators
from palaver.games.model_in_the_loop.form import form_of


def round_sheet(home: EvaluationHome, connection: Connection, written: WrittenRound) -> RoundSheet:
    """Everything that is known of a round, from what was read of it."""
    round_, task = written.round, written.task
    begun = {session.writing.asked.context_id for session in written.folded}
    noticed = Counter(note for each in written.examples for note in each.notes)
    return extended(
        round_,
        RoundSheet,
        rates=round_rates(round_, written.examples, label_field=label_field(task)),
        goals=tuple(_goals(home, written)),
        sessions=written.sessions,
        erased=written.erased,
        contexts_begun=len(begun) if round_.contexts else 0,
        contexts_verified=_verified_contexts(written.examples) if round_.contexts else 0,
        noticed=dict(sorted(noticed.items())),
        validators=validators(written.examples, round_.terms),
        changes=label_changes(connection, round_, task),
    )


def label_field(task: Task) -> str:
    """The gold field whose labels can be goals; empty where a task has none."""
    labelled = (target for target in task.targets if isinstance(target, Labelled))
    return next((task.gold[target.name] for target in labelled), "")


def _verified_contexts(examples: Sequence[WrittenExample]) -> int:
    return len({each.context for each in examples if each.is_verified})


def _goals(home: EvaluationHome, written: WrittenRound) -> list[GoalProgress]:
    round_, sessions = written.round, written.folded
    form = form_of(written.task, talks=bool(round_.terms.talk))
    wanted = RoundSessions(round_, form, contexts_of_round(home, round_)).wanted
    held = Counter(_goal(each.writing.asked.goal) for each in sessions)
    fooled = Counter(
        _goal(each.writing.asked.goal) for each in sessions if each.writing.kept is not None
    )
    return [
        GoalProgress(
            goal=goal,
            wanted=wanted.get(goal),
            sessions=held[goal],
            fooled=fooled[goal],
        )
        for goal in dict.fromkeys((*wanted, *held))
    ]


def _goal(asked: Mapping[str, str]) -> str:
    """The label that a session asks for; empty where the writer chooses."""
    return next(iter(asked.values()), "")
