"""The stopping rule at work: votes are looked at as they come, and the study stops when they are enough.

Nothing but the votes in the store decides, and they are looked at whenever something was written, and
when a server starts: one that was killed between a vote and the look is followed by one that looks.
That a study stopped is kept in the store once, whoever noticed first; what hands out work asks there
(`collection/pairing`, `annotation/assignment`). See docs/design/stopping.md.
"""

import asyncio
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING

from palaver.analysis.ranking.verdict import VoteVerdict
from palaver.analysis.sequential.stopping import should_stop
from palaver.core.errors import StoreUnavailableError
from palaver.core.logs import get_log
from palaver.core.studies.stops import DecidedPair, StoppingRule, StudyStop
from palaver.evaluation.verdicts import cast_votes, study_verdict
from palaver.storage import Store
from palaver.storage.judging.votes import VoteRows, read_votes
from palaver.storage.studies.stops import is_stopped, keep_stop

if TYPE_CHECKING:
    from palaver.studies.run.deployment import Deployment, RunningStudy

log = get_log(__name__)

# At least so long between two looks at the votes of a study: many votes are looked at together.
LOOK_SECONDS = 1.0
# A look is followed by a rest of so many times as long as it took, and not more than so long.
REST = 9
LONGEST_REST = 5.0
# Other processes look when they write; this finds what a process left behind that was killed.
RARELY_SECONDS = 15.0


class StopWatch:
    """Watches the studies of a deployment that have a rule."""

    def __init__(self, deployment: "Deployment") -> None:
        self._store = deployment.store
        self._clock = deployment.clock
        self._deployment = deployment
        self._written = asyncio.Event()
        self._watched: list[_Watched] = []
        self._store.watch(self._written.set)

    async def run(self) -> None:
        """Look now, and after whatever is written, until every study has stopped."""
        while self._watch_latest():
            self._written.clear()
            began = monotonic()
            await self.look()
            rest = min(REST * (monotonic() - began), LONGEST_REST)
            await asyncio.sleep(max(LOOK_SECONDS, rest))
            await self._until_written()

    def _watch_latest(self) -> bool:
        """Watch the studies as they are served now; whether there are any to watch."""
        known = {id(watched.study): watched for watched in self._watched}
        self._watched = [
            known.get(id(study)) or _Watched(study, study.definition.board.stop.rule)
            for study in self._deployment.studies.values()
            if study.definition.board.stop is not None and not study.stopped.is_set()
        ]
        return bool(self._watched)

    async def look(self) -> None:
        """Look at the votes of every study that still runs, once."""
        self._watch_latest()
        for watched in self._watched:
            try:
                await watched.look(self._store, now=self._clock.now())
            except StoreUnavailableError as error:
                log.warning("stop_watch_waits_for_store", error=str(error))
            except Exception as error:
                log.error("stop_watch_failed", study=watched.study.name, exc_info=error)

    async def _until_written(self) -> None:
        try:
            async with asyncio.timeout(RARELY_SECONDS):
                await self._written.wait()
        except TimeoutError:
            return


@dataclass(slots=True)
class _Watched:
    """A study with a rule, and its votes as they were read last."""

    study: "RunningStudy"
    rule: StoppingRule
    rows: VoteRows = field(default_factory=VoteRows)
    version: int = -1

    async def look(self, store: Store, *, now: float) -> None:
        """Stop the study if its votes are enough; note where another process did."""
        study_id = self.study.id
        if not await store.read(lambda c: is_stopped(c, study_id)):
            stop = await self._decide(store, now)
            if stop is None:
                return
            if await store.write(lambda c: keep_stop(c, study_id, stop)):
                told = {"votes": stop.votes, "reason": stop.reason}
                log.info("study_stopped", study=self.study.name, **told)
        self.study.stopped.set()

    async def _decide(self, store: Store, now: float) -> StudyStop | None:
        """What the rule says to the votes; None also where nothing is new."""
        question, known = self.study.definition.board_question or "", self.rows
        self.rows = await store.read(lambda c: read_votes(c, self.study.id, question, known))
        if self.rows.version == self.version or not len(self.rows):
            return None
        self.version = self.rows.version
        verdict = await asyncio.to_thread(self._verdict)
        # As the board counts them, and what hands out: also those of a system with itself.
        return stop_of(self.rule, replace(verdict, votes=len(self.rows)), now=now)

    def _verdict(self) -> VoteVerdict:
        systems = self.study.definition.compared_systems(self.study.definition.board_question)
        return study_verdict(
            cast_votes(self.rows), systems=sorted(systems), final=False, within=self.rule.within
        )


def stop_of(rule: StoppingRule, verdict: VoteVerdict, *, now: float) -> StudyStop | None:
    """What is kept of a study whose rule says to stop now; None where it says to go on."""
    stop = should_stop(rule, verdict)
    if stop is None:
        return None
    return StudyStop(
        time=now,
        reason=stop.reason,
        votes=stop.votes,
        raters=verdict.raters,
        answer=stop.answer,
        until=rule.until,
        within=rule.within,
        at_most=rule.at_most,
        pairs=tuple(
            DecidedPair(higher=p.higher, lower=p.lower, decided=p.decided, equal=p.equal)
            for p in verdict.pairs
        ),
    )
