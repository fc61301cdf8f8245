"""A dry run: the whole way at a stand-in, in a home that is thrown away, with nothing left behind."""

import hashlib
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.core.serial import plain
from palaver.studies.file.definition import Study
from palaver.studies.recruiting.dry_run.run import DryRun, dry_run
from palaver.web.stand_in import serve_beside
from support.recruiting import TERMS, write_study

pytestmark = pytest.mark.asyncio
PAY = {**TERMS["pay"], "early": 0.5}
RATED = [
    *TERMS["stages"],
    {"rate": {"ask": ["like", "why"]}},
]
QUESTIONS = {
    "like": {"kind": "likert", "text": "How was it?", "points": [1, 2, 3, 4, 5]},
    "why": {"kind": "text", "text": "Why?", "required": False},
}
PEOPLE = [
    {
        "chat": {
            "arrangement": "people",
            "turns": {"at_least": 4},
            "conditions": [{"people": True, "needed": 2}],
        }
    }
]
SHEETS = {
    "systems": None,
    "questions": {
        "kind": {
            "kind": "choice",
            "text": "Kind?",
            "options": [{"id": "y", "text": "Yes"}, {"id": "n", "text": "No"}],
            "speaker": "system",
        },
        "rank": {
            "kind": "ranking",
            "text": "In which order?",
            "options": [{"id": "x", "text": "X"}, {"id": "z", "text": "Z"}],
        },
        "much": {"kind": "slider", "text": "How much?", "least": 0, "most": 10},
    },
    "stages": [
        {
            "rate": {
                "data": "items.jsonl",
                "ask": ["kind", "rank", "much"],
                "raters": 2,
                "per_visit": 2,
            }
        }
    ],
}


async def tried(study: Study, people: int = 3, *, seed: int = 1) -> DryRun:
    return await dry_run(study, people=people, seed=seed, serve=serve_beside)


def came_to(run: DryRun) -> dict[str, tuple[int, dict[str, int]]]:
    """How many had each outcome, and how they stand at the panel."""
    return {each.outcome: (each.people, dict(each.there)) for each in run.outcomes}


async def test_every_outcome_is_tried_and_everybody_fits(tmp_path: Path) -> None:
    run = await tried(write_study(tmp_path, pay=PAY, questions=QUESTIONS, stages=RATED), 4)
    assert run.is_clean
    assert run.mismatches == ()
    assert came_to(run) == {
        "no_consent": (1, {"returned": 1}),
        "partner_left": (1, {"approved": 1}),
        "over_quota": (1, {"returned": 1}),
        "stopped": (1, {"screened out": 1}),
        "withdrew": (1, {"screened out": 1}),
        "completed": (4, {"approved": 4}),
    }
    # Two ends are paid a part, and one code alone pays it by itself.
    decided = [(each.decision, each.submissions) for each in run.decided]
    assert decided == [("approve", 5), ("screen_out", 1)]
    # Five at 2.00, two parts of 0.50 for who stopped and who withdrew, and two fifths in fees.
    assert (run.costs.rewards, run.costs.parts, run.payments.paid) == (1000, 100, 0)
    assert run.costs.total == 1540
    assert (run.left, run.costs.open, run.costs.unknown) == (0, 0, 0)
    assert run.moments[-1].goals == "4 of 10 dialogues done"
    assert run.costs.meters[0].hourly.n == 4
    assert run.offer.cost == 2800


async def test_people_who_meet_come_together_and_places_follow_the_quotas(tmp_path: Path) -> None:
    run = await tried(write_study(tmp_path, stages=PEOPLE, systems=None), 9)
    assert run.is_clean
    assert came_to(run)["completed"] == (4, {"approved": 4})
    assert run.moments[-1].goals == "2 of 2 dialogues done"
    assert run.moments[-1].state in ("awaiting_review", "completed")
    assert any("there was no place left" in note for note in run.notes)


async def test_sheets_of_a_file_are_judged(tmp_path: Path) -> None:
    lines = [
        {"id": f"d{n}", "turns": [["user", f"Hi {n}"], ["system", "Hello"]], "system": "tern"}
        for n in range(4)
    ]
    tmp_path.mkdir(exist_ok=True)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "items.jsonl").write_text(text, encoding="utf-8")
    run = await tried(write_study(tmp_path, **SHEETS), 9)
    assert run.is_clean
    assert run.moments[-1].goals == "8 of 8 ratings done"
    assert came_to(run)["completed"] == (4, {"approved": 4})


