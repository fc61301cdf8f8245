"""A house: a serving process, its database, and what a test asks about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from sqlalchemy import Row, text

from palaver.core.records import DialogueRecord, LabelRecord
from palaver.core.studies.stops import StudyStop
from palaver.crowds.links import new_person, sign_link
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import dialogue_records
from palaver.storage.judging.tidy import label_records
from palaver.storage.studies.stops import keep_stop
from support.participants import Participant
from support.serving import Server, start_server


def study(chat: Mapping[str, Any], **given: Any) -> dict[str, Any]:
    """A study with consent and one chat in which systems answer at once."""
    return {
        "title": "A study",
        "consent": {"version": "2026-01", "text": "Do you agree?"},
        "instructions": "Please chat.",
        "pay": {"amount": 2.5, "currency": "GBP", "waiting_per_minute": 0.2},
        "systems": {
            "tern": {"kind": "scripted", "lines": ["tern one", "tern two", "tern three"]},
            "plover": {"kind": "scripted", "lines": ["plover one", "plover two"]},
        },
        "stages": [{"chat": {"pace": None, **chat}}],
        **given,
    }


def write_study(folder: Path, definition: Mapping[str, Any]) -> Path:
    """Write a study file; its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "study.yaml").open("w", encoding="utf-8") as out:
        YAML(typ="safe").dump(dict(definition), out)
    return folder


@dataclass
class House:
    """Studies that are being served by one process or several, and the store behind them."""

    studies: Path
    home: Path
    database_url: str
    servers: list[Server] = field(default_factory=list)
    _store: Store | None = None

    @classmethod
    def build(
        cls, folder: Path, definitions: Mapping[str, Mapping[str, Any]], database_url: str
    ) -> "House":
        """Write the studies; nothing is served yet."""
        for name, definition in definitions.items():
            write_study(folder / "studies" / name, definition)
        return cls(folder / "studies", folder / "home", database_url)

    def serve(self, **options: Any) -> Server:
        """Start one more process."""
        server = start_server(
            self.studies, home=self.home, database_url=self.database_url, **options
        )
        self.servers.append(server)
        return server

    @property
    def server(self) -> Server:
        """The process that was started last."""
        return self.servers[-1]

    @property
    def store(self) -> Store:
        """The store, to look at."""
        if self._store is None:
            self._store = Store(self.database_url)
        return self._store

    def close(self) -> None:
        """Stop what still runs."""
        if self._store is not None:
            self._store.close()
        for server in self.servers:
            server.stop()

    # Ways in

    def link(
        self,
        study: str,
        person: str | None = None,
        *,
        server: Server | None = None,
        assignment: str = "1",
    ) -> str:
        """A signed link to a study."""
        token = sign_link(
            self.store.secret(), study=study, person=person or new_person(), assignment=assignment
        )
        return f"{(server or self.server).base}/s/{study}?link={token}"

    def visitor(self, study: str, person: str | None = None, **options: Any) -> Participant:
        """Somebody who follows a link of their own when the `async with` begins."""
        return Participant(self.link(study, person, **options))

    def stop(self, study: str) -> None:
        """Stop a study, as its rule does when the votes are enough."""
        [row] = self.rows("SELECT id FROM studies WHERE name = :study", study=study)
        decided = StudyStop(
            time=1.0, reason="decided", votes=3, raters=3, answer="", until="order", within=0.05
        )
        self.store.write_now(lambda c: keep_stop(c, row.id, decided))

    # What is stored

    def dialogues(self, study: str) -> list[DialogueRecord]:
        """The dialogues of a study, oldest first."""
        return self.store.read_now(lambda c: list(dialogue_records(c, study)))

    def labels(self, study: str) -> list[LabelRecord]:
        """The labels of a study, oldest first."""
        return self.store.read_now(lambda c: list(label_records(c, study)))

    def rows(self, sql: str, **values: Any) -> list[Row[Any]]:
        """What a query of the test's own finds."""
        return self.store.read_now(lambda c: list(c.execute(text(sql), values)))

    def places(self, study: str) -> dict[str, int]:
        """How many places of a study are free, held and done."""
        counted = self.rows(
            "SELECT state, count(*) FROM places JOIN studies ON studies.id = places.study_id "
            "WHERE studies.name = :study GROUP BY state",
            study=study,
        )
        return dict(tuple(row) for row in counted)

    def everything(self, *tables: str) -> str:
        """Every value of every table, or of some, as one text."""
        from palaver.storage.schema import metadata

        def dump(connection: Any) -> str:
            return "\n".join(
                str(tuple(row))
                for table in metadata.sorted_tables
                if not tables or table.name in tables
                for row in connection.execute(table.select().order_by(*table.primary_key))
            )

        return self.store.read_now(dump)
