"""Somebody comes at the very moment at which what is to be judged has been taken in.

The store is asked a moment before, and has nothing; when the answer comes, everything is there.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import palaver.annotation.assignment as assignment
from palaver.annotation.assignment import Nothing
from palaver.crowds.links import new_person, sign_link
from palaver.studies.run.deployment import RunningStudy
from support.desks import Desk, open_desk

STUDY = """\
title: Judge a dialogue
questions:
  quality: {kind: likert, text: "How good is it?", points: [1, 2, 3]}
stages:
  - rate: {ask: [quality], data: talks.jsonl}
"""
TALK = {"id": "t1", "system": "terse", "turns": [["user", "Hello"], ["system", "What?"]]}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    folder = tmp_path / "studies" / "judge"
    folder.mkdir(parents=True)
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    (folder / "talks.jsonl").write_text(json.dumps(TALK), encoding="utf-8")
    with open_desk(tmp_path) as opened:
        yield opened


def just_before(study: RunningStudy, asked: Callable[..., Any]) -> Callable[..., Any]:
    """What the store answers for the first time: it looked before everything was taken in."""

    def answer(*arguments: Any, **named: Any) -> Any:
        if study.taken_in.is_set():
            return asked(*arguments, **named)
        study.taken_in.set()
        return Nothing("none_left")

    return answer


@pytest.mark.parametrize("asked", ["foresee", "hand_out"])
def test_whoever_comes_at_that_moment_gets_a_sheet(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    study = desk.deployment.studies["judge"]
    assert desk.client.portal is not None
    desk.client.portal.call(study.taken_in.wait)
    study.taken_in.clear()
    monkeypatch.setattr(assignment, asked, just_before(study, getattr(assignment, asked)))

    token = sign_link(desk.deployment.secret, study="judge", person=new_person())
    arrived = desk.client.get(f"/s/judge?link={token}")
    visit = arrived.url.path
    assert f"{visit}/start" in arrived.text
    page = desk.client.post(f"{visit}/start", data={"csrf": desk.csrf(visit)})

    assert study.taken_in.is_set()
    assert "How good is it?" in page.text
