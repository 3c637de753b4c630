"""Every example in the package and in docs/python.md runs and gives what it says."""

import doctest
import importlib
import pathlib
import pkgutil

import pytest

import agentnet.graphs

pytest.importorskip("networkx")
GUIDE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
MODULES = [m.name for m in pkgutil.iter_modules(agentnet.graphs.__path__, "agentnet.graphs.")] + ["agentnet.plotting"]


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_the_package(module):
    result = doctest.testmod(importlib.import_module(module), verbose=False)
    assert result.failed == 0


def test_examples_of_the_guide():
    if not GUIDE.exists():
        pytest.skip("docs/python.md is not beside the tests")
    result = doctest.testfile(str(GUIDE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 15
    assert result.failed == 0
