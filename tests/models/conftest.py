"""Tests of models share a machine with others: one thread each, which is also what makes them equal."""

import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    torch.set_num_threads(1)
