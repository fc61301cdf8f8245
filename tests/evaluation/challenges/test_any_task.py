"""A challenge holds any task of the library, and shows scores on halves of its data."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from palaver.core.audit import COMMAND
from palaver.core.errors import InputError
from palaver.core.evaluation.challenge_entries import ChallengeTeam, Entry
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.evaluation.challenges.entries import list_entries, submit_file
from palaver.evaluation.challenges.halves import part_of
from palaver.evaluation.challenges.stored import add_challenge, find_challenge
from palaver.evaluation.challenges.teams import add_team, find_team
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.jobs.worker import Worker
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.evaluation.tasks.samples import sample_record
from support.challenges import DEADLINE, FILE, FINAL, HOUR, TEST, Cup, answers
from support.runs import NOW

ONE_TRACK = """\
name: any
tracks: {only: {task: TASK, data: test}}
phases: {final: {closes: 2026-12-01 AoE, scores: own}}
"""


def hold(
    home: EvaluationHome,
    folder: Path,
    task: str,
    items: list[dict[str, Any]],
) -> tuple[StoredChallenge, ChallengeTeam]:
    """A challenge on some items of a task, and a team in it."""
    row = home.store.write_now(lambda c: ensure_task(c, task, now=NOW))
    data = folder / "test.jsonl"
    data.write_text("".join(json.dumps(each) + "\n" for each in items), encoding="utf-8")
    add_dataset(
        home,
        row,
        stored_task(row),
        name="test",
        source=str(data),
        access="hidden",
        now=NOW,
    )
    file = folder / "challenge.yaml"
    file.write_text(ONE_TRACK.replace("TASK", task), encoding="utf-8")
    add_challenge(home, file, by=COMMAND, now=NOW)

    def join(connection: Any) -> ChallengeTeam:
        held = find_challenge(connection, "any")
        made = add_team(connection, held, team="Otters", by=COMMAND, now=NOW)
        return find_team(connection, held, made.id)

    team = home.store.write_now(join)
    return home.store.read_now(lambda c: find_challenge(c, "any")), team


def submit(
    home: EvaluationHome, row: StoredChallenge, team: ChallengeTeam, records: list[dict[str, Any]]
) -> Entry:
    content = json.dumps(records).encode()
    return submit_file(home, row, team, track="only", content=content, name="run.json", now=FINAL)


def test_responses_are_handed_in(local_home: EvaluationHome, tmp_path: Path) -> None:
    row = local_home.store.write_now(lambda c: ensure_task(c, "response-generation", now=NOW))
    items = [{**sample_record(stored_task(row)), "uid": f"d{n}"} for n in range(3)]
    row, team = hold(local_home, tmp_path, "response-generation", items)
    entry = submit(
        local_home, row, team, [{"id": f"d{n}", "response": "some words"} for n in range(3)]
    )
    assert entry.state == "running"  # BLEU takes longer than somebody should wait
    asyncio.run(Worker(local_home).work_through())
    [scored] = local_home.store.read_now(
        lambda c: list_entries(c, row, team=team, now=FINAL, audience="own")
    )
    assert scored.state == "scored"
    assert set(scored.scores) == {"bleu", "chrf", "rouge_l", "distinct_1", "distinct_2"}


SAID: tuple[dict[str, Any], ...] = (
    {"nugget": ["CNUG0", "HNUG"], "quality": {"A": 1, "S": 1, "E": 0}},
    {"nugget": ["CNUG0", "HNUG*"], "quality": {"A": 1, "S": 0, "E": 2}},
    {"nugget": ["CNaN", "HNUG"], "quality": {"A": -1, "S": 1, "E": 1}},
)


def dialogue(n: int) -> dict[str, Any]:
    """A dialogue as DCH-2 has it, with what three annotators said."""
    turns = [
        {"sender": "customer", "utterances": ["It does not work."]},
        {"sender": "helpdesk", "utterances": ["Switch it on."]},
    ]
    return {"id": f"{n:016d}", "turns": turns, "annotations": SAID}


def shares(said: list[Any]) -> dict[str, float]:
    """How large a share of the annotators said what."""
    return {str(label): said.count(label) / len(said) for label in said}


NUGGET = [shares([each["nugget"][turn] for each in SAID]) for turn in (0, 1)]
QUALITY = {scale: shares([each["quality"][scale] for each in SAID]) for scale in ("A", "S", "E")}


class TestDialEval:
    def test_an_official_file_of_quality(self, local_home: EvaluationHome, tmp_path: Path) -> None:
        gold = [dialogue(n) for n in range(4)]
        row, team = hold(local_home, tmp_path, "dialogue-quality", gold)
        official = [{"id": each["id"], "quality": QUALITY} for each in gold]
        entry = submit(local_home, row, team, official)
        assert entry.state == "scored"
        assert list(entry.scores.values()) == pytest.approx([0.0] * 8)

    def test_an_official_file_of_nuggets(self, local_home: EvaluationHome, tmp_path: Path) -> None:
        gold = [dialogue(n) for n in range(4)]
        row, team = hold(local_home, tmp_path, "dialogue-nugget", gold)
        official = [{"id": each["id"], "nugget": NUGGET} for each in gold]
        entry = submit(local_home, row, team, official)
        assert entry.scores == pytest.approx({"nugget_jsd": 0.0, "nugget_rnss": 0.0}, abs=1e-7)

    def test_labels_of_the_other_side_are_refused(
        self, local_home: EvaluationHome, tmp_path: Path
    ) -> None:
        gold = [dialogue(n) for n in range(2)]
        row, team = hold(local_home, tmp_path, "dialogue-nugget", gold)
        turned = [{"id": each["id"], "nugget": NUGGET[::-1]} for each in gold]
        with pytest.raises(InputError) as refused:
            submit(local_home, row, team, turned)
        assert "run.json:1" in str(refused.value)
        assert "HNUG" in str(refused.value)


def test_on_halves_scores_are_of_the_public_one_until_the_phase_is_over(
    local_home: EvaluationHome, tmp_path: Path
) -> None:
    halves = "hours: 24\n    halves: {public: 0.5, final: private}"
    text = FILE.replace("hours: 24", halves).replace(
        "scores: {everybody: 2026-12-15 12:00 UTC}", "scores: own"
    )
    cup = Cup(local_home, tmp_path, text=text)
    team = cup.team()
    public = [
        n for n, item in enumerate(TEST) if part_of(cup.row.salt, item["uid"], 0.5) == "public"
    ]
    content = answers(TEST, right=3)
    entry = cup.submit(team, content)
    right = sum(n < 3 for n in public)

    def accuracy(now: float) -> float | None:
        [found] = cup.home.store.read_now(
            lambda c: list_entries(c, cup.row, team=team, now=now, audience="own", home=cup.home)
        )
        assert found.key == entry.key
        return found.scores.get("accuracy")

    assert accuracy(FINAL) == (pytest.approx(right / len(public)) if public else None)
    rest = len(TEST) - len(public)
    expected = pytest.approx((3 - right) / rest) if rest else None
    assert accuracy(DEADLINE + 13 * HOUR) == expected
