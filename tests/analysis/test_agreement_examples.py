"""The examples in the docstrings of agreement are true."""

import doctest
import pkgutil
from importlib import import_module

import pytest

from palaver.analysis import agreement

MODULES = [module.name for module in pkgutil.iter_modules(agreement.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = import_module(f"palaver.analysis.agreement.{name}")

    assert doctest.testmod(module).failed == 0
