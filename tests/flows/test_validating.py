"""What people wrote against a model is judged by others: a whole way through both studies' pages."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from palaver.core.evaluation.rounds import Round, WrittenExample
from palaver.evaluation.rounds.examples import read_examples
from palaver.evaluation.rounds.rates import round_rates
from palaver.storage.evaluation.rounds import find_round
from palaver.storage.evaluation.tasks import find_task
from support.houses import House
from support.loops import Writer, loop_house, loop_study

pytestmark = pytest.mark.asyncio

TRUTH = {
    "kind": "choice",
    "text": "Is the sentence true of the text?",
    "options": [
        {"id": "entailed", "text": "True"},
        {"id": "contradictory", "text": "False"},
        {"id": "neutral", "text": "Left open"},
        {"id": "flagged", "text": "Something is wrong with it"},
    ],
}


def judging(*ask: str) -> dict[str, Any]:
    return {
        "title": "Check what others wrote",
        "questions": {"truth": TRUTH},
        "stages": [{"rate": {"ask": list(ask), "from": "loop", "per_visit": 5}}],
    }


STUDIES = {
    "loop": loop_study(tries=2, per_visit=1, goals=["entailed"]),
    "labels": judging("truth"),
    "verdicts": judging("example_verdict", "example_reason"),
}
WHY = "Because of the zymurgy."


@dataclass
class Judged:
    """A house in which two examples were judged, and the pages that each judge saw."""

    house: House
    pages: dict[str, list[str]]

    @property
    def examples(self) -> Sequence[WrittenExample]:
        return self.house.store.read_now(lambda c: read_examples(c, self.round))

    @property
    def round(self) -> Round:
        return self.house.store.read_now(lambda c: find_round(c, find_task(c, "nli").id))


@pytest.fixture(scope="module")
def judged(busy_ground: Any) -> Iterator[Judged]:
    with loop_house(busy_ground.folder, busy_ground.database_url, STUDIES) as (house, _):
        house.serve()
        yield Judged(house, asyncio.run(write_and_judge(house)))


async def write_and_judge(house: House) -> dict[str, list[str]]:
    """Two people fool the model once each, and others judge both."""
    for person in ("ann", "ben"):
        async with house.visitor("loop", person) as visitor:
            writer = await Writer.begin(visitor)
            await writer.tries(f"What {person} wrote follows.")
            await writer.keeps(why=WHY, why_model="It only skims.")
    # What was written is taken in when a process starts, and now and then while it runs.
    house.servers.pop().stop()
    house.serve()
    return {
        "cem": await judge(house, "labels", "cem", truth="entailed"),
        "dia": await judge(house, "labels", "dia", truth="entailed"),
        "eli": await judge(house, "labels", "eli", truth="neutral"),
        "ann": await judge(house, "verdicts", "ann", example_verdict="correct"),
        "zed": await judge(house, "verdicts", "zed", example_verdict="correct"),
    }


async def judge(house: House, study: str, person: str, **answers: str) -> list[str]:
    """Judge all that there is with the same answers; the pages that were seen."""
    seen = []
    async with house.visitor(study, person) as visitor:
        await visitor.begin()
        while 'name="work"' in visitor.page:
            seen.append(visitor.page)
            await visitor.send("rate", **{f"answer-{k}": v for k, v in answers.items()})
            assert visitor.status == 200, visitor.page
    return seen


async def test_labels_of_three_validators_verify_what_two_agree_on(judged: Judged) -> None:
    assert [len(judged.pages[person]) for person in ("cem", "dia", "eli")] == [2, 2, 2]
    assert [each.standing for each in judged.examples] == ["correct", "correct"]
    rates = round_rates(judged.round, judged.examples, label_field="label")
    assert (rates.overall.verified, rates.overall.examples) == (2, 2)


async def test_a_writer_is_shown_only_what_others_wrote(judged: Judged) -> None:
    [page] = judged.pages["ann"]
    assert "What ben wrote follows." in page
    assert "What ann wrote follows." not in page


async def test_the_source_of_a_page_gives_nothing_away(judged: Judged) -> None:
    """No model, no reasons, no writer, and no key that leads to what was written."""
    secrets = {"zymurgy", "skims", "in_the_loop", "bag@"}
    for example in judged.examples:
        secrets |= {example.dialogue, example.writer, example.uid}
    for row in judged.house.rows("SELECT key, group_key, source_id FROM dialogues"):
        secrets |= {row.key, row.group_key, row.source_id or row.key}
    secrets |= {row.key for row in judged.house.rows("SELECT key FROM sheets")}
    for pages in judged.pages.values():
        for page in pages:
            assert not [secret for secret in secrets if secret in page]


async def test_labels_stand_on_a_page_as_choices_and_nowhere_else(judged: Judged) -> None:
    for page in judged.pages["cem"]:
        assert page.count('value="entailed"') == page.count('value="neutral"') == 1
        without = re.sub(r'<input type="radio"[^>]*>', "", page)
        assert "entailed" not in without
        assert "neutral" not in without


async def test_where_the_writers_answer_is_judged_that_of_the_model_is_not_shown(
    judged: Judged,
) -> None:
    assert len(judged.pages["zed"]) == 2
    for page in judged.pages["zed"]:
        # Beside the texts stands a guide, whose examples name labels, too.
        shown = re.findall(r'<blockquote class="passage[^>]*>(.*?)</blockquote>', page)
        assert shown[-1] == "entailed"
        assert "neutral" not in shown
