"""Export against plain `json.dumps` of the same rows.

Ours reads a consistent moment, folds rows into typed records, checks and writes them with a manifest.
The floor selects the same columns with the sqlite3 module and dumps one object per dialogue, which is
what one would write in an afternoon.
"""

import json
import sqlite3
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks import furnishing
from benchmarks.table import Figure
from palaver.reports.export import export_study


def run(*, stored: int, rounds: int) -> tuple[list[Figure], dict[str, object]]:
    """Dialogues and megabytes a second."""
    with tempfile.TemporaryDirectory(prefix="palaver-bench-") as name:
        folder = Path(name)
        study = furnishing.write_study(folder / "study")
        store = furnishing.open_store(folder / "home")
        try:
            furnishing.store_finished(store, furnishing.register(store, study), stored)
            ours, floors = [], []
            for number in range(rounds):
                target = folder / f"export-{number}"
                began = time.perf_counter()
                export_study(store, study="bench", format="palaver", destination=target, mask=False)
                took = time.perf_counter() - began
                ours.append((took, (target / "dialogues.jsonl").stat().st_size))
                plain = folder / f"plain-{number}.jsonl"
                began = time.perf_counter()
                _dump(folder / "home" / "palaver.db", plain)
                floors.append((time.perf_counter() - began, plain.stat().st_size))
        finally:
            store.close()
    ours_took, floor_took = (median(t for t, _ in runs) for runs in (ours, floors))
    return [
        Figure("export, dialogues", stored / ours_took, stored / floor_took, "/s"),
        Figure(
            "export, size", ours[0][1] / ours_took / 1e6, floors[0][1] / floor_took / 1e6, "MB/s"
        ),
    ], {"ours": ours, "floor": floors}


def _dump(database: Path, target: Path) -> None:
    connection = sqlite3.connect(database)
    try:
        with target.open("w", encoding="utf-8") as file:
            heads = connection.execute(
                "SELECT id, key, condition, group_key, position, scenario, created "
                "FROM dialogues ORDER BY id"
            ).fetchall()
            for number, *head in heads:
                seats = connection.execute(
                    "SELECT seat, kind, system, alias, from_seq FROM seats "
                    "LEFT JOIN assignments ON assignments.id = assignment_id "
                    "LEFT JOIN participants ON participants.id = participant_id "
                    "WHERE dialogue_id = ? ORDER BY from_seq, seat",
                    (number,),
                ).fetchall()
                rows = connection.execute(
                    "SELECT seq, seat, action, data, time, audience, client_id, reply_to "
                    "FROM events WHERE dialogue_id = ? ORDER BY seq",
                    (number,),
                ).fetchall()
                events = [
                    {
                        "seq": seq,
                        "seat": seat,
                        "action": action,
                        "data": None if data is None else json.loads(data),
                        "time": at,
                        "audience": audience,
                        "client_id": client_id,
                        "reply_to": reply_to,
                    }
                    for seq, seat, action, data, at, audience, client_id, reply_to in rows
                ]
                line = {"head": head, "seats": seats, "events": events}
                file.write(json.dumps(line) + "\n")
    finally:
        connection.close()
