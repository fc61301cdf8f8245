"""An agent of ParlAI's kind answers from a process of its own, many dialogues side by side."""

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, SystemFailureError
from palaver.systems.bridges import parlai_bridge

BRIDGE = Path(parlai_bridge.__file__)

AGENTS = '''
print("a model is loaded")


class StandIn:
    """What ParlAI expects of an agent, and a note of all that it was told."""

    loaded = 0

    def __init__(self, opt, shared=None):
        self.opt, self.told = opt, []
        self.model = shared["model"] if shared else self.load()

    def load(self):
        StandIn.loaded += 1
        return object()

    def share(self):
        return {"model": self.model, "opt": self.opt}

    def observe(self, message):
        self.told.append(message["text"])

    def self_observe(self, message):
        self.told.append("I said: " + message["text"])

    def act(self):
        print("thinking")
        text = "%s %s %s" % (self.opt["name"], StandIn.loaded, self.told)
        return {"text": text, "episode_done": False}


class Alone:
    made = 0

    def __init__(self, opt):
        Alone.made += 1

    def observe(self, message): ...

    def act(self):
        return {"text": "number %s" % Alone.made}


class Broken(StandIn):
    def act(self):
        raise RuntimeError("out of tears")


class Mute(StandIn):
    def act(self):
        return {"text": " "}
'''
# As much of ParlAI as makes an agent of options.
PARLAI = {
    "parlai/core/params.py": """
class ParlaiParser:
    def __init__(self, *given): ...
    def parse_args(self, words):
        return {"name": "-".join(words), "dict_lower": True}
""",
    "parlai/core/agents.py": """
from agents import StandIn
def create_agent(opt, requireModelExists=False):
    return StandIn(opt)
def create_agent_from_shared(shared):
    return StandIn(shared["opt"], shared)
""",
    "parlai/utils/strings.py": """
def normalize_reply(text):
    return text[:1].upper() + text[1:] + "."
""",
}

pytestmark = pytest.mark.asyncio


def attached(**options: Any) -> dict[str, Any]:
    opt = {"opt": {"name": "tern"}} if "class" in options else {}
    return {"kind": "agent", "python": sys.executable, **opt, **options}


async def test_it_is_one_file_of_python_3_8_without_dependencies() -> None:
    tree = ast.parse(BRIDGE.read_text(encoding="utf-8"), feature_version=(3, 8))
    names = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
        )
    }
    assert names <= sys.stdlib_module_names
    helped = subprocess.run(
        [sys.executable, "-I", str(BRIDGE), "--help"], capture_output=True, text=True, check=True
    )
    assert "--class" in helped.stdout


async def test_one_agent_serves_dialogues_side_by_side(write: Any, table: Any) -> None:
    write("agents.py", AGENTS)
    system = table.build(**attached(**{"class": "agents:StandIn"}))
    first = table.session(system, "Hi", dialogue="a")
    second = table.session(system, "Rain again", dialogue="b", persona=("I am wet.",))
    assert [move.data["text"] for move in await first.send()] == ["tern 1 ['Hi']"]
    [move] = await second.send()
    assert move.data["text"] == "tern 1 ['your persona: I am wet.\\nRain again']"
    first.receive(table.event(2, 1, "tern 1 ['Hi']"))
    first.receive(table.event(3, 0, "And now?"))
    [move] = await first.send()
    # It knows its own words, and was loaded once for both.
    assert move.data["text"] == "tern 1 ['Hi', 'And now?']"


async def test_it_begins_and_is_told_what_was_said_before(write: Any, table: Any) -> None:
    write("agents.py", AGENTS)
    system = table.build(**attached(**{"class": "agents:StandIn"}))
    [move] = await table.session(system, dialogue="a").send()
    assert move.data["text"] == "tern 1 ['__SILENCE__']"
    resumed = table.session(system, "Hi", "Hello.", "Well?", dialogue="b")
    [move] = await resumed.send()
    assert move.data["text"] == "tern 1 ['Hi', 'I said: Hello.', 'Well?']"


async def test_two_messages_in_a_row_are_observed_as_one(write: Any, table: Any) -> None:
    write("agents.py", AGENTS)
    for options in (attached(), {"kind": "agent", "opt": {"name": "tern"}}):
        system = table.build(**{**options, "opt": {"name": "tern"}, "class": "agents:StandIn"})
        session = table.session(system, "Hi")
        session.receive(table.event(2, 0, "Are you there?"))
        [move] = await session.send()
        assert move.data["text"] == "tern 1 ['Hi\\nAre you there?']"


async def test_an_agent_that_shares_nothing_is_made_per_dialogue(write: Any, table: Any) -> None:
    write("agents.py", AGENTS)
    system = table.build(**attached(**{"class": "agents:Alone"}))
    said = [await table.answer(system, "Hi", dialogue=name) for name in "ab"]
    assert said == ["number 1", "number 2"]


async def test_parlais_own_options_make_the_agent(write: Any, table: Any, tmp_path: Path) -> None:
    write("env/agents.py", AGENTS)
    for name, text in PARLAI.items():
        write(f"env/{name}", text)
    flags = "--model internal:rain --topk 40"
    system = table.build(**attached(flags=flags, path="env"))
    assert await table.answer(system, "Hi") == "--model-internal:rain---topk-40 1 ['Hi']."


async def test_silence_and_failure(write: Any, table: Any) -> None:
    write("agents.py", AGENTS)
    assert await table.answer(table.build(**attached(**{"class": "agents:Mute"})), "Hi") is None
    broken = table.build(**attached(**{"class": "agents:Broken"}, retries=0))
    with pytest.raises(SystemFailureError, match="RuntimeError: out of tears"):
        await table.answer(broken, "Hi")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"class": "agents:StandIn", "python": "/nowhere/python"}, "Option 'python' names '/nowh"),
        ({"python": sys.executable}, "Name the agent with 'class'"),
        ({"class": "agents:StandIn", "flags": "--model x", "python": "python"}, "'flags' go with"),
        ({"flags": "--model x"}, "Name the agent with 'class'"),
    ],
)
async def test_options_that_do_not_fit(table: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        table.build(kind="agent", **options)


async def test_a_class_that_is_not_there_is_told_with_the_answer(write: Any, table: Any) -> None:
    write("agents.py", AGENTS)
    system = table.build(**attached(**{"class": "agents:Gone"}, retries=0))
    with pytest.raises(SystemFailureError, match="has no attribute 'Gone'"):
        await table.answer(system, "Hi")