async def test_the_same_seed_gives_the_same_and_another_one_does_not(tmp_path: Path) -> None:
    study = write_study(tmp_path, pay=PAY)
    first, again, other = [await tried(study, 3, seed=seed) for seed in (1, 1, 2)]
    assert plain(first) == plain(again)
    assert plain(first) != plain(other)


async def test_nothing_is_left_behind_and_nothing_leaves_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    systems: dict[str, Any] = {
        "tern": {
            "kind": "openai",
            "model": "m",
            "base_url": "https://models.example.org/v1",
            "api_key_env": "NO_SUCH_KEY",
        }
    }
    study = write_study(tmp_path, systems=systems)
    monkeypatch.setenv("PALAVER_PROLIFIC_TOKEN", "a-real-one")
    monkeypatch.setenv("PALAVER_PROLIFIC_URL", "https://api.example.org")
    called: list[str] = []
    real = socket.getaddrinfo

    def noted(host: Any, *given: Any, **named: Any) -> Any:
        called.append(str(host))
        return real(host, *given, **named)

    monkeypatch.setattr(socket, "getaddrinfo", noted)
    before = contents(tmp_path)
    run = await tried(study, 2)
    assert run.is_clean
    assert contents(tmp_path) == before
    assert {host for host in called if host not in ("127.0.0.1", "localhost", "None")} == set()
    assert "No system was asked" in run.notes[0]


def contents(folder: Path) -> dict[str, str]:
    """Every file of a folder with the digest of what it holds."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"crowd": None, "recruit": None}, "People of this study come by 'link'"),
        ({"pay": None}, "The study does not say what it pays"),
        ({"recruit": None}, "does not say what people read at the panel"),
    ],
)
async def test_what_cannot_be_tried_is_said(
    tmp_path: Path, given: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        await tried(write_study(tmp_path, **given))


async def test_what_nobody_is_simulated_in_is_passed_over_and_said(tmp_path: Path) -> None:
    game = {"chat": {"game": "deal_or_no_deal", "conditions": [{"systems": ["tern"]}]}}
    run = await tried(write_study(tmp_path, stages=[game, {"rate": {"ask": ["human_like"]}}]), 2)
    assert run.is_clean
    assert came_to(run)["completed"] == (2, {"approved": 2})
    (said,) = [note for note in run.notes if note.startswith("Stage")]
    assert said == (
        "Stage 1 is not gone through: people play 'deal_or_no_deal' there. The visit of whoever "
        "completes the study is ended at that place."
    )


async def test_practice_counts_as_passed_and_what_follows_is_gone_through(tmp_path: Path) -> None:
    practice = {"screen": {"training": "empathy"}}
    judging = {"rate": {"data": "items.jsonl", "ask": ["kind"], "raters": 2, "per_visit": 1}}
    item = {"id": "a", "turns": [["user", "Hello."], ["system", "Birds sing."]]}
    (tmp_path / "items.jsonl").write_text(json.dumps(item) + "\n", encoding="utf-8")
    study = write_study(tmp_path, **{**SHEETS, "stages": [practice, judging]})
    run = await tried(study, 2)
    assert run.is_clean
    assert came_to(run)["completed"] == (2, {"approved": 2})
    (said,) = [note for note in run.notes if note.startswith("Stage")]
    assert "People are taken to have passed it." in said
    assert run.moments[-1].goals == "2 of 2 ratings done"


async def test_parts_that_no_code_pays_by_itself_are_suggested_and_paid(tmp_path: Path) -> None:
    pay = {**TERMS["pay"], "over_quota": 0.25, "early": 0.5}
    run = await tried(write_study(tmp_path, pay=pay), 1)
    assert run.is_clean
    told = {each.outcome: (each.action, dict(each.there)) for each in run.outcomes}
    assert told["over_quota"] == ("paid a part of the reward at once", {"screened out": 1})
    waits = ("waits for a decision", {"screened out": 1})
    assert (told["stopped"], told["withdrew"]) == (waits, waits)
    assert ("screen_out", 2) in {(each.decision, each.submissions) for each in run.decided}
