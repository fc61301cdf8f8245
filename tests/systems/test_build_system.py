"""From a mapping to a system, and what is said when the mapping is wrong."""

from typing import Any

import pytest
from pydantic import ValidationError

from palaver.core.errors import InputError, UnknownNameError
from palaver.systems.build import build_system, option_names, options_type, validate_options
from palaver.systems.connectors.scripted import Scripted, ScriptedOptions
from palaver.systems.guard import Guarded
from palaver.systems.options import describe_problem
from palaver.systems.registry import SYSTEMS


def test_builds_a_guarded_system(tmp_path: Any) -> None:
    options = {"kind": "scripted", "lines": ["a"], "timeout": 5}
    system = build_system("bot", options, folder=tmp_path)
    assert isinstance(system, Guarded)
    assert isinstance(system.system, Scripted)
    assert system.options.timeout == 5
    assert options["kind"] == "scripted"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "System 'bot' needs a 'kind'. Known: agent, checkpoint, command"),
        ({"kind": "scripted"}, "'bot' (scripted): The option 'lines' is missing: what it says"),
        ({"kind": "scripted", "lines": ["a"], "timeout": 0}, "'timeout': Input should be greater"),
        ({"kind": "scripted", "lines": ["a"], "timeout": 0}, "got 0."),
        ({"kind": "scripted", "lines": [" "]}, "Option 'lines.0'"),
        ({"kind": "scripted", "lines": ["a"], "retrys": 1}, "No option 'retrys'. Near: 'retries'"),
        ({"kind": "openai", "model": "m", "base_url": "x"}, "got 'x'"),
    ],
)
def test_what_is_wrong_is_said(options: dict[str, Any], message: str, tmp_path: Any) -> None:
    with pytest.raises(InputError) as error:
        build_system("bot", options, folder=tmp_path)
    assert message in str(error.value)


def test_an_unknown_kind_is_named_with_its_neighbours(tmp_path: Any) -> None:
    with pytest.raises(InputError, match=r"'bot': No kind of system 'opnai'\. Near: 'openai'"):
        build_system("bot", {"kind": "opnai"}, folder=tmp_path)
    with pytest.raises(UnknownNameError):
        options_type("opnai")


def test_validation_errors_can_be_had_for_line_numbers() -> None:
    with pytest.raises(ValidationError) as error:
        validate_options("scripted", {"kind": "scripted", "lines": ["a"], "tehn": "last"})
    problem = error.value.errors()[0]
    assert problem["loc"] == ("tehn",)
    assert describe_problem(option_names("scripted"), problem) == "No option 'tehn'. Near: 'then'."


def test_names() -> None:
    assert SYSTEMS.names() == sorted(
        [
            "scripted",
            "pattern",
            "retrieval",
            "openai",
            "http",
            "command",
            "python",
            "agent",
            "local_lm",
            "checkpoint",
            "unconfigured",
        ]
    )
    assert options_type("scripted") is ScriptedOptions
