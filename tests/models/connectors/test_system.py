"""`kind: checkpoint` in a dialogue: what it says, what it costs, and what is refused."""

import asyncio
import random
import subprocess
import sys
import threading
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

from palaver.core.clock import VirtualClock
from palaver.core.errors import InputError, MissingExtraError, SystemFailureError
from palaver.core.events import END, MESSAGE, Event
from palaver.core.protocols import Place, Session
from palaver.core.scenario import Scenario
from palaver.games.tagged_play import TaggedPlay
from palaver.models.answering import check_wanted
from palaver.models.checkpoints.folder import CheckpointError, write_checkpoint
from palaver.models.connectors import loading
from palaver.studies.play.players import build_player
from palaver.systems.build import build_system, only_game
from support.trained import write_parrot


def system(folder: Path, **options: Any) -> Any:
    given = {"kind": "checkpoint", "checkpoint": "bird", "device": "cpu", "retries": 0}
    return build_system("polly", {**given, **options}, folder=folder)


def place(dialogue: str = "d1", *, seat: int = 1, game: str = "open_chat") -> Place:
    scenario = Scenario(game=game)
    return Place(dialogue, seat, scenario, VirtualClock(), random.Random(dialogue))


def heard(session: Session, *texts: str) -> Session:
    for number, text in enumerate(texts, 1):
        data = {"text": text}
        session.receive(Event(seq=number, seat=0, action=MESSAGE, data=data, time=float(number)))
    return session


async def said(session: Session) -> str:
    (move,) = await session.send()
    assert move.data is not None
    return str(move.data["text"])


@pytest.mark.asyncio
async def test_it_is_told_events_and_decodes_as_the_study_says(tmp_path: Path) -> None:
    write_parrot(tmp_path / "bird")
    plain = await said(heard(system(tmp_path).new_session(place()), "Land in sight"))
    assert plain.startswith("1: ")
    assert plain.endswith("Land in sight! 1 0.5 1")

    tuned = system(tmp_path, temperature=0, rollouts=5, continuations=2, threads=2)
    assert (await said(tuned.new_session(place()))).endswith("nothing! 1 best of 5 by 2 0 2")


@pytest.mark.asyncio
async def test_the_dice_are_those_of_dialogue_seat_and_events(tmp_path: Path) -> None:
    write_parrot(tmp_path / "bird")
    bird = system(tmp_path)

    async def greeting(*texts: str, **where: Any) -> str:
        return (await said(heard(bird.new_session(place(**where)), *texts))).split()[1]

    first = [await greeting("a", dialogue=f"d{n}") for n in range(12)]
    assert len(set(first)) > 1
    assert first == [await greeting("b", dialogue=f"d{n}") for n in range(12)]
    assert first != [await greeting("a", dialogue=f"d{n}", seat=0) for n in range(12)]
    assert first != [await greeting("a", "b", dialogue=f"d{n}") for n in range(12)]


@pytest.mark.asyncio
async def test_the_members_of_an_ensemble_play_together(tmp_path: Path) -> None:
    for number in (1, 2):
        write_parrot(tmp_path / "bird" / f"member-{number}", volume=number)
    settings = {"model": "parrot", "recipe": {}, "members": ["member-1", "member-2"]}
    write_checkpoint(tmp_path / "bird", settings=settings)

    assert " 1.5 " in await said(system(tmp_path).new_session(place()))


@pytest.mark.asyncio
async def test_moves_of_a_game_reach_it_as_events(tmp_path: Path) -> None:
    write_parrot(tmp_path / "bird", model="deal-parrot")
    options = {"kind": "checkpoint", "checkpoint": "bird", "device": "cpu"}
    player = build_player("polly", options, folder=tmp_path)
    assert not isinstance(player, TaggedPlay)

    session = heard(player.new_session(place(game="deal_or_no_deal")), "I take the book")
    session.receive(Event(seq=2, seat=0, action="select", data={"book": 1}, time=2.0))

    assert (await said(session)).startswith("2: ")


@pytest.mark.asyncio
async def test_it_sits_down_at_no_other_game(tmp_path: Path) -> None:
    write_parrot(tmp_path / "bird", model="deal-parrot")
    bird = system(tmp_path)
    assert only_game(bird) == "deal_or_no_deal"

    with pytest.raises(SystemFailureError) as failure:
        await bird.new_session(place()).send()

    assert failure.value.kind == "refused"
    assert "plays the game 'deal_or_no_deal' and no other; this is 'open_chat'" in str(
        failure.value
    )


@pytest.mark.parametrize(
    ("last", "kind", "told"),
    [
        ("break", "error", "ValueError: broken on purpose"),
        ("forbidden", "refused", "These words are not for parrots."),
        ("too much", "error", "Fewer 'rollouts' or 'continuations', or 'device: cpu', take less."),
    ],
)
@pytest.mark.asyncio
async def test_a_model_that_fails_is_told(tmp_path: Path, last: str, kind: str, told: str) -> None:
    write_parrot(tmp_path / "bird")
    session = heard(system(tmp_path).new_session(place()), last)

    with pytest.raises(SystemFailureError) as failure:
        await session.send()

    assert failure.value.kind == kind
    assert told in str(failure.value)
    session.receive(Event(seq=2, seat=0, action=MESSAGE, data={"text": "again"}, time=2.0))
    assert "again!" in await said(session)


