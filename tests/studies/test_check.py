"""Every mistake in a study file is named with line, column and plain words."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palaver.core.errors import Problem, StudyError
from palaver.core.studies.stops import StoppingRule
from palaver.studies.check import check_study
from palaver.studies.file.reader import load_study

SOUND = """\
title: Which is better?
minutes: 10
consent: {version: "1", text: I agree.}
pay: {amount: 1.5, currency: GBP}
crowd: {kind: link}
systems:
  friendly: {kind: scripted, lines: [Hello]}
  terse: {kind: scripted, lines: [Hi]}
questions:
  preference: {kind: comparative, text: Which one?}
stages:
  - chat:
      arrangement: paired
      turns: {exactly: 10}
      conditions:
        - {systems: [friendly, terse], needed: 20}
      limits: {message: 3 min}
  - rate: {ask: [preference]}
"""

# What stands in the sound file, what stands there instead, and what is said about it.
BROKEN = [
    ("title: Which is better?\n", "", "1:1: 'title' is missing."),
    ("title:", "titel:", "1:1: Unknown key 'titel'. Near: 'title'"),
    ("Which is better?", "5", "1:8: 'title' takes text; got 5. Put it in quotes."),
    ("Which is better?", "' '", "1:8: The text is empty."),
    ("Which is better?", "", "1:1: 'title' takes text; got nothing."),
    ("minutes: 10", "minutes: ten", "2:10: 'minutes' takes a whole number; got 'ten'."),
    ("minutes: 10", "minutes: 0", "2:10: 'minutes' takes 1 or more; got 0."),
    ("minutes: 10", "digest: abc", "2:1: Unknown key 'digest'."),
    ("minutes: 10", "name: My Study", "2:7: 'name' takes lower-case letters, digits and '-'"),
    ("minutes: 10", "language: english!", "2:11: 'language' takes a tag like 'en'"),
    ("minutes: 10", "direction: up", "2:12: 'direction' takes 'ltr' or 'rtl'; got 'up'."),
    ('version: "1"', "version: 1.10", "3:20: 'version' takes text; got 1.1. Put it in quotes."),
    (", text: I agree.", "", "3:1: 'text' is missing."),
    ("amount: 1.5", "amount: -1", "4:15: 'amount' takes 0 or more; got -1."),
    ("amount: 1.5", "amount: .nan", "4:15: 'amount' takes a finite number; got nan."),
    (
        "GBP",
        "pounds",
        "4:30: 'currency' takes a code of three capital letters like GBP; got 'pounds'.",
    ),
    ("kind: link", "kind: lnik", "5:15: 'kind' takes 'link', 'besample', 'chateval', 'cint'"),
    ("{kind: link}", "link", "5:8: 'crowd' takes a mapping (key: value); got 'link'."),
    ("{kind: link}", "{participant: x}", "5:9: 'participant' is for 'kind: parameters' only"),
    ("{kind: link}", "{completion_url: ftp}", "5:25: 'completion_url' takes an address with"),
    (
        "{kind: link}",
        "{completion_url: 'https://x/{id}'}",
        "5:25: The only placeholder that 'completion_url' takes is '{code}'.",
    ),
    ("friendly: {kind: scripted, ", "friendly: {", "7:3: 'kind' is missing."),
    (
        "friendly: {kind: scripted",
        "friendly: {kind: scritped",
        "7:20: No kind of system 'scritped'",
    ),
    ("lines: [Hello]", "lnes: [Hello]", "7:30: Unknown key 'lnes'. Near: 'lines'."),
    ("lines: [Hello]", "lnes: [Hello]", "7:3: 'lines' is missing."),
    ("lines: [Hello]", "lines: []", "7:30: 'lines' is empty."),
    ("lines: [Hello]", "lines: [a, {b: c}]", "7:41: Entry 2 of 'lines' takes text; got a mapping."),
    ("  friendly: {", "  a|b: {", "7:3: The name 'a|b' must begin with a letter or digit"),
    ("  friendly: {", "  pay: {", "7:3: The name 'pay' is reserved here"),
    (
        "friendly: {kind: scripted, lines: [Hello]}",
        "friendly: {kind: retrieval, file: nowhere.jsonl}",
        "7:3: System 'friendly': Option 'file' names 'nowhere.jsonl'; there is no file",
    ),
    (
        "kind: comparative",
        "kind: comparitive",
        "10:22: No question kind 'comparitive'. Near: 'comp",
    ),
    ("kind: comparative, ", "", "10:3: Question 'preference' needs a 'kind': one of aspects, "),
    ("text: Which one?", "text: 7", "10:41: 'text' takes text; got 7. Put it in quotes."),
    ("text: Which one?", "text: ''", "10:41: 'text' is empty."),
    ("text: Which one?", "text: A, tie: maybe", "10:49: 'tie' takes true or false; got 'maybe'."),
    ("text: Which one?", "text: A, tye: true", "10:44: Unknown key 'tye'. Near: 'tie'"),
    (", text: Which one?", "", "10:3: 'text' is missing."),
    ("{kind: comparative, text: Which one?}", "7", "10:15: 'preference' takes a mapping"),
    ("questions:\n  preference", "questions:\n  a b", "10:3: The name 'a b' must begin with"),
    ("- chat:", "- chatt:", "12:5: A stage is one key, 'chat', 'write', 'rate' or 'screen'"),
    ("chat:\n  ", "chat:\n    display: in_turn\n    x:\n  ", "12:5: A stage is one key"),
    ("paired", "pared", "13:20: 'arrangement' takes 'system', 'paired' or 'people'; got 'pared'."),
    ("paired", "system\n      display: in_turn", "14:16: 'display' is for 'arrangement: paired'"),
    ("paired", "paired\n      blind: yes", "14:14: 'blind' takes true or false; got 'yes'."),
    ("paired", "paired\n      opens: first", "14:14: With 'arrangement: paired', 'opens' takes 'p"),
    ("paired", "paired\n      game: open_chatt", "14:13: No game 'open_chatt'. Near: 'open_chat'."),
    ("paired", "paired\n      seed: []", "14:7: Unknown key 'seed'. Near: 'seeds'"),
    (
        "paired",
        "paired\n      personas: {person: [a]}\n      scenarios: [{id: a}, {id: a}]",
        "14:7: 'personas' cannot be combined with 'scenarios'.",
    ),
    (
        "paired",
        "paired\n      scenarios: [{id: a}, {id: a}]",
        "14:33: The scenario 'a' is listed twice",
    ),
    ("paired", "people\n      partner_leaves: frendly", "14:23: No system 'frendly' under 'sy"),
    ("paired", "people", "16:11: With 'arrangement: people' a condition has one system; got 2."),
    ("paired", "system", "16:11: With 'arrangement: system' a condition has one system; got 2."),
    ("paired", "system", "18:18: Question 'preference' compares two conversations, but no chat"),
    ("turns: {exactly: 10}", "turns: 10", "14:14: 'turns' takes a mapping (key: value); got 10."),
    ("turns: {exactly: 10}", "game: open_chat", "12:5: 'turns' is missing."),
    (
        "turns: {exactly: 10}",
        "game: {turns: {exactly: 0}}",
        "14:31: 'exactly' takes 1 or more; got 0.",
    ),
    (
        "turns: {exactly: 10}",
        "game: {name: open_chat, turns: {exactly: 4}, opens: first}",
        "14:59: With 'arrangement: paired', 'opens' takes 'person' or 'system' or 'either'; got",
    ),
    ("turns: {exactly: 10}", "game: {trns: {exactly: 4}}", "14:14: Unknown key 'trns'. Near: 't"),
    ("exactly: 10", "exactly: 10, at_least: 2", "14:7: 'turns' has either 'exactly' or 'at_least'"),
    (
        "{exactly: 10}",
        "{exactly: 2}\n      seeds: [{by: person, text: a}, {by: partner, text: b}]",
        "14:24: 'exactly' counts seeds too: there are 2, so it takes 3 or more; got 2.",
    ),
    ("[friendly, terse]", "[frendly, terse]", "16:22: No system 'frendly' under 'systems'. Near"),
    ("[friendly, terse]", "[friendly]", "16:11: With 'arrangement: paired' a condition has two"),
    ("systems: [friendly, terse]", "people: true", "16:11: 'people: true' needs 'arrangement: p"),
    ("systems: [friendly, terse], ", "", "16:11: A condition has either 'systems: [...]' or"),
    ("needed: 20", "needed: 0", "16:48: 'needed' takes 1 or more; got 0."),
    ("needed: 20", "needed: 2.5", "16:48: 'needed' takes a whole number; got 2.5."),
    (
        "needed: 20}",
        "needed: 20}\n        - {systems: [terse, friendly]}",
        "17:11: The condition 'terse|friendly' is listed twice",
    ),
    (
        "conditions:\n        - {systems: [friendly, terse], needed: 20}",
        "conditions: friendly|terse:many",
        "15:19: Expected 'system:needed' or 'first|second:needed', separated by commas; got",
    ),
    (
        "conditions:\n        - {systems: [friendly, terse], needed: 20}",
        "conditions: []",
        "15:7: 'conditions' is empty.",
    ),
    ("3 min", "3 minutes", "17:25: A duration is a number of seconds, or text like '90 s'"),
    ("3 min", "0", "17:25: A duration must be longer than 0; got 0."),
    ("[preference]", "[prefrence]", "18:18: No question 'prefrence' under 'questions'. Near: 'pr"),
    ("[preference]", "[]", "18:12: 'ask' is empty."),
    (
        "[preference]",
        "[preference, preference]",
        "18:30: The question 'preference' is asked here twice",
    ),
    (
        "[preference]}",
        "[preference], when: later}",
        "18:37: 'when' takes 'after' or 'after_each'; got 'later'.",
    ),
]

NOT_YAML = [
    ("", "1:1: The file is empty."),
    ("# nothing\n", "1:1: The file is empty."),
    ("- a\n- b\n", "1:1: The file must be a mapping (lines of 'key: value'); got a list."),
    ("just words", "1:1: The file must be a mapping (lines of 'key: value'); got 'just words'."),
    ("title: a\nstages:\n\t- chat: 1\n", "3:1: There is a tab here. YAML is indented with spaces"),
    ("title: a\ntitle: b\n", "2:1: The key 'title' was already used in line 1."),
    ("title: a: b\n", "1:9: There is a ': ' inside a value, or the indentation is off."),
    ("title: a\n  b: c\n", "2:4: There is a ': ' inside a value, or the indentation is off."),
    ("a:\n  b: 1\n c: 2\n", "3:2: The indentation is off: this line belongs to nothing above it."),
    ("title: [a\nb: c\n", "2:2: YAML: while parsing a flow sequence: expected ',' or ']'"),
    (
        "title: @home\n",
        "1:8: YAML: found character '@' that cannot start any token. Put the text in",
    ),
    ("title: *home\n", "1:8: YAML: found undefined alias 'home'. Put the text in quotes if no al"),
    ("title: a\n---\ntitle: b\n", "2:1: A second document starts here ('---')."),
    ("a: !!python/name:os.system x\n", "1:4: The tag '!!python/name:os.system' is not allowed."),
    ("a: &b [*b]\n", "1:4: An alias must not be inside what it names."),
    ("? [a]\n: 1\n", "1:3: A key must be text; got a list."),
    ("a: 1\nb: x\x01\n", "2:5: There is a control character here. Remove it."),
    ('a: "x\\ud800"\n', "1:4: This escape makes only half a character."),
    ('a: "x\\0"\n', "1:4: This escape makes a null character. Remove it."),
    ("a: " + "[" * 800, "1:1: Nested too deeply."),
]


def write(folder: Path, text: str) -> Path:
    """A study folder that holds this text."""
    folder.joinpath("study.yaml").write_text(text, encoding="utf-8")
    return folder


def lines(problems: list[Problem], folder: Path) -> list[str]:
    """The problems as they are printed, without the folder."""
    return [str(problem).removeprefix(f"{folder}/") for problem in problems]


def test_a_sound_study_has_no_problems(tmp_path: Path) -> None:
    assert check_study(write(tmp_path, SOUND)) == []


@pytest.mark.parametrize(("old", "new", "said"), BROKEN, ids=[said for _, _, said in BROKEN])
def test_a_mistake_is_named_with_its_place(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert SOUND.count(old) >= 1
    found = lines(check_study(write(tmp_path, SOUND.replace(old, new, 1))), tmp_path)
    assert any(line.startswith(f"study.yaml:{said}") for line in found), "\n".join(found)


@pytest.mark.parametrize(("text", "said"), NOT_YAML, ids=[said for _, said in NOT_YAML])
def test_what_is_not_plain_yaml_is_named_with_its_place(
    tmp_path: Path, text: str, said: str
) -> None:
    [line] = lines(check_study(write(tmp_path, text)), tmp_path)
    assert line.startswith(f"study.yaml:{said}")


def test_bytes_that_are_no_text_are_named_with_their_place(tmp_path: Path) -> None:
    tmp_path.joinpath("study.yaml").write_bytes(b"title: a\nname: \xff\n")
    assert lines(check_study(tmp_path), tmp_path) == ["study.yaml:2:7: Not UTF-8 text."]


def test_a_missing_file_is_a_problem_too(tmp_path: Path) -> None:
    [line] = lines(check_study(tmp_path), tmp_path)
    assert line == "study.yaml: Cannot be read: No such file or directory."


def test_an_alias_bomb_is_refused(tmp_path: Path) -> None:
    levels = [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)]
    text = "\n".join(["a0: &a0 [x]", *levels])
    [line] = lines(check_study(write(tmp_path, text)), tmp_path)
    assert line.endswith("Too many entries.")


def test_all_mistakes_are_found_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = SOUND.replace("minutes: 10", "minuts: 10").replace("lines: [Hi]", "lines: 3")
    text = text.replace("paired", "pared").replace("[friendly, terse]", "[frendly, terse]")
    text = text.replace("[preference]", "[prefrence]")
    assert lines(check_study(write(tmp_path, text)), tmp_path) == [
        "study.yaml:2:1: Unknown key 'minuts'. Near: 'minutes'.",
        "study.yaml:8:34: 'lines' takes a list; got 3.",
        "study.yaml:13:20: 'arrangement' takes 'system', 'paired' or 'people'; got 'pared'. "
        "Near: 'paired'.",
        "study.yaml:16:22: No system 'frendly' under 'systems'. Near: 'friendly'.",
        "study.yaml:18:18: No question 'prefrence' under 'questions'. Near: 'preference'.",
    ]


def test_stages_longer_than_the_whole_are_a_warning(tmp_path: Path) -> None:
    text = SOUND.replace("arrangement: paired", "arrangement: paired\n      minutes: 11")
    assert lines(check_study(write(tmp_path, text)), tmp_path) == [
        "study.yaml:2:10: warning: The stages take 11 minutes together, but 'minutes' says 10."
    ]


@pytest.mark.parametrize(
    ("votes", "said"),
    [
        (
            "1",
            [
                "study.yaml:19:16: warning: The board is final after 1 vote, but the conditions need "
                "20 pairs. Leave 'votes' out to have it wait for these."
            ],
        ),
        ("20", []),
    ],
)
def test_a_board_that_is_final_before_its_pairs_is_a_warning(
    tmp_path: Path, votes: str, said: list[str]
) -> None:
    text = f"{SOUND}board: {{votes: {votes}}}\n"
    assert lines(check_study(write(tmp_path, text)), tmp_path) == said


def test_a_board_of_conditions_without_a_number_may_end_anywhere(tmp_path: Path) -> None:
    text = SOUND.replace(", needed: 20", "") + "board: {votes: 7}\n"
    assert check_study(write(tmp_path, text)) == []


# A rule under `board`, another change of the sound file, and what is said about it.
STOPS = [
    ("stop: {within: 0.05, at_most: 20}", "", "'within' is in points, 1 to 49"),
    ("stop: {within: 50, at_most: 20}", "", "'within' is in points, 1 to 49"),
    ("stop: {until: end}", "", "'until' takes 'order' or 'leader'; got 'end'."),
    ("stop: {at_most: 20}, votes: 30", "", "The rule stops after 20 votes at most, but the board"),
    ("stop: {at_most: 20}, votes: 20", "", "warning: With a rule the board is final when that"),
    ("stop: {at_most: 30}", "", "warning: 'at_most' is 30, but the conditions need 20 pairs only"),
    ("stop: {within: 5}", "", "warning: The rule has no 'at_most'"),
    ("stop: {at_most: 20}", "lonely", "'stop' waits until votes are enough, but no stage asks"),
    ("stop: {at_most: 40}", "three", "Of 3 systems nothing is decided before 50 people have"),
    ("stop: {at_most: 20}", "advice", "A round of advice has no stopping rule yet"),
]


@pytest.mark.parametrize(("rule", "change", "said"), STOPS, ids=[said for *_, said in STOPS])
def test_a_stopping_rule_that_cannot_work_is_named(
    tmp_path: Path, rule: str, change: str, said: str
) -> None:
    text = SOUND.replace("minutes: 10", f"minutes: 10\nboard: {{{rule}}}")
    if change == "lonely":
        text = text.replace("kind: comparative, text: Which one?", "kind: text, text: Why?")
    if change == "three":
        quota = "        - {systems: [friendly, terse], needed: 20}\n"
        text = text.replace(quota, quota + quota.replace("terse", "third"))
        text = text.replace("questions:", "  third: {kind: scripted, lines: [Ho]}\nquestions:")
    if change == "advice":
        text = text.replace(
            "rate: {ask: [preference]}",
            "rate: {ask: [preference], data: d.jsonl, format: advice, situations: s.jsonl}",
        )
    found = lines(check_study(write(tmp_path, text)), tmp_path)
    assert any(said in line for line in found), "\n".join(found)


def test_a_sound_stopping_rule_is_in_order(tmp_path: Path) -> None:
    rule = "board: {stop: {until: leader, within: 10, at_most: 20}}"
    study = write(tmp_path, SOUND.replace("minutes: 10", f"minutes: 10\n{rule}"))
    assert check_study(study) == []
    terms = load_study(study).board.stop
    assert terms is not None
    assert terms.rule == StoppingRule(until="leader", within=0.1, at_most=20)


def test_what_is_unwise_is_a_warning(tmp_path: Path) -> None:
    text = SOUND.replace('consent: {version: "1", text: I agree.}\n', "")
    text = text.replace("pay: {amount: 1.5, currency: GBP}\n", "").replace("10}", "9}")
    text = text.replace("[friendly, terse]", "[terse, terse]").replace("[preference]", "[other]")
    text = text.replace("stages:", "  other: {kind: comparative, text: Which?}\nstages:")
    problems = check_study(write(tmp_path, text))
    assert all(problem.warning for problem in problems)
    assert lines(problems, tmp_path) == [
        "study.yaml:1:1: warning: No 'consent': people take part without being asked.",
        "study.yaml:1:1: warning: No 'pay': people are not told what they get.",
        "study.yaml:5:3: warning: System 'friendly' is in no condition.",
        "study.yaml:8:3: warning: Question 'preference' is asked in no stage.",
        "study.yaml:13:24: warning: With 9 messages the person speaks last and gets no reply. "
        "10 would let the system answer.",
    ]
    assert load_study(tmp_path).title == "Which is better?"


@pytest.mark.parametrize(
    ("name", "warned"), [("attention_1", True), ("Check-2", True), ("reads", False)]
)
def test_a_name_that_gives_an_attention_check_away_is_a_warning(
    tmp_path: Path, name: str, warned: bool
) -> None:
    (tmp_path / "data.jsonl").write_text('{"id": "d", "turns": [["user", "a"], ["system", "b"]]}')
    text = (
        'title: Judge\nminutes: 5\nconsent: {version: "1", text: I agree.}\n'
        "pay: {amount: 1, currency: GBP}\n"
        f"questions:\n  {name}: {{kind: likert, text: Choose 4., expected: 4}}\nstages:\n"
        f"  - rate: {{ask: [empathy], data: data.jsonl, attention: {{ask: [{name}]}}}}\n"
    )
    found = check_study(write(tmp_path, text))
    assert [problem.message for problem in found if problem.warning] == [
        f"The name '{name}' is in the source of the page and says what the question is for. "
        "Call it like the others."
    ] * warned


def test_a_study_needs_a_chat_before_its_questions(tmp_path: Path) -> None:
    head, _, _ = SOUND.partition("  - chat:")
    rate = "  - rate: {ask: [preference]}\n"
    found = lines(check_study(write(tmp_path, head + rate)), tmp_path)
    assert any("11:1: There is nothing to judge or to talk about." in line for line in found)
    early = SOUND.replace("stages:\n", "stages:\n" + rate, 1)
    found = lines(check_study(write(tmp_path, early)), tmp_path)
    assert found == ["study.yaml:12:5: A rate stage needs a chat before it, or 'data' to judge."]


WORDS = st.sampled_from(
    [
        "kind",
        "text",
        "systems",
        "people",
        "needed",
        "chat",
        "rate",
        "ask",
        "turns",
        "exactly",
        "by",
        "id",
        "a|b:2",
        "3 min",
        "pay",
    ]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=8)
JUNK = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(WORDS | st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
SOUND_DATA: dict[str, Any] = {
    "title": "A",
    "crowd": {"kind": "parameters", "participant": "p", "completion_url": "https://x/{code}"},
    "systems": {"a": {"kind": "scripted", "lines": ["x"]}},
    "questions": {"q": {"kind": "comparative", "text": "Which?"}},
    "stages": [
        {
            "chat": {
                "arrangement": "paired",
                "turns": {"exactly": 4},
                "scenarios": [{"id": "s", "seeds": [{"by": "person", "text": "Hi"}]}],
                "conditions": [{"systems": ["a", "a"], "needed": 1}],
                "limits": {"message": "3 min"},
            }
        },
        {"rate": {"ask": ["q"]}},
    ],
}


def places(data: Any) -> list[tuple[Any, ...]]:
    """The steps to every value inside `data`."""
    items = data.items() if isinstance(data, dict) else enumerate(data)
    inner = [(key, value) for key, value in items]
    deeper = [
        (key, *rest)
        for key, value in inner
        if isinstance(value, dict | list)
        for rest in places(value)
    ]
    return [(key,) for key, _ in inner] + deeper


def loading_problems(folder: Path) -> list[Problem]:
    """What loading complains about."""
    try:
        load_study(folder)
    except StudyError as error:
        return error.problems
    return []


def check_anything(folder: Path, content: bytes) -> None:
    """Check and load: problems and StudyError are all that may come of it."""
    folder.joinpath("study.yaml").write_bytes(content)
    problems = check_study(folder)
    assert all(isinstance(problem, Problem) and problem.line >= 1 for problem in problems)
    assert [p.line for p in problems] == sorted(p.line for p in problems)
    assert set(loading_problems(folder)) <= set(problems)


QUICK = settings(
    max_examples=60, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples of a property."""
    return tmp_path_factory.mktemp("junk")


@QUICK
@given(place=st.sampled_from(places(SOUND_DATA)), junk=JUNK, extra=st.none() | WORDS)
def test_junk_anywhere_in_a_study_leads_to_problems_only(
    folder: Path, place: tuple[Any, ...], junk: Any, extra: str | None
) -> None:
    data = json.loads(json.dumps(SOUND_DATA))
    owner = data
    for step in place[:-1]:
        owner = owner[step]
    owner[place[-1]] = junk
    if extra is not None and isinstance(owner, dict):
        owner[extra] = junk
    check_anything(folder, json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))


@QUICK
@given(junk=JUNK)
def test_junk_as_a_study_leads_to_problems_only(folder: Path, junk: Any) -> None:
    check_anything(folder, json.dumps(junk).encode())


@QUICK
@given(content=st.binary(max_size=60) | st.text("ab:-[]{}&*!|>'\"#\n\t ").map(str.encode))
def test_bytes_as_a_study_lead_to_problems_only(folder: Path, content: bytes) -> None:
    check_anything(folder, content)
