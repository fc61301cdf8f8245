"""models.yaml: who takes part, how they are asked, and what is wrong with the file."""

from pathlib import Path

import pytest

from palaver.core.errors import StudyError
from palaver.core.situations import AdvisingModel
from palaver.studies.advice.models_file import (
    ADVICE_PROMPT,
    ModelEntry,
    parameters_of,
    read_models_file,
)


def read(tmp_path: Path, text: str) -> dict[str, ModelEntry]:
    file = tmp_path / "models.yaml"
    file.write_text(text, encoding="utf-8")
    return read_models_file(file)


def problems(tmp_path: Path, text: str) -> list[tuple[int, int, str]]:
    with pytest.raises(StudyError) as caught:
        read(tmp_path, text)
    return [(each.line, each.column, each.message) for each in caught.value.problems]


def test_a_model_has_a_way_to_be_asked_and_a_card(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "models:\n"
        "  t5-11b:\n"
        "    kind: askbatch\n"
        "    url: http://127.0.0.1:5000\n"
        "    timeout: 43200\n"
        "    title: T5-11B\n"
        "    team: Some lab\n"
        "    parameters: 11B\n"
        "    date: 2020-02-14\n"
        "    link: https://example.org/t5\n",
    )

    assert found == {
        "t5-11b": ModelEntry(
            name="t5-11b",
            kind="askbatch",
            options={"url": "http://127.0.0.1:5000", "timeout": 43200},
            card=AdvisingModel(
                name="t5-11b",
                title="T5-11B",
                team="Some lab",
                parameters=11e9,
                date="2020-02-14",
                link="https://example.org/t5",
            ),
        )
    }


def test_a_chat_model_has_a_prompt_that_its_entry_may_replace(tmp_path: Path) -> None:
    chat = "{kind: openai, base_url: 'http://127.0.0.1:1', model: m"
    found = read(tmp_path, f"models:\n  one: {chat}}}\n  two: {chat}, prompt: '{{{{title}}}}?'}}\n")

    assert found["one"].options["prompt"] == ADVICE_PROMPT
    assert found["two"].options["prompt"] == "{{title}}?"
    assert {each.options["output"] for each in found.values()} == {"advice"}
    assert found["one"].card.title == "one"


def test_a_handler_runs_from_a_folder_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    found = read(tmp_path, "models:\n  m: {kind: handler, handler: 'a:B', folder: mine}\n")

    assert found["m"].folder == tmp_path / "mine"
    assert found["m"].options == {"handler": "a:B"}


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("models: {}\n", 1, 1, "'models' is empty"),
        ("model: {}\n", 1, 1, "Unknown key 'model'. Near: 'models'"),
        ("models:\n  people: {kind: askbatch, url: 'http://x'}\n", 2, 3, "the advice of people"),
        ("models:\n  people-2: {kind: askbatch, url: 'http://x'}\n", 2, 3, "the advice of people"),
        ("models:\n  ../up: {kind: askbatch, url: 'http://x'}\n", 2, 3, "lower-case letters"),
        ("models:\n  m: {url: 'http://x'}\n", 2, 3, "'kind' is missing"),
        ("models:\n  m: {kind: askbach, url: 'http://x'}\n", 2, 13, "Near: 'askbatch'"),
        ("models:\n  m: {kind: askbatch}\n", 2, 3, "'url' is missing"),
        ("models:\n  m: {kind: askbatch, url: 'http://x', timout: 3}\n", 2, 40, "Near: 'timeout'"),
        (
            "models:\n  m: {kind: askbatch, url: 'http://x', timeout: 99999}\n",
            2,
            49,
            "43200 or less",
        ),
        ("models:\n  m: {kind: askbatch, url: 'http://x', parameters: many}\n", 2, 52, "11B"),
        (
            "models:\n  m: {kind: askbatch, url: 'http://x', date: May}\n",
            2,
            46,
            "such as 2020-02-14",
        ),
        ("models:\n  m: {kind: askbatch, url: 'http://x', link: 'ftp://x'}\n", 2, 46, "https://"),
        ("models:\n  m: {kind: handler, handler: 'a:B'}\n", 2, 3, "needs 'folder'"),
        (
            "models:\n  m: {kind: handler, handler: 'a:B', folder: no}\n",
            2,
            46,
            "There is no folder",
        ),
        (
            "models:\n  m: {kind: openai, base_url: 'http://x', model: m, prompt: '{{titel}}'}\n",
            2,
            61,
            "Near: 'title'",
        ),
    ],
)
def test_what_is_wrong_is_said_where_it_stands(
    tmp_path: Path, text: str, line: int, column: int, words: str
) -> None:
    found = problems(tmp_path, text)

    assert any(each[:2] == (line, column) and words in each[2] for each in found), found


def test_every_problem_of_a_file_is_said_at_once(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        "models:\n  A_1: {kind: askbatch, url: 'http://x'}\n  b: {kind: x}\n  c: {kind: askbatch}\n",
    )

    assert [line for line, _, _ in found] == [2, 3, 4]


@pytest.mark.parametrize(
    ("given", "number"),
    [
        ("340M", 340e6),
        ("11 B", 11e9),
        ("1.5t", 1.5e12),
        (11e9, 11e9),
        (124, 124.0),
        ("1,300", 1300),
    ],
)
def test_parameters_as_people_write_them(given: float | str, number: float) -> None:
    assert parameters_of(given) == number
