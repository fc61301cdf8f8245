"""Things are found by name, and a wrong name is answered with near ones."""

import pytest

from palaver.core.errors import UnknownNameError
from palaver.core.registry import Registry, near


def numbers() -> Registry[object]:
    targets = {"decimal": "decimal:Decimal", "fraction": "fractions:Fraction"}
    return Registry("number", "palaver.tests.numbers", targets, see=" See: palaver numbers.")


def test_a_builtin_is_imported_when_it_is_asked_for():
    from decimal import Decimal

    assert numbers().get("decimal") is Decimal


def test_a_wrong_name_is_answered_with_near_ones():
    with pytest.raises(UnknownNameError) as error:
        numbers().get("decimals")

    assert str(error.value) == "No number 'decimals'. Near: 'decimal'. See: palaver numbers."


def test_a_name_near_nothing_is_answered_with_all_of_them():
    with pytest.raises(UnknownNameError, match="Known: decimal, fraction"):
        numbers().get("zzz")


def test_what_a_module_registers_is_known_by_its_name():
    registry = numbers()
    registry.register("mine", complex)

    assert registry.get("mine") is complex
    assert registry.names() == ["decimal", "fraction", "mine"]


def test_nothing_near_is_an_empty_sentence():
    assert near("zzz", ["decimal"]) == ""
