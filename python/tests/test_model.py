"""Models: files, questions, explanations, the page."""

import copy
import threading

import numpy as np
import pytest

import agentnet
from agentnet import AgentNetClassifier, GraphSet, Model


def test_a_file_and_back(fitted, graphs, tmp_path):
    fitted.save(tmp_path / "model.safetensors")
    loaded = AgentNetClassifier.load(tmp_path / "model.safetensors", n_jobs=1)
    assert list(loaded.classes_) == list(fitted.classes_)
    assert np.array_equal(loaded.predict_proba(graphs), fitted.predict_proba(graphs))
    assert loaded.model_.to_bytes() == (tmp_path / "model.safetensors").read_bytes()
    assert agentnet.load(tmp_path / "model.safetensors").task == "classification"


def test_weights_by_name(fitted):
    tensors = fitted.model_.tensors()
    assert tensors["agents.weight"].shape == (3, 8)
    assert sum(t.size for t in tensors.values()) == fitted.model_.parameters.size
    with pytest.raises(ValueError):
        fitted.model_.parameters[0] = 1


def test_explanations_are_arrays(fitted, graphs):
    one, other = fitted.explain(graphs[[4, 2]], rollouts=8, leave_one_out=100)
    assert one["graph"] == 4 and other["graph"] == 2
    nodes = graphs[4].num_nodes
    assert one.nodes.tolist() == list(range(nodes))
    assert one.visits.shape == one.touched.shape == one.influence.shape == one.leave_one_out.shape == (nodes,)
    assert np.isclose(one.visits.sum(), 3 * 4), "three agents make four visits each"
    assert one.edges.shape == (len(one.crossings), 2)
    assert one.prediction in fitted.classes_
    about = fitted.explain(graphs[:1], output="4-cycle", rollouts=2)[0]
    assert about["explained_output"] == "4-cycle"
    with pytest.raises(ValueError, match="no output"):
        fitted.explain(graphs[:1], output="5-cycle")


def test_explanations_can_be_drawn(fitted, graphs):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = fitted.explain(graphs[:1], rollouts=2)[0].plot("influence")
    assert axes is not None


def test_walks_are_walks(fitted, graphs):
    walks = fitted.walks(graphs)
    assert walks.shape == (len(graphs), 3, 4)
    for graph, agents in zip(graphs, walks):
        edges = set(map(tuple, graph.edge_index.T.astype(int).tolist()))
        for path in agents:
            assert all(u == v or (u, v) in edges for u, v in zip(path[:-1], path[1:]))
    assert np.array_equal(fitted.walks(graphs[5:]), walks[5:])
    assert not np.array_equal(fitted.walks(graphs, rollout=1), walks)


def test_functions_take_models_estimators_and_paths(fitted, graphs, tmp_path):
    fitted.save(tmp_path / "model.safetensors")
    expected = fitted.model_.predict(graphs).mean  # in the order of the model's labels
    assert np.array_equal(fitted.predict_proba(graphs), expected[:, [fitted.model_.labels.index(c) for c in fitted.classes_]])
    for model in (fitted, fitted.model_, tmp_path / "model.safetensors"):
        assert np.array_equal(agentnet.predict(model, graphs).mean, expected)
    assert len(agentnet.explain(fitted, graphs[:1], rollouts=2)) == 1
    assert agentnet.walks(fitted, graphs[:1]).shape[0] == 1
    with pytest.raises(TypeError, match="no model"):
        agentnet.predict(3, graphs)


def test_a_path_is_read_as_the_training_data_was(tmp_path):
    lines = ["smiles,active"] + [f"{'C' * (1 + i % 5)}O,{i % 2}" for i in range(30)]
    path = tmp_path / "molecules.csv"
    path.write_text("\n".join(lines) + "\n")
    try:
        graphs = GraphSet(path, targets=None)
    except agentnet.AgentNetError as error:
        pytest.skip(str(error))
    model = AgentNetClassifier(8, 3, 3, epochs=1, random_state=0).fit(graphs)
    assert np.array_equal(model.predict(path), model.predict(graphs))
    strings = ["CO", "CCO", "CCCO"]
    assert np.allclose(model.predict_proba(strings), model.predict_proba(graphs[:3]))


def test_the_page_of_a_notebook(fitted, graphs, tmp_path):
    if not agentnet.describe()["viewer"]:
        with pytest.raises(agentnet.EngineError, match="AGENTNET_WEB"):
            agentnet.view(fitted, graphs)
        return
    shown = agentnet.view(fitted, graphs[:5], title="Five graphs", walks=2)
    assert "<html" in shown.page.lower() and "Five graphs" in shown.page
    frame = shown._repr_html_()
    assert frame.startswith("<iframe srcdoc=") and "<script" not in frame
    shown.save(tmp_path / "page.html")
    with pytest.raises(FileExistsError):
        shown.save(tmp_path / "page.html")


def test_many_threads_ask_one_model(fitted):
    graphs = GraphSet("synthetic:4cycles?graphs=200&seed=2")
    expected = fitted.predict_proba(graphs)
    answers = [None] * 4

    def ask(i):
        answers[i] = fitted.predict_proba(graphs)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(answer, expected) for answer in answers)


def test_a_deep_copy_is_the_model(fitted):
    assert copy.deepcopy(fitted).model_ is fitted.model_
    assert repr(fitted.model_).startswith("<Model: AgentNet with 3 agents")


def test_embeddings(fitted, graphs):
    rows = fitted.model_.embed(graphs, rollouts=3)
    assert rows.shape == (len(graphs), 32)
    assert np.array_equal(fitted.model_.embed(graphs[7:], rollouts=3), rows[7:])
    with pytest.raises(ValueError):
        fitted.model_.embed(graphs, rollouts=0)


def test_models_of_bytes_are_models_of_files(fitted):
    assert Model.from_bytes(fitted.model_.to_bytes()).to_bytes() == fitted.model_.to_bytes()


def test_computed_columns_are_computed_again(rings):
    X, y = rings
    model = AgentNetClassifier(8, 3, 3, epochs=1, random_state=0).fit(GraphSet(X, degree=True), y)
    assert model.model_.info["schema"]["nodes"]["categories"][-1]["name"] == "degree"
    assert np.array_equal(model.predict_proba(X), model.predict_proba(GraphSet(X, degree=True)))


def test_molecules_bring_a_degree_of_their_own():
    Chem = pytest.importorskip("rdkit.Chem")
    molecules = [Chem.MolFromSmiles("C" * (1 + i % 5) + "O") for i in range(24)]
    model = AgentNetClassifier(8, 3, 3, epochs=1, random_state=0).fit(molecules, np.arange(24) % 2)
    assert model.predict(molecules[:3]).shape == (3,)
