"""Whether everything is as it was stored: every link, every head that was signed, every row linked.

What is found: a row that was changed, deleted or added past Palaver; links that are missing, doubled or
in another order; checkpoints that were changed, forged or removed from the middle; and, against a
checkpoint that somebody kept elsewhere, a tail that was cut off.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, exists, func, select, text

from palaver.storage.audit.checkpoints import (
    SignedCheckpoint,
    all_checkpoints,
    key_name,
)
from palaver.storage.audit.reading import Linked, at_place, linked
from palaver.storage.audit.runs import changed_runs
from palaver.storage.engine.chain import COVERED, DIGEST, NUMBER_BITS, Covered, new_hasher
from palaver.storage.schema import chain_links, chains, labels, studies

_NUMBER = (1 << NUMBER_BITS) - 1


@dataclass(frozen=True, slots=True)
class Break:
    """Where a chain does not hold: the link, what it covers, and what is the matter."""

    study: str | None
    chain: int
    link: int
    covers: str
    wrong: str

    def __str__(self) -> str:
        whose = f"study {self.study}" if self.study else "the home itself"
        link = f", link {self.link}" if self.link else ""
        return f"{whose}, chain {self.chain}{link} ({self.covers}): {self.wrong}"


@dataclass(frozen=True, slots=True)
class Verification:
    """What was verified, and the breaks that were found, the first one first.

    `signed` of the links stand before a checkpoint that the home's own key signed; `erased` were
    erased as Palaver does it. `foreign` checkpoints were signed with other keys.
    """

    chains: int
    links: int
    signed: int
    erased: int
    checkpoints: int
    foreign: int
    kinds: dict[str, int]
    breaks: tuple[Break, ...]

    @property
    def holds(self) -> bool:
        return not self.breaks


# After so many breaks nobody reads on.
MOST_BREAKS = 100


def verify(
    connection: Connection, key: bytes | None, *, against: SignedCheckpoint | None = None
) -> Verification:
    """Verify all chains of a store with the home's key, and with a checkpoint that was kept."""
    if connection.dialect.name == "postgresql":
        # One view of all tables, while others go on writing.
        connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
    return _Verifier(connection, key, against).run()


