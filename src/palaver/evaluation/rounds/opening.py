"""Rounds opened, stopped and opened again: what writers find, and when they find nothing."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.errors import InputError
from palaver.core.evaluation.rounds import Round, RoundContext, RoundModel, RoundTerms
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.core.words import listed
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.builtin import ensure_builtin_models
from palaver.evaluation.rounds.contexts import keep_contexts
from palaver.evaluation.rounds.loop_models import resolve_models
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.games.model_in_the_loop.form import context_fields, goal_labels
from palaver.storage.audit.entries import record
from palaver.storage.evaluation.rounds import add_round, find_round, list_rounds, set_round


def open_round(
    home: EvaluationHome,
    *,
    task: str,
    study_id: int,
    stage: int,
    terms: RoundTerms,
    models: Sequence[str],
    contexts: Sequence[RoundContext],
    now: float,
    by: Actor,
) -> Round:
    """Open the next round of a task with the models that these names stand for now.

    InputError where another round runs, a model cannot be asked, or the goals are none of the labels.
    """
    row = home.store.write_now(lambda c: ensure_task(c, task, now=now))
    found = stored_task(row)
    labels = goal_labels(found)
    _check_goals(found, terms, labels)
    _check_contexts(found, terms, contexts)
    ensure_builtin_models(home, row, found, models, now=now)
    path, digest = keep_contexts(home, task, contexts)

    def add(connection: Connection) -> Round:
        made = add_round(
            connection,
            task_id=row.id,
            study_id=study_id,
            stage=stage,
            terms=replace(terms, labels=labels),
            models=_seated(connection, row, terms, models),
            contexts_path=path,
            contexts_digest=digest,
            contexts=len(contexts),
            now=now,
        )
        _record(connection, "loop.open", made, by=by, now=now)
        return made

    return home.store.write_now(add)


def stop_round(connection: Connection, round_: Round, *, by: Actor, now: float) -> Round:
    """Seat nobody more; who writes now finishes. Stopping twice changes nothing."""
    return _set(connection, round_, "stopped", by=by, now=now)


def resume_round(connection: Connection, round_: Round, *, by: Actor, now: float) -> Round:
    """Open a stopped round again."""
    return _set(connection, round_, "open", by=by, now=now)


def label_changes(connection: Connection, round_: Round, task: Task) -> str:
    """In a sentence, how the task's labels differ from those of the round; empty where they do not."""
    old, new = round_.terms.labels, goal_labels(task)
    gone = [label for label in old if label not in new]
    fresh = [label for label in new if label not in old]
    if not (gone or fresh):
        return ""
    parts = [f"{listed(fresh)} is new" if fresh else "", f"{listed(gone)} is gone" if gone else ""]
    return (
        f"The labels of '{task.name}' have changed since round {round_.number}: "
        f"{'; '.join(filter(None, parts))}. What was written stays as it is."
    )


def previous_round(connection: Connection, round_: Round) -> Round | None:
    """The round before this one."""
    earlier = [
        each for each in list_rounds(connection, round_.task_id) if each.number < round_.number
    ]
    return earlier[-1] if earlier else None


def _set(connection: Connection, round_: Round, state: str, *, by: Actor, now: float) -> Round:
    known = find_round(connection, round_.task_id, round_.number)
    if known.state == "closed":
        raise InputError(
            f"Round {known.number} of '{known.task}' is closed, and its data sets are made. Open "
            f"the next one: palaver round open {known.study}"
        )
    if known.state == state:
        return known
    changed = set_round(connection, known.id, state="open" if state == "open" else "stopped")
    act = "loop.resume" if state == "open" else "loop.stop"
    _record(connection, act, changed, by=by, now=now)
    return changed


def _record(connection: Connection, act: str, round_: Round, *, by: Actor, now: float) -> None:
    detail = {"round": round_.number, "models": [each.system for each in round_.models]}
    record(
        connection,
        act,
        by=by,
        now=now,
        subject=round_.task,
        study_id=round_.study_id,
        detail=detail,
    )


def _seated(
    connection: Connection, row: StoredTask, terms: RoundTerms, names: Sequence[str]
) -> tuple[RoundModel, ...]:
    """Who answers: the dialogue system that one talks with, or models of the task."""
    if terms.talk:
        return (RoundModel(name=terms.talk, version=0),)
    return resolve_models(connection, row, names)


def _check_goals(task: Task, terms: RoundTerms, labels: Sequence[str]) -> None:
    unknown = [goal for goal in terms.goals if goal not in labels]
    if unknown and not labels:
        raise InputError(
            f"The task '{task.name}' has no labels that could be a goal; leave 'goals' out."
        )
    if unknown:
        raise InputError(
            f"'{unknown[0]}' is no label of '{task.name}', so it cannot be a goal. Its labels: "
            f"{', '.join(labels)}."
        )


def _check_contexts(task: Task, terms: RoundTerms, contexts: Sequence[RoundContext]) -> None:
    fields = context_fields(task, talks=bool(terms.talk))
    if contexts and not fields:
        raise InputError(
            f"The task '{task.name}' has no context. Say how many 'sessions' there are instead."
        )
    if not contexts and fields:
        names = ", ".join(each.name for each in fields)
        raise InputError(
            f"The task '{task.name}' asks about a context ({names}): say what writers write about, "
            "with 'contexts'."
        )
