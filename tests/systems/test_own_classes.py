"""Classes of the researcher's own: `python` and ParlAI-style `agent`."""

import sys
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, SystemFailureError
from palaver.systems.build import build_system

BOT = """
from palaver.core.events import Move, say
from words import WORD

class Bot:
    closed = 0
    def __init__(self, how="str"):
        self.how = how
    def new_session(self, place):
        return Session(self.how)
    def close(self):
        Bot.closed += 1

class Session:
    def __init__(self, how):
        self.how = how
    def receive(self, event):
        pass
    def send(self, draft=None):
        if draft is not None:
            draft("writing")
        return {
            "str": WORD, "move": say(WORD), "list": [say(WORD), Move(action="wave")],
            "mixed": [WORD, say(WORD)], "none": None, "number": 5, "empty": "",
        }[self.how]

class Later(Bot):
    def new_session(self, place):
        return LaterSession(self.how)

class LaterSession(Session):
    async def send(self):
        return super().send()

class NoSession:
    pass
"""


@pytest.fixture
def bot(write: Any) -> None:
    write("bot.py", BOT)
    write("words.py", "WORD = 'hello'")


@pytest.mark.parametrize(
    ("how", "actions"),
    [
        ("str", ["message"]),
        ("move", ["message"]),
        ("list", ["message", "wave"]),
        ("mixed", ["message", "message"]),
        ("none", []),
        ("empty", []),
    ],
)
@pytest.mark.parametrize("name", ["Bot", "Later"])
@pytest.mark.asyncio
async def test_answers_of_every_shape(
    how: str, actions: list[str], name: str, bot: None, table: Any
) -> None:
    system = table.build(kind="python", **{"class": f"bot:{name}"}, options={"how": how})
    drafts: list[str] = []
    moves = await table.session(system, "hi").send(drafts.append)
    assert [move.action for move in moves] == actions
    assert drafts == (["writing"] if name == "Bot" else [])


@pytest.mark.asyncio
async def test_a_number_is_garbage(bot: None, table: Any) -> None:
    system = table.build(kind="python", **{"class": "bot:Bot"}, options={"how": "number"})
    with pytest.raises(SystemFailureError, match="got 5") as failure:
        await table.answer(system, "hi")
    assert failure.value.kind == "garbage"


@pytest.mark.asyncio
async def test_two_studies_may_use_the_same_module_names(tmp_path: Path, table: Any) -> None:
    for word in ("one", "two"):
        folder = tmp_path / word
        folder.mkdir()
        (folder / "bot.py").write_text(BOT)
        (folder / "words.py").write_text(f"WORD = {word!r}")
    path = list(sys.path)
    systems = [
        build_system(word, {"kind": "python", "class": "bot:Bot"}, folder=tmp_path / word)
        for word in ("one", "two", "one")
    ]
    assert [await table.answer(system, "hi") for system in systems] == ["one", "two", "one"]
    assert sys.path == path
    assert "words" not in sys.modules
    assert "bot" not in sys.modules


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"class": "bot"}, "takes 'module:Class'; got 'bot'"),
        ({"class": "bot:Bott"}, "no class 'Bott'. Near: 'Bot'"),
        ({"class": "bot:WORD"}, "expected a class"),
        ({"class": "bot:NoSession"}, "no method new_session"),
        ({"class": "nowhere_at_all:Bot"}, "no installed module 'nowhere_at_all'"),
        ({"class": "broken:Bot"}, "ZeroDivisionError"),
        ({"class": "lacking:Bot"}, "nowhere_at_all"),
        ({"class": "bot:Bot", "options": {"what": 1}}, "could not be made with {'what': 1}"),
        ({}, "The option 'class' is missing"),
    ],
)
def test_wrong_classes_are_found_when_building(
    options: dict[str, Any], message: str, bot: None, write: Any, table: Any
) -> None:
    write("broken.py", "1 / 0")
    write("lacking.py", "import nowhere_at_all")
    with pytest.raises(InputError) as error:
        table.build(kind="python", **options)
    assert message in str(error.value)


