"""`state.json`: what one person did in one piece of work, judged or talked, and how training went."""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError, StudyError
from palaver.core.labels import Purpose
from palaver.formats.chateval.buckets import Bucket, parse_buckets
from palaver.formats.chateval.finished import (
    FinishedAnswer,
    FinishedMessage,
    FinishedWork,
    Held,
    Trained,
)
from palaver.formats.chateval.located import read_json
from palaver.formats.chateval.names import SHIPPED_ID, system_in
from palaver.formats.chateval.stored_answers import storage_keys, stored_answers

STATE_FILE = "state.json"
UNFINISHED = "files of work that was not submitted"
NO_STATE = "files that are not a state of the platform"
NO_TASK = "answers to a task without a definition (give the buckets with --buckets)"
BETWEEN = "|"
GOLD = "_gold_"

Buckets = dict[str, Bucket]


def state_files(paths: list[Path]) -> list[Path]:
    """The state files meant by some files and folders; InputError if there is none."""
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise InputError(f"There is no {path}.")
        found += sorted(path.rglob(STATE_FILE)) if path.is_dir() else [path]
    if not found:
        raise InputError(f"There is no {STATE_FILE} in {', '.join(map(str, paths))}.")
    return list(dict.fromkeys(found))


def read_state(
    file: Path, buckets: Buckets, *, system_from: re.Pattern[str] = SHIPPED_ID
) -> FinishedWork:
    """What a state file gives; StudyError if it is not JSON.

    `system_from` finds the system in the id of a dialogue.
    """
    data = read_json(file).data
    outputs = data.get("outputs") if isinstance(data, dict) else None
    finished = FinishedWork(source=f"{file.parent.name}/{file.name}".lstrip("/"))
    if not isinstance(outputs, dict):
        finished.skipped[NO_STATE] += 1
        return finished
    state = _State(
        work=hashlib.sha256(file.read_bytes()).hexdigest()[:16],
        inputs=data.get("inputs"),
        outputs=outputs,
        packets=[p for p in outputs.get("messages") or [] if isinstance(p, dict)],
        system_from=system_from,
    )
    if isinstance(outputs.get("final_chat_data"), dict):
        _read_chat(state, buckets, finished, file)
    else:
        _read_judgement(state, buckets, finished)
    return finished


@dataclass(frozen=True, slots=True)
class _State:
    work: str
    inputs: Any
    outputs: dict[str, Any]
    packets: list[dict[str, Any]]
    system_from: re.Pattern[str] = SHIPPED_ID

    @property
    def final(self) -> dict[str, Any] | None:
        """What was submitted; None if nothing was."""
        for packet in reversed(self.packets):
            task_data = _mapping(_mapping(packet.get("data")).get("task_data"))
            if isinstance(task_data.get("final_data"), dict):
                found: dict[str, Any] = task_data["final_data"]
                return found
        return None

    @property
    def time(self) -> float | None:
        """When the last packet came."""
        times = [
            p["timestamp"] for p in self.packets if isinstance(p.get("timestamp"), int | float)
        ]
        return float(times[-1]) if times else None


# --- Judgement and training -----------------------------------------------------------------------


def _read_judgement(state: _State, buckets: Buckets, finished: FinishedWork) -> None:
    final = state.final
    if final is None:
        finished.skipped[UNFINISHED] += 1
        return
    given = _unwrapped(final.get("annotations"))
    person = _person(given.get("workerId"))
    is_training = _is_training(state.inputs)
    for position, shown in enumerate(_shown_dialogues(state.inputs)):
        held = _held(shown, state.system_from)
        finished.dialogues |= {each.id: each for each in held}
        purpose: Purpose = "training" if is_training else "real"
        if not is_training and GOLD in str(shown.get("dialogue_id", "")):
            purpose = "gold"
        work = _Work(state, person, purpose, "onboarding_" if is_training else "")
        _take_tasks(work, position, shown, held, given, buckets, finished)
    if is_training or "success" in final:
        finished.trained.append(_trained(state, person, final))


