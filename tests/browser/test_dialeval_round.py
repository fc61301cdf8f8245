"""The whole round of a shared task: dialogues of a file, judged by people in a browser, become gold."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from support.dialeval import CUSTOMER, HELPDESK, POINTS, plain_scores

pytestmark = pytest.mark.browser

STUDY = """
title: Help desks
consent: {version: "1", text: "You judge conversations with help desks."}
stages:
  - rate:
      ask: [nuggets, accomplishment, satisfaction, effectiveness]
      data: dialogues.json
      raters: 3
      order: file
"""
QUESTIONS = {"A": "accomplishment", "S": "satisfaction", "E": "effectiveness"}
SAID = {
    "customer": ["My router has no light.", "It still has none.", "Now it works, thank you."],
    "helpdesk": ["Is it plugged in?", "Press the button at the back."],
}
# Ids as the published files have them; a dialogue of one side alone would have no official score.
DIALOGUES = {f"38015849517353{n}": "chchc"[: 2 + n % 4] for n in range(60, 65)}


def turns(senders: str) -> list[dict[str, Any]]:
    who = [{"c": "customer", "h": "helpdesk"}[each] for each in senders]
    return [
        {"sender": each, "utterances": [SAID[each][n // 2], f"(message {n + 1})"]}
        for n, each in enumerate(who)
    ]


def annotation(place: int, rater: int, senders: str) -> dict[str, Any]:
    """What a rater says of a dialogue: different raters say different things of different ones."""
    labels = {"c": CUSTOMER, "h": HELPDESK}
    nuggets = [
        labels[each][(place + rater * (n + 1)) % len(labels[each])]
        for n, each in enumerate(senders)
    ]
    points = {
        scale: int(POINTS[(place + rater * k) % len(POINTS)])
        for k, scale in enumerate("ASE", start=1)
    }
    return {"nugget": nuggets, "quality": points}


@pytest.mark.long
def test_five_dialogues_and_three_raters_make_gold_that_scores_a_submission(
    serve: Any, link: Any, new_page: Any, tmp_path: Path
) -> None:
    asked = [{"id": id_, "turns": turns(senders)} for id_, senders in DIALOGUES.items()]
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "dialogues.json").write_text(json.dumps(asked), encoding="utf-8")
    server = serve(STUDY)
    for rater in range(3):
        judge_all(new_page(), link(server), rater)
    server.stop()

    gold = tmp_path / "gold.json"
    palaver("export", server.home, "--study", "study", "--format", "dch2", "-o", gold)
    expected = [
        {
            **entry,
            "annotations": [annotation(place, rater, DIALOGUES[entry["id"]]) for rater in range(3)],
        }
        for place, entry in enumerate(asked)
    ]
    assert json.loads(gold.read_text()) == expected

    submission = tmp_path / "submission.json"
    predicted = [prediction(place, entry) for place, entry in enumerate(asked)]
    submission.write_text(json.dumps(predicted), encoding="utf-8")
    found = json.loads(palaver("score", "dialeval", "--pred", submission, "--gold", gold, "--json"))
    by_hand = [plain_scores(e, p) for e, p in zip(expected, predicted, strict=True)]
    for measure in by_hand[0]:
        mean = math.fsum(scores[measure] for scores in by_hand) / len(by_hand)
        assert scores_in(found)[measure] == pytest.approx(mean, abs=1e-12)


def judge_all(page: Page, address: str, rater: int) -> None:
    page.goto(address)
    page.get_by_role("button", name="I agree and take part").click()
    for place, senders in enumerate(DIALOGUES.values()):
        said = annotation(place, rater, senders)
        for n, nugget in enumerate(said["nugget"], start=1):
            choose(page, f"answer-nuggets-{n}", nugget)
        page.locator("rating-form button.primary").click()
        for scale, question in QUESTIONS.items():
            choose(page, f"answer-{question}", str(said["quality"][scale]))
        page.locator("rating-form button.primary").click()
    expect(page.get_by_role("heading", name=re.compile("Thank you"))).to_be_visible()


def choose(page: Page, name: str, value: str) -> None:
    choice = page.locator(f'input[name="{name}"][value="{value}"]')
    if choice.is_hidden():
        page.locator(f'fieldset:has(input[name="{name}"])').click()
    choice.check()
    expect(choice).to_be_checked()


def prediction(place: int, entry: dict[str, Any]) -> dict[str, Any]:
    """An official submission's entry; sums need not be 1."""

    def shares(labels: list[str], start: int) -> dict[str, float]:
        return {label: 1.0 + (start + n) % 3 for n, label in enumerate(labels)}

    labels = {"customer": CUSTOMER, "helpdesk": HELPDESK}
    return {
        "id": entry["id"],
        "nugget": [
            shares(labels[each["sender"]], place + n) for n, each in enumerate(entry["turns"])
        ],
        "quality": {scale: shares(POINTS, place + k) for k, scale in enumerate("ASE")},
    }


def palaver(*arguments: Any) -> str:
    """What a command of its own prints; it ends well."""
    command = [sys.executable, "-m", "palaver", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def scores_in(found: Any) -> dict[str, float]:
    quality = {
        f"{measure}-{scale}": found["dq"][scale][measure]
        for scale in "ASE"
        for measure in ("rsnod", "nmd")
    }
    return {**found["nd"], **quality}