AGENTS = """
import time

class Agent:
    made = []
    def __init__(self, opt, shared=None):
        opt["written"] = True
        self.opt, self.shared, self.log = opt, shared, []
        Agent.made.append("copy" if shared else "original")
    def share(self):
        return {"from": "original"}
    def reset(self):
        self.log.append("reset")
    def observe(self, message):
        self.log.append(message["text"])
    def act(self):
        return {"text": f"{self.opt['name']}: {self.log}"}

class Knowing(Agent):
    def self_observe(self, message):
        self.log.append("self:" + message["text"])

class Alone:
    def __init__(self, opt):
        self.log = []
    def observe(self, message):
        self.log.append(message["text"])
    def act(self):
        return {"text": str(self.log)}

class Stuck(Alone):
    tries = 0
    def act(self):
        Stuck.tries += 1
        if Stuck.tries == 1:
            time.sleep(20)
        return {"text": f"try {Stuck.tries}"}

class Odd(Alone):
    def act(self):
        return "text"

class Deaf:
    def act(self):
        return {}
"""


@pytest.mark.asyncio
async def test_an_agent_is_made_once_and_shared(write: Any, table: Any) -> None:
    write("agents.py", AGENTS)
    system = table.build(kind="agent", **{"class": "agents:Agent"}, opt={"name": "A"})
    made = system.system._class.made
    assert made == []
    assert await table.answer(system, "hi", dialogue="a") == "A: ['reset', 'hi']"
    assert await table.answer(system, "ho", dialogue="b") == "A: ['reset', 'ho']"
    assert made == ["original", "copy", "copy"]


@pytest.mark.asyncio
async def test_replay_persona_and_opening_follow_parlai(write: Any, table: Any) -> None:
    write("agents.py", AGENTS)
    system = table.build(kind="agent", **{"class": "agents:Knowing"}, opt={"name": "K"})
    answer = await table.answer(system, "hi", "ho", "hey", persona=("I sing.",))
    assert answer == "K: ['reset', 'your persona: I sing.\\nhi', 'self:ho', 'hey']"
    opened = await table.answer(system, "ho", "hi", seat=0)
    assert opened == "K: ['reset', '__SILENCE__', 'self:ho', 'hi']"
    # An agent that spoke itself is not told its words again.
    session = table.session(system, "hi")
    reply = (await session.send())[0].data["text"]
    session.receive(table.event(2, 1, reply))
    session.receive(table.event(3, 0, "hey"))
    assert (await session.send())[0].data["text"] == "K: ['reset', 'hi', 'hey']"


@pytest.mark.asyncio
async def test_an_agent_without_share_is_made_per_dialogue(write: Any, table: Any) -> None:
    write("agents.py", AGENTS)
    system = table.build(kind="agent", **{"class": "agents:Alone"})
    assert await table.answer(system, "hi", dialogue="a") == "['hi']"
    assert await table.answer(system, "ho", dialogue="b") == "['ho']"


@pytest.mark.asyncio
async def test_a_stuck_agent_is_left_behind(write: Any, table: Any) -> None:
    write("agents.py", AGENTS)
    system = table.build(kind="agent", **{"class": "agents:Stuck"}, timeout=1.0)
    assert await table.answer(system, "hi") == "try 2"


@pytest.mark.asyncio
async def test_an_odd_act_is_garbage_and_a_deaf_class_is_refused(write: Any, table: Any) -> None:
    write("agents.py", AGENTS)
    with pytest.raises(SystemFailureError, match=r"act\(\) returned 'text'") as failure:
        await table.answer(table.build(kind="agent", **{"class": "agents:Odd"}), "hi")
    assert failure.value.kind == "garbage"
    with pytest.raises(InputError, match=r"no method observe\(\)"):
        table.build(kind="agent", **{"class": "agents:Deaf"})
