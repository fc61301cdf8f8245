"""A home that an earlier Palaver made still opens: its commands, its pages, its study files."""

import re
from collections.abc import Iterator

import pytest

from support.made_home import MADE, STUDIES, run_palaver
from support.served_home import Browser, Held, ServedHome

# Addresses that people have kept. What stands in braces is filled in with what the home holds.
DESK = [
    "/desk",
    "/desk/dialogues",
    "/desk/raters",
    "/desk/boards",
    "/desk/settings",
    "/desk/tasks",
    "/desk/new-password",
    "/desk/studies/{study}",
    "/desk/studies/{study}/progress.json",
    "/desk/studies/{study}/participants",
    "/desk/studies/{study}/links",
    "/desk/studies/{study}/raters",
    "/desk/studies/judging/results",
    "/desk/studies/judging/questions/{question}",
    "/desk/exports/{study}",
    "/desk/dialogues/{dialogue}",
    "/desk/dialogues/{dialogue}/events.json",
    "/desk/dialogues/{dialogue}/download",
    "/desk/raters/{rater}",
    "/desk/tasks/{task}",
    "/desk/tasks/{task}/runs.json",
    "/desk/tasks/{task}/settings",
    "/desk/tasks/nli/runs/{run}",
    "/desk/tasks/nli/runs/{run}/state.json",
    "/desk/tasks/nli/runs/{run}/predictions.jsonl",
    "/desk/tasks/nli/runs/{run}/scores.csv",
    "/desk/tasks/nli/runs/{run}/tags.csv",
    "/desk/tasks/nli/models/{model}",
    "/desk/tasks/nli/data/{dataset}",
]
PUBLIC = [
    "/health",
    "/desk/sign-in",
    "/tasks",
    "/tasks/nli",
    "/tasks/nli/board.json",
    "/tasks/nli/board.csv",
    "/tasks/nli/board.tex",
    "/tasks/nli/data",
    "/tasks/nli/submit",
    "/tasks/nli/submissions",
    "/tasks/nli/models/{public}",
    "/tasks/nli/forks/{fork}",
    "/tasks/nli/snapshots/{snapshot}",
    "/tasks/nli/snapshots/{snapshot}.json",
    "/tasks/nli/snapshots/{snapshot}.csv",
    "/tasks/nli/models/dynaboard?ordered_metric_weights=4%7C1%7C1%7C1&ordered_scoring_dataset_weights=1",
    "/boards/comparing",
    "/boards/comparing.json",
    "/boards/crowd",
    "/api/v1/docs",
    "/api/v1/openapi.json",
]
TEAM = [
    "/tasks/nli/submit",
    "/tasks/nli/submissions",
    "/tasks/nli/submissions.json",
    "/tasks/nli/questions/test",
]
READING = [
    "account list home",
    "agreement home --study judging --bootstrap 20",
    "board nli --draws 20 --home home",
    "dataset list --home home",
    "dataset show nli test --home home",
    "model list nli --home home",
    "model show nli rules --home home",
    "rank home --study crowd --bootstrap 20",
    "runs list --home home",
    "runs show r_RQeWnqpJzM64dcDNSGmQ --home home",
    "task list --home home",
    "task show nli --home home",
    "team list nli --home home",
    "link home/chatting --home home -n 2",
]


def addresses(templates: list[str], held: Held) -> Iterator[str]:
    """The templates, each with everything that stands for the name in it."""
    for template in templates:
        named = re.search(r"\{(\w+)\}", template)
        for value in held[named.group(1)] if named else [""]:
            yield re.sub(r"\{\w+\}", value, template)


def test_every_page_of_the_desk_is_shown(served_home: ServedHome, held: Held) -> None:
    browser = served_home.browser("olga")
    assert not _refused(browser, DESK, held)


def test_every_public_page_is_shown_to_strangers(served_home: ServedHome, held: Held) -> None:
    assert not _refused(served_home.browser(), PUBLIC, held)


def test_every_page_of_a_team_is_shown(served_home: ServedHome, held: Held) -> None:
    browser = served_home.browser()
    browser.enter_team("Blue", task="nli")
    assert not _refused(browser, TEAM, held)


def _refused(browser: Browser, templates: list[str], held: Held) -> str:
    """One line per page that was not shown."""
    answers = {path: browser.get(path).status for path in addresses(templates, held)}
    return "\n".join(f"{path}: {each}" for path, each in answers.items() if each != 200)


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_file_of_then_is_in_order(study: str) -> None:
    said = run_palaver("check", MADE / study)
    assert "1 study in order" in said
    warnings = [line for line in said.splitlines() if ": warning: " in line]
    # Files of then say what is paid, and few say for how long; one ends its board at its own number.
    later = ("not for how long", "The board is final after")
    rest = [line for line in warnings if not any(words in line for words in later)]
    assert bool(rest) == (study == "crowd")


@pytest.mark.parametrize("words", READING)
@pytest.mark.usefixtures("home")
def test_what_is_kept_is_told_in_words(words: str) -> None:
    assert run_palaver(*words.split()).strip()
