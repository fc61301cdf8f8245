"""How many more people a study needs from a panel, so that places there follow the quotas here."""

from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.recruiting.submissions import UNDER_WAY
from palaver.storage.judging import slot_counts
from palaver.storage.recruiting.submissions import count_states
from palaver.storage.recruiting.visits import count_inside
from palaver.storage.studies import quotas
from palaver.studies.run.deployment import RunningStudy
from palaver.studies.stages import ChatStage, RateStage, WriteStage


@dataclass(frozen=True, slots=True)
class Need:
    """What is left to be done here, in people, and how many are here or on their way.

    `free` is None where a quota is missing: then nobody can say when the study is full.
    """

    free: int | None
    inside: int


def read_need(connection: Connection, study: RunningStudy) -> Need:
    """What a study still needs, in people who have not begun, and how many are inside now."""
    inside = count_inside(connection, study.id)
    for index, stage in enumerate(study.definition.stages):
        if isinstance(stage, WriteStage) or (isinstance(stage, ChatStage) and stage.practice):
            continue
        if isinstance(stage, ChatStage):
            plan = study.plans.get(index)
            if plan is None:
                return Need(None, inside)
            conditions = quotas.progress(
                connection, study.id, index, plan.quotas, by_scenario=plan.by_scenario
            )
            free = [_free(each.needed, each.held, each.done) for each in conditions]
            seats = 2 if stage.arrangement == "people" else 1
            known = [each for each in free if each is not None]
            return Need(seats * sum(known) if len(known) == len(free) else None, inside)
        if isinstance(stage, RateStage) and index in study.rates:
            found = slot_counts.progress(connection, study.id, index)
            slots = _free(found.needed, found.held, found.done)
            if slots is None or not stage.per_visit:
                return Need(None, inside)
            return Need(-(-slots // stage.per_visit), inside)
    return Need(None, inside)


def _free(needed: int | None, held: int, done: int) -> int | None:
    return None if needed is None else max(0, needed - held - done)


def missing_places(
    connection: Connection, study: RunningStudy, recruitment: Recruitment
) -> int | None:
    """By how many places a recruitment must grow so that what is left can be done; None: unknown.

    Free places there, and people who have taken one and hold none here yet, will fill some of it.
    """
    need = read_need(connection, study)
    if need.free is None:
        return None
    states = count_states(connection, recruitment.id)
    coming = sum(states.get(state, 0) for state in UNDER_WAY)
    return max(0, need.free - recruitment.free - max(0, coming - need.inside))
