"""The package is typed: mypy has nothing to say, and a user's mistakes are found."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import agentnet.graphs

pytest.importorskip("mypy")
PACKAGE = pathlib.Path(agentnet.graphs.__file__).parents[1]
OPTIONS = ["--strict", "--python-version", "3.9", "--ignore-missing-imports", "--no-error-summary"]


def mypy(*arguments, cwd):
    command = [sys.executable, "-m", "mypy", *OPTIONS, "--cache-dir", str(cwd / ".mypy_cache"), *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(cwd)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A copy: mypy refuses to check what is in a folder of installed packages."""
    copy = tmp_path_factory.mktemp("types")
    shutil.copytree(PACKAGE, copy / "agentnet", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    return copy


def test_the_package(folder):
    assert (PACKAGE / "py.typed").exists()
    # scikit-learn has no types: estimators are subclasses of what mypy does not know.
    result = mypy("-p", "agentnet", "--disable-error-code", "misc", cwd=folder)
    assert result.returncode == 0, result.stdout + result.stderr


def test_mistakes_of_users_are_found(folder):
    (folder / "user.py").write_text(
        "from agentnet.graphs import to_arrays\n"
        "arrays = to_arrays([])\n"
        "arrays.node_densities\n"
        "to_arrays([], directed='no')\n"
    )
    result = mypy("user.py", cwd=folder)
    assert '"GraphArrays" has no attribute "node_densities"' in result.stdout
    assert 'incompatible type "str"; expected "Optional[bool]"' in result.stdout
