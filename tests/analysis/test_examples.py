"""The examples in the docstrings of the statistics are true."""

import doctest
import pkgutil
from importlib import import_module

import pytest

from palaver import analysis

MODULES = [module.name for module in pkgutil.iter_modules(analysis.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(import_module(f"palaver.analysis.{name}")).failed == 0
