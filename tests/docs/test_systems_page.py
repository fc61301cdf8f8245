"""Every kind of system and every option is in docs/systems.md with its default."""

import pytest
from pydantic_core import PydanticUndefined

from palaver.systems.connectors.http import PLACEHOLDERS
from palaver.systems.options import CallOptions
from palaver.systems.registry import SYSTEMS

from .defaults import says
from .reading import page, rows, section

PAGE = page("systems.md")


@pytest.mark.parametrize("kind", SYSTEMS.names())
def test_the_options_of_a_kind(kind: str) -> None:
    described = rows(section(PAGE, kind))
    fields = SYSTEMS.get(kind).options_type.model_fields
    own = {
        field.alias or name: field
        for name, field in fields.items()
        if name not in CallOptions.model_fields
    }
    assert set(described) == set(own)
    for name, field in own.items():
        cell = described[name][2]
        if field.is_required():
            assert cell == "required", name
        elif field.default not in (PydanticUndefined, None, {}, []):
            assert says(cell, field.default), f"{name}: '{cell}' is not {field.default!r}"


def test_the_options_that_all_take() -> None:
    described = rows(section(PAGE, "What every kind takes"))
    assert set(described) == set(CallOptions.model_fields)
    for name, field in CallOptions.model_fields.items():
        assert says(described[name][2], field.default), name


@pytest.mark.parametrize("kind", SYSTEMS.names())
def test_other_defaults_of_a_kind_are_told(kind: str) -> None:
    text = section(PAGE, kind)
    for name, usual in CallOptions.model_fields.items():
        own = SYSTEMS.get(kind).options_type.model_fields[name]
        if own.default != usual.default:
            assert f"`{name}`" in text
            assert f"{own.default:g}" in text


def test_every_placeholder_of_http() -> None:
    for name in PLACEHOLDERS:
        assert f"`{{{{{name}}}}}`" in section(PAGE, "http")
