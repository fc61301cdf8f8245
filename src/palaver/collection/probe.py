"""Systems asked once before anybody talks with them, to learn how long they take.

The first conversations after a start would otherwise show each system's own speed. A probe is a
conversation of one sentence that nobody sees and nothing keeps but how long the answer took.
"""

import asyncio
import random

from palaver.collection.plan import ChatPlan
from palaver.core.clock import Clock
from palaver.core.dialogue import seed_events
from palaver.core.errors import PalaverError
from palaver.core.events import MESSAGE, Event
from palaver.core.logs import get_log
from palaver.core.protocols import ClosingSession, Place

log = get_log(__name__)

OPENING = "Hello! How are you today?"
PERSON, PARTNER = 0, 1


def unknown_systems(plan: ChatPlan) -> list[str]:
    """The systems of a stage that are to seem alike and of which no latency is known.

    Where there is but one, and nobody else to be taken for, there is nothing to be told apart.
    """
    stand_ins = {name for name in (plan.partner_leaves, plan.nobody_comes) if name}
    names = stand_ins.union(*(condition.systems for condition in plan.conditions))
    if plan.keeper.pace is None or (len(names) < 2 and not plan.among_people):
        return []
    return sorted(name for name in names if not plan.keeper.latencies.seconds.get(name))


async def probe_systems(plan: ChatPlan, clock: Clock) -> None:
    """Ask every system of unknown latency one question; one that fails is left unknown."""
    await asyncio.gather(*(_probe(plan, name, clock) for name in unknown_systems(plan)))


async def _probe(plan: ChatPlan, name: str, clock: Clock) -> None:
    rng = random.Random(f"probe:{name}")
    scenario = plan.draw_scenario(rng)
    place = Place(
        dialogue=f"probe-{name}",
        seat=PARTNER,
        scenario=scenario.seen_by(PARTNER),
        clock=clock,
        rng=rng,
    )
    asked = clock.now()
    said = seed_events(scenario, asked)
    opening = Event(
        seq=len(said) + 1, seat=PERSON, action=MESSAGE, data={"text": OPENING}, time=asked
    )
    session = plan.systems[name].new_session(place)
    try:
        for event in (*said, opening):
            session.receive(event)
        await session.send(None)
        plan.keeper.note(name, clock.now() - asked)
    except PalaverError as error:
        log.warning("probe_failed", study=plan.study, system=name, error=str(error))
    finally:
        if isinstance(session, ClosingSession):
            await session.close()
