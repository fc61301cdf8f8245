"""Deliveries of web hooks: each once, whatever the panel sends twice."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Row, insert, select, update
from sqlalchemy.exc import IntegrityError

from palaver.storage.schema.recruiting import deliveries

DeliveryState = Literal["waiting", "done", "older", "foreign"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What a hook brought: the kind of event, what it is about, its new status, and when it was so."""

    id: int = 0
    panel: str
    event: str
    kind: str
    subject: str
    status: str = ""
    participant: str | None = None
    time: float
    received: float
    state: DeliveryState = "waiting"


def take_delivery(connection: Connection, delivery: Delivery) -> bool:
    """Keep a delivery to be applied; False if its event came before."""
    known = select(deliveries.c.id).where(
        deliveries.c.panel == delivery.panel, deliveries.c.event == delivery.event
    )
    if connection.scalar(known) is not None:
        return False
    values = {name: getattr(delivery, name) for name in _KEPT}
    try:
        with connection.begin_nested():
            connection.execute(insert(deliveries).values(values))
    except IntegrityError:
        return False  # the same event reached another process first
    return True


def waiting_deliveries(connection: Connection, *, limit: int = 500) -> list[Delivery]:
    """The deliveries that are not applied yet, oldest first."""
    rows = connection.execute(
        select(deliveries)
        .where(deliveries.c.state == "waiting")
        .order_by(deliveries.c.id)
        .limit(limit)
    )
    return [_delivery(row) for row in rows]


def has_waiting(connection: Connection) -> bool:
    """Whether a delivery waits to be applied."""
    found = select(deliveries.c.id).where(deliveries.c.state == "waiting").limit(1)
    return connection.scalar(found) is not None


def last_delivery(connection: Connection, panel: str) -> float | None:
    """When a panel's hook was received last; None if none ever was."""
    return connection.scalar(
        select(deliveries.c.received)
        .where(deliveries.c.panel == panel)
        .order_by(deliveries.c.id.desc())
        .limit(1)
    )


def settle_deliveries(
    connection: Connection, settled: Sequence[Delivery], state: DeliveryState
) -> None:
    """Note that deliveries were applied, or why not; whom they were about is forgotten."""
    if settled:
        connection.execute(
            update(deliveries)
            .where(deliveries.c.id.in_([each.id for each in settled]))
            .values(state=state, participant=None)
        )


def _delivery(row: Row[Any]) -> Delivery:
    return Delivery(**row._mapping)


_KEPT = ("panel", "event", "kind", "subject", "status", "participant", "time", "received", "state")