@pytest.mark.asyncio
async def test_weights_that_are_gone_or_broken_are_told(tmp_path: Path) -> None:
    write_parrot(tmp_path / "bird")
    weights = tmp_path / "bird" / "weights.safetensors"
    whole = weights.read_bytes()
    for content, told in (
        (None, "cannot be read"),
        (whole[:20], "is not a whole safetensors file"),
    ):
        weights.unlink() if content is None else weights.write_bytes(content)
        bird = system(tmp_path)
        with pytest.raises(SystemFailureError, match=told) as failure:
            await bird.new_session(place()).send()
        assert failure.value.kind == "refused"
    weights.write_bytes(whole)
    assert await said(bird.new_session(place()))
    weights.write_bytes(b"\x80\x04]\x94.")
    with pytest.raises(InputError, match="can run code when it is loaded"):
        system(tmp_path)


@pytest.mark.asyncio
async def test_a_gpu_that_is_not_there_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    write_parrot(tmp_path / "bird")

    with pytest.raises(
        SystemFailureError, match=r"finds no GPU here\. Write 'device: auto', or cpu"
    ):
        await system(tmp_path, device="cuda").new_session(place()).send()
    assert await said(system(tmp_path, device="auto").new_session(place()))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"checkpoint": "brid"}, "There is no checkpoint folder"),
        ({"checkpoint": "empty"}, "empty is no checkpoint: it has no settings.json."),
        ({"checkpoint": "pickled"}, r"pickled holds model\.pt, which can run code"),
        ({"checkpoint": "old"}, "a checkpoint of format 0; this Palaver reads format 1"),
        ({"checkpoint": "labels"}, "kind 'dialeval-bilstm', which does not fit here"),
        ({"checkpoint": "mixed"}, "kind 'dialeval-bilstm', which does not fit here"),
        ({"rollouts": 1000}, "Option 'rollouts'.*got 1000"),
        ({"device": "gpu"}, "Option 'device'.*got 'gpu'"),
        ({"temprature": 1}, "No option 'temprature'. Near: 'temperature'"),
    ],
)
def test_what_cannot_be_used_is_said_when_it_is_built(
    tmp_path: Path, options: dict[str, Any], told: str
) -> None:
    write_parrot(tmp_path / "bird")
    (tmp_path / "empty").mkdir()
    (write_parrot(tmp_path / "pickled") / "model.pt").touch()
    write_parrot(tmp_path / "old", format=0)
    write_parrot(tmp_path / "labels", model="dialeval-bilstm")
    write_parrot(tmp_path / "mixed" / "member-1", model="dialeval-bilstm")
    settings = {"model": "parrot", "recipe": {}, "members": ["member-1"]}
    write_checkpoint(tmp_path / "mixed", settings=settings)

    with pytest.raises(InputError, match=f"System 'polly'.*{told}"):
        system(tmp_path, **options)


def test_a_folder_that_is_no_checkpoint_says_so_with_a_class_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError):
        system(tmp_path)


def test_without_the_extra_one_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_parrot(tmp_path / "bird")
    monkeypatch.setattr(loading, "_PACKAGES", ("torch", "no_such_package"))

    with pytest.raises(MissingExtraError) as refused:
        system(tmp_path)

    assert str(refused.value) == (
        "A system of kind 'checkpoint' needs the extra 'torch': pip install 'palaver[torch]'"
    )


IDLE = """
import sys
from palaver.cli.main import palaver
from palaver.systems.build import build_system, describe_predictor, option_names, predictor_kinds
import palaver.studies.check, palaver.studies.play.players
from pathlib import Path

option_names("checkpoint"), [describe_predictor(kind) for kind in predictor_kinds()]
build_system("lines", {"kind": "scripted", "lines": ["Hello"]}, folder=Path())
build_system("deal", {"kind": "checkpoint", "checkpoint": "bird"}, folder=Path(sys.argv[1]))
print(sorted({"torch", "safetensors"} & set(sys.modules)))
"""


def test_nothing_imports_torch_before_a_model_is_needed(tmp_path: Path) -> None:
    write_parrot(tmp_path / "bird", model="deal-talk")

    done = subprocess.run(
        [sys.executable, "-c", IDLE, str(tmp_path)], capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"


@pytest.mark.asyncio
async def test_what_is_closed_loads_again(tmp_path: Path) -> None:
    write_parrot(tmp_path / "bird")
    bird = system(tmp_path)
    await bird.close()
    session = heard(bird.new_session(place()), "Hello")
    before = await said(session)
    await bird.close()
    session.receive(Event(seq=2, seat=None, action=END, data={}, time=2.0))
    assert before.startswith("1: ")
    assert (await said(session)).startswith("2: ")


@pytest.mark.asyncio
async def test_an_answer_that_nobody_waits_for_is_given_up_before_the_model_is_closed(
    tmp_path: Path,
) -> None:
    write_parrot(tmp_path / "bird")
    talker = system(tmp_path).system.talker
    thinks, noticed = threading.Event(), threading.Event()

    def think(_: Any) -> None:
        thinks.set()
        try:
            while True:
                check_wanted()
        except CancelledError:
            noticed.set()
            raise

    asked = asyncio.create_task(talker.ask(think))
    await asyncio.to_thread(thinks.wait, 5)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    await talker.close()

    assert noticed.is_set()


@pytest.mark.asyncio
async def test_an_answer_that_is_late_is_not_tried_again(tmp_path: Path) -> None:
    write_parrot(tmp_path / "bird")
    slow = system(tmp_path, timeout=0.05, retries=2)
    asked: list[Any] = []

    async def ask(question: Any) -> None:
        asked.append(question)
        await asyncio.Event().wait()

    slow.system.talker.ask = ask
    with pytest.raises(SystemFailureError, match=r"0\.05 s"):
        await heard(slow.new_session(place()), "Land in sight").send()

    assert len(asked) == 1