@dataclass(frozen=True, slots=True)
class _Work:
    state: _State
    person: str | None
    purpose: Purpose
    # What the keys of durations have in front of 'task'.
    prefix: str = ""


def _take_tasks(
    work: _Work,
    position: int,
    shown: dict[str, Any],
    held: list[Held],
    given: dict[str, Any],
    buckets: Buckets,
    finished: FinishedWork,
) -> None:
    entry = _mapping(given.get(str(position)))
    for number, task in enumerate(shown.get("annotation_tasks") or []):
        bucket = buckets.get(task)
        if bucket is None:
            finished.skipped[f"{NO_TASK}: '{task}'"] += 1
            continue
        found = list(stored_answers(bucket, entry, len(held[0].turns), asked=True))
        seconds = _seconds(given.get(f"duration_{work.prefix}task_{position}_{number}"))
        each = seconds / len(found) if seconds is not None and found else None
        _know(finished, bucket)
        finished.answers += [
            FinishedAnswer(
                question=bucket.name,
                answer=answer.answer,
                dialogue=held[0].id,
                turn=answer.turn,
                other=held[1].id if len(held) == 2 and bucket.kind == "comparative" else None,
                rater=work.person,
                work=work.state.work,
                purpose=work.purpose,
                seconds=each,
                time=work.state.time,
            )
            for answer in found
        ]


def _shown_dialogues(inputs: Any) -> Iterator[dict[str, Any]]:
    """The dialogues as they were shown, in order, however they are wrapped."""
    if isinstance(inputs, dict) and isinstance(inputs.get("turns"), list):
        yield inputs
    elif isinstance(inputs, dict | list):
        for inner in inputs.values() if isinstance(inputs, dict) else inputs:
            yield from _shown_dialogues(inner)


def _is_training(inputs: Any) -> bool:
    if isinstance(inputs, dict):
        return bool(inputs.get("is_screen")) or any(map(_is_training, inputs.values()))
    return isinstance(inputs, list) and any(map(_is_training, inputs))


def _held(shown: dict[str, Any], system_from: re.Pattern[str]) -> list[Held]:
    """The dialogue that was shown, or the two of a comparison, left and right."""
    id, person = str(shown.get("dialogue_id", "")), _person(shown.get("origin_worker_id"))
    if not isinstance(shown.get("turns2"), list):
        return [_one(id, shown["turns"], person, system_in(id, system_from))]
    left, _, right = id.partition(BETWEEN)
    return [
        _one(left, shown["turns"], person, system_in(left, system_from)),
        _one(right or f"{left}-2", shown["turns2"], person, system_in(right, system_from)),
    ]


def _one(id: str, turns: list[Any], person: str | None, system: str) -> Held:
    said = tuple(
        FinishedMessage(0 if str(turn[0]).lower() == "user" else 1, str(turn[1]))
        for turn in turns
        if isinstance(turn, list) and len(turn) >= 2
    )
    return Held(
        id=id or _digest(said),
        is_named=bool(id),
        system=system or "system",
        turns=said,
        person=person,
        condition=system,
    )


def _trained(state: _State, person: str | None, final: dict[str, Any]) -> Trained:
    rounds = final.get("mistakes")
    passed = final.get("success")
    return Trained(
        person=person,
        work=state.work,
        mistakes=tuple(
            tuple(n for n in wrong if isinstance(n, int)) if isinstance(wrong, list) else ()
            for wrong in (rounds if isinstance(rounds, list) else [])
        ),
        passed=passed if isinstance(passed, bool) else None,
        time=state.time,
    )


# --- Chats ----------------------------------------------------------------------------------------


