"""Every example in the engine's part of the package runs and gives what it says."""

import doctest
import importlib

import pytest

MODULES = ["agentnet", "agentnet._library", "agentnet.estimators", "agentnet.graph_set", "agentnet.runs", "agentnet.model"]


@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    result = doctest.testmod(importlib.import_module(module), verbose=False)
    assert result.failed == 0
