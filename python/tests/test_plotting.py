"""Pictures of explanations show the numbers that they are given."""

import copy
import re

import numpy as np
import pytest

from agentnet import plotting

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

VISITS = [5.0, 9.0, 2.0]
INFLUENCE = [0.5, -1.0, 0.0]

# Ethanol's atoms, as `agentnet explain` writes such a graph.
ETHANOL = {
    "id": "ethanol",
    "prediction": "yes",
    "explained_output": "yes",
    "num_nodes": 3,
    "num_edges": 4,
    "directed": False,
    "nodes": [
        {"node": i, "label": label, "visits": v, "touched": 1.0, "gradient_times_input": g}
        for i, (label, v, g) in enumerate(zip("CCO", VISITS, INFLUENCE))
    ],
    "edges": [
        {"from": 0, "to": 1, "crossings": 3.0, "gradient_times_input": 0.25},
        {"from": 1, "to": 2, "crossings": 1.0, "gradient_times_input": -0.5},
    ],
}


@pytest.fixture(autouse=True)
def no_figures_left():
    from matplotlib import pyplot

    yield
    pyplot.close("all")


def dots_of(ax):
    return next(c for c in ax.collections if c.get_array() is not None)


def test_the_colours_are_the_values():
    ax = plotting.plot_explanation(ETHANOL)
    dots = dots_of(ax)
    assert dots.get_array().tolist() == VISITS
    assert dots.get_clim() == (0, 9)
    assert ax.get_title() == "ethanol: yes\nvisits"
    assert [text.get_text() for text in ax.texts if text.get_text()] == ["C", "C", "O"]
    assert len(dots.get_offsets()) == 3


def test_signed_values_have_a_scale_around_zero():
    dots = dots_of(plotting.plot_explanation(ETHANOL, "influence"))
    assert dots.get_clim() == (-1, 1)
    face = dots.cmap(dots.norm(-1.0))
    assert face[2] > face[0], "what speaks against it is blue"
    assert dots.cmap(dots.norm(1.0))[0] > dots.cmap(dots.norm(1.0))[2], "what speaks for it is orange"


def test_several_quantities_are_panels():
    axes = plotting.plot_explanation(ETHANOL, ["visits", "influence"])
    assert [dots_of(ax).get_array().tolist() for ax in axes] == [VISITS, INFLUENCE]
    assert "influence on yes" in axes[1].get_title()
    with pytest.raises(ValueError, match="2 quantities, but 1 axes"):
        plotting.plot_explanation(ETHANOL, ["visits", "influence"], ax=axes[0])


def test_plot_without_a_molecule_is_a_graph():
    assert dots_of(plotting.plot(ETHANOL, "visits", molecule=None)).get_array().tolist() == VISITS


def test_it_draws_where_it_is_told():
    from matplotlib import pyplot

    figure, ax = pyplot.subplots()
    assert plotting.plot_explanation(ETHANOL, ax=ax, scale=False) is ax
    assert len(figure.axes) == 1


def test_wrong_names_and_what_was_not_measured():
    with pytest.raises(ValueError, match="colour is 'importance'; it may be visits, touched, influence, leave_one_out"):
        plotting.plot_explanation(ETHANOL, "importance")
    with pytest.raises(ValueError, match="no leave_one_out of nodes; explain with leave_one_out"):
        plotting.plot_explanation(ETHANOL, "leave-one-out")
    from matplotlib import pyplot

    assert not pyplot.get_fignums(), "no empty figure is left behind"


def test_large_graphs_are_drawn_in_part():
    count = 320
    ring = {
        "graph": 0,
        "num_nodes": count,
        "nodes": [{"node": 10 + i, "visits": float(i), "touched": 1.0} for i in range(count)],
        "edges": [{"from": 10 + i, "to": 10 + (i + 1) % count, "crossings": 0.0} for i in range(count)],
    }
    ax = plotting.plot_explanation(ring)
    assert dots_of(ax).get_array().min() == 20, "the most visited nodes"
    assert "300 of 320 nodes" in ax.get_title()


def test_nodes_of_a_ring_are_placed_around_it():
    ring = np.array([[i, (i + 1) % 6] for i in range(6)])
    places = plotting.place_nodes(6, ring)
    sides = np.linalg.norm(places[ring[:, 0]] - places[ring[:, 1]], axis=1)
    assert np.allclose(sides, sides[0], rtol=1e-3)
    assert np.array_equal(places, plotting.place_nodes(6, ring))
    two_parts = plotting.place_nodes(4, np.array([[0, 1], [2, 3]]))
    assert np.isfinite(two_parts).all()
    assert plotting.place_nodes(1, np.zeros((0, 2), int)).tolist() == [[0, 0]]


def test_molecules(tmp_path):
    pytest.importorskip("rdkit")
    picture = plotting.draw_molecule(ETHANOL, "CCO")
    assert picture.lstrip().startswith("<?xml") and picture._repr_svg_() == picture
    colours = [tuple(round(255 * part) for part in plotting.colour_at(v, 1.0, True)) for v in (0.5, -1.0)]
    fills = {code.upper() for code in re.findall(r"#[0-9A-Fa-f]{6}", picture)}
    for colour in colours:
        near = [f for f in fills if all(abs(int(f[i : i + 2], 16) - c) <= 1 for i, c in zip((1, 3, 5), colour))]
        assert near, (colour, fills)
    assert plotting.plot(ETHANOL, "influence", molecule="CCO") == picture
    with pytest.raises(ValueError, match="one quantity"):
        plotting.plot(ETHANOL, ["visits", "influence"], molecule="CCO")
    picture.save(tmp_path / "ethanol.svg")
    assert (tmp_path / "ethanol.svg").read_text() == picture
    with pytest.raises(ValueError, match="has 1 atoms, the explanation is about 3 nodes"):
        plotting.draw_molecule(ETHANOL, "C")
    with pytest.raises(ValueError, match="'C1CC' is no molecule"):
        plotting.draw_molecule(ETHANOL, "C1CC")
    other = copy.deepcopy(ETHANOL)
    other["edges"][1]["from"] = 0
    with pytest.raises(ValueError, match="no bond from atom 0 to atom 2"):
        plotting.draw_molecule(other, "CCO")