def _read_chat(state: _State, buckets: Buckets, finished: FinishedWork, file: Path) -> None:
    chat = state.outputs["final_chat_data"]
    known = _own_buckets(chat, file) | buckets
    workers = chat.get("workers")
    person = _person(workers[0]) if isinstance(workers, list) and workers else None
    held = list(_chats(state, chat, person))
    finished.dialogues |= {each.id: each for each in held}
    given = _mapping(chat.get("annotations")) | _mapping(state.outputs.get("annotations"))
    given = _unwrapped(given.get("annotations")) or given
    for position, each in enumerate(held):
        entry = _mapping(given.get(str(position)))
        taken: set[str] = set()
        for bucket in sorted(known.values(), key=lambda b: b.task != b.title):
            keys = {f"{bucket.question().about}:{key}" for key in storage_keys(bucket)}
            found = list(stored_answers(bucket, entry, len(each.turns), asked=False))
            if not found or keys & taken:
                continue
            taken |= keys
            _know(finished, bucket)
            pair = bucket.kind == "comparative" and len(held) == 2
            finished.answers += [
                FinishedAnswer(
                    question=bucket.name,
                    answer=answer.answer,
                    dialogue=held[0].id if pair else each.id,
                    turn=answer.turn,
                    other=held[1].id if pair else None,
                    rater=person,
                    work=state.work,
                    time=state.time,
                )
                for answer in found
            ]


def _own_buckets(chat: dict[str, Any], file: Path) -> Buckets:
    """The definitions that a chat carries along as raw text."""
    text = _mapping(chat.get("task_description")).get("annotations_config")
    if not isinstance(text, str) or not text.strip():
        return {}
    try:
        return parse_buckets(text, file=f"{file} (annotations_config)")
    except StudyError:
        # Older states hold other things here; what is asked then comes from --buckets.
        return {}


def _chats(state: _State, chat: dict[str, Any], person: str | None) -> Iterator[Held]:
    times = _message_times(state.packets)
    models = list(_mapping(chat.get("dialog")))
    personas = chat.get("personas")
    for position, model in enumerate(models):
        messages = [m for m in chat["dialog"][model] if isinstance(m, dict)]
        yield Held(
            id=f"{state.work}:{model}",
            is_named=False,
            system=model,
            turns=tuple(
                FinishedMessage(
                    1 if message.get("agent_idx") == 1 else 0,
                    str(message.get("text", "")),
                    seed=bool(message.get("fake_start")),
                    time=times.get(str(message.get("message_id")), state.time),
                )
                for message in messages
            ),
            person=person,
            condition=BETWEEN.join(sorted(models)),
            group=state.work,
            position=position,
            persona=tuple(map(str, personas)) if isinstance(personas, list) else (),
        )


def _message_times(packets: list[dict[str, Any]]) -> dict[str, float]:
    return {
        str(_mapping(packet.get("data")).get("message_id")): float(packet["timestamp"])
        for packet in packets
        if isinstance(packet.get("timestamp"), int | float)
        and _mapping(packet.get("data")).get("message_id") is not None
    }


# --- Small things ---------------------------------------------------------------------------------


def _know(finished: FinishedWork, bucket: Bucket) -> None:
    finished.questions.setdefault(bucket.name, bucket.question())
    finished.entries.setdefault(bucket.name, bucket.entry)


def _unwrapped(given: Any) -> dict[str, Any]:
    """The answer object, which is submitted as a JSON text."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return {}
    return _mapping(given)


def _seconds(spans: Any) -> float | None:
    """The time between starts and ends in milliseconds; a start without an end counts nothing."""
    if not isinstance(spans, list):
        return None
    whole = [s for s in spans if isinstance(s, list) and len(s) == 2 and None not in s]
    return sum(max(0.0, (end - start) / 1000) for start, end in whole) if whole else None


def _person(given: Any) -> str | None:
    return str(given) if given not in (None, "") else None


def _digest(turns: tuple[FinishedMessage, ...]) -> str:
    return hashlib.sha256("\n".join(turn.text for turn in turns).encode()).hexdigest()[:16]


def _mapping(given: Any) -> dict[str, Any]:
    return given if isinstance(given, dict) else {}
