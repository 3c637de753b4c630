"""Every example in the engine's part of the package runs and gives what it says; and it is typed."""

import doctest
import importlib
import os
import pathlib
import subprocess
import sys

import pytest

import agentnet

MODULES = ["agentnet", "agentnet._library", "agentnet.estimators", "agentnet.graph_set", "agentnet.runs", "agentnet.model"]


@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    result = doctest.testmod(importlib.import_module(module), verbose=False)
    assert result.failed == 0


def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    package = pathlib.Path(agentnet.__file__).parent
    command = [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.9", "--ignore-missing-imports"]
    command += ["--disable-error-code", "misc", "--no-error-summary", "--cache-dir", str(tmp_path / "cache"), "-p", "agentnet"]
    environment = {**os.environ, "MYPYPATH": str(package.parent)}
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stdout + result.stderr
