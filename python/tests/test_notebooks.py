"""The notebooks of examples/python run from top to bottom."""

import os
import pathlib

import pytest

nbformat = pytest.importorskip("nbformat")
execute = pytest.importorskip("nbconvert.preprocessors")
pytest.importorskip("ipykernel")
agentnet = pytest.importorskip("agentnet")

if not hasattr(agentnet, "GraphSet"):
    pytest.skip("the engine is not there, agentnet.graphs alone is", allow_module_level=True)

FOLDER = pathlib.Path(__file__).parents[2] / "examples" / "python"
NEEDS = {"own_graphs": ["networkx", "sklearn", "matplotlib"], "molecules": ["pandas", "rdkit", "sklearn", "matplotlib"]}


def reads_smiles():
    try:
        return len(agentnet.GraphSet(["C"])) == 1
    except ValueError as error:
        if "rdkit" not in str(error).lower():
            raise
        return False


@pytest.mark.parametrize("name", sorted(NEEDS))
def test_notebook(name, monkeypatch):
    if not FOLDER.exists():
        pytest.skip("the notebooks are not beside the tests")
    for module in NEEDS[name]:
        pytest.importorskip(module)
    if name == "molecules" and not reads_smiles():
        pytest.skip("the engine was built without RDKit")
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    paths = [str(pathlib.Path(agentnet.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(p for p in paths if p))
    notebook = nbformat.read(str(FOLDER / f"{name}.ipynb"), 4)
    execute.ExecutePreprocessor(timeout=600, kernel_name="python3").preprocess(
        notebook, {"metadata": {"path": str(FOLDER)}}
    )
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            assert output.get("name") != "stderr", output.get("text")


def test_every_notebook_is_tried():
    if not FOLDER.exists():
        pytest.skip("the notebooks are not beside the tests")
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == sorted(NEEDS)
