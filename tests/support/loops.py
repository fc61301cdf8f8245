"""Studies in which people write against a model, and what a test does in one."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from palaver.evaluation.home import EvaluationHome, evaluation_home
from palaver.evaluation.models.registration import add_model
from palaver.evaluation.tasks import ensure_task, stored_task
from support.endpoints import Endpoint, Question, serving
from support.houses import House, study
from support.participants import Participant, Room

NOW = 1_700_000_000.0
CONTEXTS = tuple(
    {"id": f"t{n}", "context": {"context": text}, "tag": "trains" if n % 2 else "boats"}
    for n, text in enumerate(
        (
            "The ferry left an hour late because the captain had overslept.",
            "Two of the three carriages were heated, and everybody sat in the third.",
            "Nobody told the cook that the guests had cancelled.",
            "The lighthouse was painted red in spring and white again by autumn.",
        )
    )
)


def neutral(question: Question) -> dict[str, Any]:
    """A model that is sure of one label whatever it reads."""
    shares = {"entailed": 0.2, "neutral": 0.7, "contradictory": 0.1}
    return {"id": question["uid"], "label": "neutral", "prob": shares}


def loop_study(**write: Any) -> dict[str, Any]:
    """A study of writing against the model `bag` of the task `nli`."""
    terms = {"task": "nli", "contexts": "contexts.jsonl", "models": ["bag"], **write}
    return study({}, title="Outwit it", systems={}, stages=[{"write": terms}])


def write_contexts(folder: Path, contexts: Sequence[Mapping[str, Any]] = CONTEXTS) -> None:
    lines = "".join(json.dumps(each) + "\n" for each in contexts)
    (folder / "contexts.jsonl").write_text(lines, encoding="utf-8")


@contextmanager
def loop_house(
    folder: Path,
    database_url: str,
    definitions: Mapping[str, Mapping[str, Any]],
    *,
    contexts: Sequence[Mapping[str, Any]] = CONTEXTS,
    answers: Any = neutral,
) -> Iterator[tuple[House, Endpoint]]:
    """A house with these studies, and a model behind HTTP that all their tasks know as `bag`."""
    with serving(answers) as endpoint:
        house = House.build(folder, definitions, database_url)
        house.home.mkdir(parents=True, exist_ok=True)
        home = evaluation_home(house.home, house.store)
        for name, definition in definitions.items():
            write_contexts(house.studies / name, contexts)
            for stage in definition["stages"]:
                if "write" in stage and not stage["write"].get("talk"):
                    put_http_model(home, stage["write"]["task"], "bag", endpoint)
        try:
            yield house, endpoint
        finally:
            house.close()


def put_http_model(home: EvaluationHome, task: str, name: str, endpoint: Endpoint) -> None:
    """Add a model that this endpoint answers for."""
    row = home.store.write_now(lambda c: ensure_task(c, task, now=NOW))
    add_model(
        home,
        row,
        stored_task(row),
        name=name,
        kind="http",
        options={"url": endpoint.url, "retries": 0},
        now=NOW,
    )


class Writer:
    """Somebody who writes against the model."""

    def __init__(self, person: Participant, room: Room) -> None:
        self.person = person
        self.room = room

    @classmethod
    async def begin(cls, person: Participant) -> "Writer":
        await person.begin()
        if "/warned" in person.page:
            await person.send("warned", go="yes")
        return cls(person, await person.room())

    async def next(self) -> None:
        """Go on to the next text."""
        await self.person.reload()
        self.room = await self.person.room()

    async def tries(self, text: str, label: str = "entailed") -> dict[str, Any]:
        """Send a try and wait for what comes back; the data of the answer."""
        asked = len(self.answers)
        values = {"hypothesis": text, "label": label}
        sent = await self.room.answer_to(await self.room.post("try", {"values": values}))
        assert sent["type"] == "event", sent
        await self.room.until(lambda room: len(self.answers) > asked)
        return self.answers[-1]["data"]

    @property
    def answers(self) -> list[dict[str, Any]]:
        """What came back so far, also that no answer came."""
        return [e for e in self.room.events if e["action"] in ("answer", "unanswered")]

    async def does(self, action: str, **data: Any) -> dict[str, Any]:
        """Make a move; the frame that acknowledges or refuses it."""
        return await self.room.answer_to(await self.room.post(action, data))

    async def keeps(self, **data: Any) -> None:
        await self.does("keep", **data)
        await self.room.ends()
