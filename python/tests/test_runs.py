"""Runs, cross-validations and comparisons with their folders."""

import numpy as np
import pytest

import agentnet
from agentnet import GraphSet, Run

SOURCE = "synthetic:4cycles?graphs=40&seed=1"
SETTINGS = {"model.hidden": 4, "model.agents": 2, "model.steps": 2, "train.epochs": 2, "train.batch": 8}


def test_a_run_can_be_taken_up_again(tmp_path):
    seen = []

    def stop_soon(event):
        seen.append(event)
        return event["event"] == "epoch" and event["epoch"] == 2

    settings = {**SETTINGS, "train.epochs": 4, "train.seed": 3}
    with pytest.warns(UserWarning, match="interrupted; .*resume"):
        run = agentnet.train(SOURCE, tmp_path / "run", settings=settings, progress=stop_soon)
    assert run.summary["ending"] == "interrupted" and len(run.history) == 2
    assert Run(tmp_path / "run").resume().summary["ending"] == "finished"
    whole = agentnet.train(SOURCE, tmp_path / "whole", settings=settings)
    assert whole.model().to_bytes() == Run(tmp_path / "run").model().to_bytes()
    assert {event["event"] for event in seen} >= {"epoch"}


def test_a_folder_is_not_overwritten(tmp_path):
    agentnet.train(SOURCE, tmp_path / "run", settings=SETTINGS)
    with pytest.raises(agentnet.UsageError):
        agentnet.train(SOURCE, tmp_path / "run", settings=SETTINGS)
    agentnet.train(SOURCE, tmp_path / "run", settings=SETTINGS, force=True)
    with pytest.raises(agentnet.AgentNetError):
        Run(tmp_path).resume()


def test_a_run_over_own_graphs(rings, tmp_path):
    X, y = rings
    run = agentnet.train(X, tmp_path / "run", y, settings=SETTINGS)
    assert set(run.summary["parts"]) == {"valid", "test"}
    model = run.model()
    assert model.labels == ["blue", "red"]
    assert model.predict(X).mean.shape == (len(X), 2)
    assert run.resume(GraphSet(X), y).summary["ending"] == "finished"


@pytest.mark.parametrize("protocol", ["fair", "gin", "agentnet"])
def test_cross_validation_by_each_protocol(protocol):
    result = agentnet.cross_validate(SOURCE, protocol=protocol, folds=2, settings=SETTINGS)
    text = str(result)
    assert protocol in text and "accuracy" in text
    assert result == agentnet.cross_validate(GraphSet(SOURCE), protocol=protocol, folds=2, settings=SETTINGS)


def test_cross_validation_with_all_protocols_in_a_folder(tmp_path):
    result = agentnet.cross_validate(SOURCE, protocol="all", folds=2, settings=SETTINGS, folder=tmp_path / "cv")
    assert (tmp_path / "cv" / "results.json").exists()
    assert agentnet.cross_validate(None, folder=tmp_path / "cv") == result


def test_comparison(rings):
    X, y = rings
    result = agentnet.compare(X, y, models=["agentnet", "gin"], folds=2, budget=30, settings={"train.epochs": 1})
    assert {"agentnet", "gin"} <= {row["name"] for row in result["rows"]} if "rows" in result else "gin" in str(result)


def test_numbers_are_regressed(rings):
    X, _ = rings
    sizes = np.array([x.sum() + 0.5 for _, x in X], float)
    result = agentnet.cross_validate(X, sizes, folds=2, settings=SETTINGS)
    assert "mae" in str(result)


def test_what_there_is_to_choose_from():
    described = agentnet.describe()
    assert {"kinds", "train", "data", "presets", "version", "viewer"} <= set(described)
    assert agentnet.__version__ == described["version"]
    assert "gin" in agentnet.kinds()
    hidden = next(o for o in described["kinds"][0]["options"] if o["name"] == "hidden")
    assert hidden["help"] and hidden["range"]


def test_settings_that_there_are_not():
    with pytest.raises(agentnet.UsageError, match="epochs"):
        agentnet.cross_validate(SOURCE, settings={"train.epoch": 3})
    with pytest.raises(agentnet.UsageError):
        agentnet.cross_validate(SOURCE, protocol="fiar")


def test_a_search_for_settings(tmp_path):
    settings = {"train.epochs": 2, "train.batch": 8, "model.agents": 2, "model.steps": 2}
    result = agentnet.tune(SOURCE, trials=2, budget=0, settings=settings, folder=tmp_path / "tune", n_jobs=1)
    assert agentnet.Run(tmp_path / "tune" / "best").model().task == "classification"
    assert agentnet.tune(None, folder=tmp_path / "tune") == result
    with pytest.raises(agentnet.UsageError):
        agentnet.tune(SOURCE, space="smal")
