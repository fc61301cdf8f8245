"""The page on a first agent works as it stands: it is trained, met in a blind study, and compared."""

from pathlib import Path

import pytest

from support.participants import Participant
from support.printed_links import LINK
from support.tutorials import Step, Tutorial, steps_in

from .reading import FENCE, page

# As many words as the game asks of somebody who meets a system.
WORDS = "Hello, I have read the whole listing, and I like what I see. " * 3
BLOCKS = FENCE.findall(page("first-agent.md"))


def steps() -> list[Step]:
    """The commands of the page, in order."""
    return steps_in([block for language, block in BLOCKS if language == "console"])


@pytest.mark.long
@pytest.mark.asyncio
@pytest.mark.timeout(1800)
async def test_the_page(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    tutorial = Tutorial(tmp_path)
    (study,) = (block for language, block in BLOCKS if language == "yaml")
    try:
        for step in steps():
            if step.command[0] != "serve":
                tutorial.run(step, seconds=900)
            else:
                printed = tutorial.serve(step)
                await _take_part(next(link for link in LINK.findall(printed) if "/s/" in link))
            if step.command[0] == "init":
                (tmp_path / "haggle" / "study.yaml").write_text(study)
    finally:
        tutorial.close()


def test_the_page_goes_from_dialogues_to_a_comparison() -> None:
    commands = [step.command[0] for step in steps()]
    assert commands == [
        *("selfplay", "selfplay", "train", "train", "selfplay", "init", "check"),
        *("serve", "rank", "compare"),
    ]


async def _take_part(link: str) -> None:
    """Offer the same price to both partners, and prefer the first."""
    async with Participant(link) as ann:
        await ann.begin()
        for _ in range(2):
            room = await ann.room()
            await room.say(WORDS)
            await room.hears(count=1)
            await room.post("offer", {"price": 100})
            assert await room.ends() == "complete"
            await room.close()
            await ann.reload()
            await ann.send("rate", **{"answer-negotiator": "4"})
        await ann.send("rate", **{"answer-preference": "a"})
        assert ann.code
