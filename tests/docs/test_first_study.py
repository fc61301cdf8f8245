"""The tutorial works as it stands: its commands are run in order, and somebody takes part."""

import asyncio
import json
from pathlib import Path

import pytest

from support.participants import Participant
from support.printed_links import follow_links
from support.tutorials import Step, Tutorial, steps_in

from .reading import FENCE, ROOT, page

README = (ROOT / "README.md").read_text(encoding="utf-8")


def steps() -> list[Step]:
    """The commands of the tutorial, in order."""
    blocks = FENCE.findall(page("first-study.md"))
    return steps_in([block for language, block in blocks if language == "console"])


@pytest.mark.long
@pytest.mark.asyncio
@pytest.mark.timeout(300)
async def test_the_tutorial(tmp_path: Path) -> None:
    tutorial = Tutorial(tmp_path)
    try:
        for step in steps():
            if step.command[0] != "serve":
                tutorial.run(step)
                continue
            statuses = await asyncio.to_thread(follow_links, tutorial.serve(step))
            assert statuses == dict.fromkeys(statuses, 200)
            await _take_part(next(link for link in statuses if "/s/" in link))
    finally:
        tutorial.close()
    lines = (tmp_path / "company.jsonl").read_text().splitlines()
    assert [json.loads(line)["reason"] for line in lines] == ["complete", "complete"]
    # The README shows such a line with some of its fields.
    shown = next(block for kind, block in FENCE.findall(README) if kind == "json")
    assert json.loads(shown).keys() <= json.loads(lines[0]).keys()
    assert (tmp_path / "company-csv" / "labels.csv").read_text().count("preference") == 1
    assert (tmp_path / "company-bundle.zip").is_file()


def test_every_command_of_the_way_is_in_the_tutorial() -> None:
    commands = [step.command[0] for step in steps()]
    assert commands[:4] == ["init", "check", "selfplay", "serve"]
    assert commands[-1] == "export"


async def _take_part(link: str) -> None:
    async with Participant(link) as ann:
        await ann.begin()
        for _ in range(2):
            room = await ann.room()
            for count in range(1, 6):
                await room.say(f"This is what I say, number {count}.")
                await room.hears(count=count, seconds=30)
            await room.ends()
            await room.close()
            await ann.reload()
        await ann.send("rate", **{"answer-preference": "a"})
        assert ann.code
