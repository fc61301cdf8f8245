"""A first round is written, judged and closed; whoever leads then sits in the second one at once."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from click.testing import CliRunner

from palaver.cli.main import palaver
from palaver.core.evaluation.rounds import Round, WrittenExample
from palaver.evaluation.dynaboards.board_reader import read_board
from palaver.evaluation.home import EvaluationHome, evaluation_home
from palaver.evaluation.rounds.examples import read_examples
from palaver.evaluation.rounds.rates import round_rates
from palaver.evaluation.tasks import stored_task
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.rounds import list_rounds
from palaver.storage.evaluation.runs import list_runs
from palaver.storage.evaluation.tasks import find_task
from palaver.studies.run.round_bonuses import round_bonuses
from support.endpoints import Question, serving
from support.houses import House
from support.loops import Writer, loop_house, loop_study, put_http_model

pytestmark = pytest.mark.asyncio

OPTIONS = ("entailed", "neutral", "contradictory", "flagged")
TRUTH = {
    "kind": "choice",
    "text": "Is it true?",
    "options": [{"id": each, "text": each} for each in OPTIONS],
}
STUDIES = {
    "loop": loop_study(
        models=["leader"],
        tries=2,
        per_visit=1,
        per_context=4,
        validators=2,
        matching=2,
        bonus={"verified": 0.5, "judged": 0.05},
    ),
    "labels": {
        "title": "Check what others wrote",
        "questions": {"truth": TRUTH},
        "stages": [{"rate": {"ask": ["truth"], "from": "loop", "per_visit": 5}}],
    },
}


def entailed(question: Question) -> dict[str, Any]:
    """A model that says of everything that it follows."""
    shares = {"entailed": 0.8, "neutral": 0.1, "contradictory": 0.1}
    return {"id": question["uid"], "label": "entailed", "prob": shares}


@dataclass
class Loop:
    """A house that is served, and what stands in its store."""

    house: House

    @property
    def home(self) -> EvaluationHome:
        return evaluation_home(self.house.home, self.house.store)

    def read(self, work: Callable[[Any], Any]) -> Any:
        return self.house.store.read_now(work)

    @property
    def rounds(self) -> list[Round]:
        return self.read(lambda c: list_rounds(c, find_task(c, "nli").id))

    def examples(self, number: int) -> tuple[WrittenExample, ...]:
        return self.read(lambda c: read_examples(c, self.rounds[number - 1]))

    def owed(self, number: int) -> dict[str, str]:
        found = self.read(lambda c: round_bonuses(c, self.rounds[number - 1], ids=True))
        return {each.panel_id: each.amount for each in found.bonuses}

    def board(self, number: int) -> Any:
        def work(connection: Any) -> Any:
            row = find_task(connection, "nli")
            return read_board(connection, row, stored_task(row), round=number)

        return self.read(work)

    async def command(self, *words: str) -> str:
        """What a command prints while the study is served."""
        given = [*words, "--home", str(self.house.home)]
        done = await asyncio.to_thread(CliRunner().invoke, palaver, given)
        assert done.exit_code == 0, (done.output, done.exception)
        return done.output

    async def write(self, person: str, label: str) -> None:
        """Fool the model that sits there with one sentence."""
        async with self.house.visitor("loop", person) as visitor:
            writer = await Writer.begin(visitor)
            said = await writer.tries(f"What {person} wrote follows.", label)
            assert said["wrong"]
            await writer.keeps(why="It says so.")

    async def looks_back(self, person: str) -> None:
        """Come again after the round is closed: what it came to stays, and the pages say so."""
        async with self.house.visitor("loop", person) as visitor:
            await visitor.open(f"{visitor.path}/examples")
            assert "found right" in visitor.page
            assert "The round is over" in visitor.page
            assert "Take it back" not in visitor.page
            await visitor.open(f"{visitor.path}/withdraw")
            assert "in the data sets that were made of it, without your name" in visitor.page
            # Another page, on which the question still stood, changes nothing either.
            (uid,) = (each.uid for each in self.examples(1) if person in str(each.values))
            await visitor.send("examples", uid=uid)
            assert "The round of this text is over, and what came of it stays." in visitor.page

    def take_in(self) -> None:
        """Have raters asked about what was written: that is done when a process starts, too."""
        self.house.servers.pop().stop()
        self.house.serve()

    async def judge(self, person: str, answers: Mapping[str, str]) -> None:
        """Judge what there is; `answers` by whose words they are."""
        async with self.house.visitor("labels", person) as visitor:
            await visitor.begin()
            while 'name="work"' in visitor.page:
                (said,) = (label for who, label in answers.items() if who in visitor.page)
                await visitor.send("rate", **{"answer-truth": said})


@pytest.fixture
def loop(busy_ground: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loop]:
    if not busy_ground.database_url.startswith("sqlite"):
        monkeypatch.setenv("PALAVER_DATABASE_URL", busy_ground.database_url)
    with loop_house(busy_ground.folder, busy_ground.database_url, STUDIES) as (house, _):
        house.serve()
        yield Loop(house)


async def test_the_second_round_begins_with_whoever_leads_after_the_first(loop: Loop) -> None:
    # The only model leads, and takes the seat.
    assert [each.models[0].name for each in loop.rounds] == ["bag"]
    for person in ("ann", "ben"):
        await loop.write(person, "entailed")
    loop.take_in()
    for judge in ("cem", "dia"):
        await loop.judge(judge, {"What ": "entailed"})
    assert [each.standing for each in loop.examples(1)] == ["correct", "correct"]

    with serving(entailed) as endpoint:
        put_http_model(loop.home, "nli", "ace", endpoint)
        said = await loop.command("round", "close", "nli")
        assert "Round 1 of 'nli' is closed." in said
        first = loop.rounds[0]
        assert first.result is not None
        task_id = first.task_id
        runs = loop.read(lambda c: list_runs(c, task_id=task_id))
        assert {(run.model, run.dataset, run.state) for run in runs} == {
            (model, "nli-r1-test", "done") for model in ("bag", "ace")
        }

        await loop.looks_back("ann")

        # The next round takes whoever leads now; nothing is restarted.
        said = await loop.command("round", "open", str(loop.house.studies / "loop"))
        assert "Round 2 of 'nli' is open: 4 contexts, against ace@1." in said
        while not loop.house.rows("SELECT id FROM places WHERE scenario LIKE 'r2-%'"):
            await asyncio.sleep(0.05)
        await loop.write("eva", "neutral")
        second = loop.rounds[1]
        assert [model.system for model in second.models] == ["ace@1"]
        assert [(each.model, each.round) for each in loop.examples(2)] == [("ace@1", 2)]
        assert {each.model for each in loop.examples(1)} == {"bag@1"}
        loop.take_in()
        for judge in ("cem-2", "dia-2"):
            await loop.judge(judge, {"eva": "neutral"})

        # What is of one round is of no other.
        rates = [
            round_rates(round_, loop.examples(round_.number), label_field="label").overall
            for round_ in loop.rounds
        ]
        assert [(each.verified, each.examples, each.writers) for each in rates] == [
            (2, 2, 2),
            (1, 1, 1),
        ]
        assert loop.owed(1) == {"ann": "0.50", "ben": "0.50", "cem": "0.10", "dia": "0.10"}
        assert loop.owed(2) == {"eva": "0.50", "cem-2": "0.05", "dia-2": "0.05"}
        board = loop.board(1)
        assert [each.name for each in board.datasets] == ["nli-r1-test"]
        assert [each.name for each in board.models] == ["ace", "bag"]

        await loop.command("round", "close", "nli", "--share", "test=1")
        sets = loop.read(lambda c: list_datasets(c, task_id))
        assert {each.name: each.round for each in sets}["nli-r2-test"] == 2
        assert [each.name for each in loop.board(2).datasets] == ["nli-r2-test"]
        assert [each.name for each in loop.board(1).datasets] == ["nli-r1-test"]
        # Who leads in one round need not lead in the next.
        assert [each.name for each in loop.board(2).models] == ["bag", "ace"]
