"""How long systems took, kept from one start to the next."""

from collections.abc import Mapping, Sequence

import msgspec
from sqlalchemy import Connection, delete, insert, select

from palaver.storage.schema import latencies

_decode = msgspec.json.Decoder(list[float]).decode


def load_latencies(connection: Connection, study_id: int) -> dict[str, list[float]]:
    """The last latencies of each system of a study, oldest first."""
    rows = connection.execute(
        select(latencies.c.system, latencies.c.seconds)
        .where(latencies.c.study_id == study_id)
        .order_by(latencies.c.system)
    )
    return {system: _decode(seconds) for system, seconds in rows}


def save_latencies(
    connection: Connection, study_id: int, seconds: Mapping[str, Sequence[float]], *, now: float
) -> None:
    """Keep these latencies of some systems of a study instead of those that were kept."""
    if not seconds:
        return
    connection.execute(
        delete(latencies).where(
            latencies.c.study_id == study_id, latencies.c.system.in_(sorted(seconds))
        )
    )
    connection.execute(
        insert(latencies),
        [
            {
                "study_id": study_id,
                "system": system,
                "seconds": msgspec.json.encode([round(each, 3) for each in times]).decode(),
                "updated": now,
            }
            for system, times in seconds.items()
        ],
    )