class _Verifier:
    def __init__(
        self, connection: Connection, key: bytes | None, against: SignedCheckpoint | None
    ) -> None:
        self.connection = connection
        self.key = key
        self.against = against
        self.breaks: list[Break] = []
        self.kinds: Counter[str] = Counter()
        self.erased = 0
        names = {row.id: row.name for row in connection.execute(select(studies))}
        rows = connection.execute(select(chains)).all()
        self.studies = {row.id: names.get(row.study_id) for row in rows}
        self.hashers = {
            row.id: new_hasher(row.id, row.study_id, row.writer, row.started) for row in rows
        }
        self.last: dict[int, int] = {row.id: row.id << NUMBER_BITS for row in rows}
        self.checkpoints = 0
        self.foreign = 0
        self.signed: dict[int, int] = {}

    def run(self) -> Verification:
        heads = self._heads()
        for each in linked(self.connection):
            self._link(each, heads)
            if len(self.breaks) >= MOST_BREAKS:
                break
        else:
            self._ends(heads)
            self._unlinked()
            self._order_of_labels()
            for run, what in changed_runs(self.connection):
                self._broken(0, 0, f"run {run}", f"its {what} changed since it was scored")
        return Verification(
            chains=len(self.hashers),
            links=sum(self.kinds.values()),
            signed=sum(link & _NUMBER for link in self.signed.values()),
            erased=self.erased,
            checkpoints=self.checkpoints,
            foreign=self.foreign,
            kinds={**dict.fromkeys(sorted(each.kind for each in COVERED), 0), **self.kinds},
            breaks=tuple(self.breaks),
        )

    def _heads(self) -> dict[int, set[str]]:
        """What checkpoints say of each link; those that do not hold are breaks themselves."""
        heads: dict[int, set[str]] = {}
        previous = ""
        for number, checkpoint in all_checkpoints(self.connection):
            self.checkpoints += 1
            content = checkpoint.content
            wrong = ""
            if content.number != number or number != self.checkpoints:
                wrong = f"checkpoint {self.checkpoints} is missing"
            elif content.previous != previous:
                wrong = f"checkpoint {number} does not follow on the one before"
            ours = self.key is not None and content.key == key_name(self.key)
            if ours and self.key is not None and not checkpoint.is_signed_with(self.key):
                wrong = f"checkpoint {number} is not signed with the home's key"
            if wrong:
                self._broken(0, 0, "a checkpoint", wrong)
            self.foreign += not ours
            previous = checkpoint.digest
            for head in content.heads:
                heads.setdefault(head.link, set()).add(head.head)
                if ours:
                    self.signed[head.chain] = max(self.signed.get(head.chain, 0), head.link)
        if self.against is not None:
            self._pinned(self.against, heads)
        return heads

    def _pinned(self, kept: SignedCheckpoint, heads: dict[int, set[str]]) -> None:
        by_number = dict(all_checkpoints(self.connection))
        here = by_number.get(kept.content.number)
        if here is None or here.text != kept.text:
            what = "is not there" if here is None else "says something else"
            self._broken(
                0, 0, "a checkpoint", f"checkpoint {kept.content.number}, which was kept, {what}"
            )
        for head in kept.content.heads:
            heads.setdefault(head.link, set()).add(head.head)

    def _link(self, each: Linked, heads: dict[int, set[str]]) -> None:
        chain = each.link >> NUMBER_BITS
        covers = f"{each.kind} {each.subject}"
        if chain not in self.hashers:
            self._broken(chain, each.link, covers, "its chain was deleted")
            self.hashers[chain] = new_hasher(chain, None, "", 0.0)
            self.last[chain] = each.link - 1
        expected = self.last[chain] + 1
        if each.link != expected:
            wrong = (
                "its number is there twice"
                if each.link < expected
                else f"links {expected & _NUMBER} to {(each.link & _NUMBER) - 1} are missing"
            )
            self._broken(chain, each.link, covers, wrong)
        if each.wrong:
            self._broken(chain, each.link, covers, each.wrong)
        self.last[chain] = each.link
        self.kinds[each.kind] += 1
        self.erased += each.kind.startswith("erased ")
        self.hashers[chain].update(each.digest)
        if each.link in heads and heads.pop(each.link) != {self.hashers[chain].hexdigest()}:
            self._broken(
                chain,
                each.link,
                covers,
                "the head here is not the one that was signed: a link up to here was rewritten",
            )

    def _ends(self, heads: dict[int, set[str]]) -> None:
        for link in sorted(heads):
            self._broken(
                link >> NUMBER_BITS,
                link,
                "a signed head",
                "the chain ends before this link, which a checkpoint holds",
            )

    def _unlinked(self) -> None:
        """Rows that no link covers: somebody put them there past Palaver."""
        for covered in COVERED:
            for key in self.connection.execute(_without_link(covered).limit(3)).all():
                self._broken(0, 0, f"{covered.kind} {'.'.join(map(str, key))}", "it has no link")
            if covered.erasable:
                for key in self.connection.execute(_erased_unrecorded(covered).limit(3)).all():
                    name = f"{covered.kind} {'.'.join(map(str, key))}"
                    self._broken(0, 0, name, "it was erased past Palaver: no link says so")

    def _order_of_labels(self) -> None:
        """Labels that follow each other in a chain have ids that do so, too."""
        before = func.lag(labels.c.id).over(order_by=labels.c.link)
        chain_before = func.lag(labels.c.link).over(order_by=labels.c.link)
        pairs = (
            select(labels.c.id, labels.c.link, before.label("before"), chain_before.label("there"))
            .where(labels.c.link.is_not(None))
            .subquery()
        )
        swapped = select(pairs.c.id, pairs.c.link, pairs.c.there).where(pairs.c.before > pairs.c.id)
        for id, link, there in self.connection.execute(swapped):
            if link >> NUMBER_BITS == there >> NUMBER_BITS:
                self._broken(link >> NUMBER_BITS, link, f"label {id}", "its id was changed")

    def _broken(self, chain: int, link: int, covers: str, wrong: str) -> None:
        study = self.studies.get(chain)
        self.breaks.append(Break(study, chain, link & _NUMBER, covers, wrong))


def _without_link(covered: Covered) -> Any:
    table = covered.table
    keys = [table.c[column.name] for column in table.primary_key.columns]
    statement = select(*keys).order_by(*keys)
    if covered.inside:
        return statement.where(table.c.link.is_(None) | table.c.proof.is_(None))
    its_link = exists().where(chain_links.c.kind == covered.kind, at_place(covered))
    return statement.where(~its_link)


def _erased_unrecorded(covered: Covered) -> Any:
    """Rows whose salt is gone, and of which no second link covers what is left."""
    table = covered.table
    keys = [table.c[column.name] for column in table.primary_key.columns]
    rest = covered.rest
    recorded = exists().where(chain_links.c.kind == rest.kind, at_place(rest))
    statement = select(*keys).where(~recorded).order_by(*keys)
    if covered.inside:
        return statement.where(func.length(table.c.proof) == DIGEST)
    erased = chain_links.alias("erased_link")
    gone = exists().where(
        erased.c.kind == covered.kind,
        erased.c.subject == table.c.id,
        func.length(erased.c.proof) == DIGEST,
    )
    return statement.where(gone)
