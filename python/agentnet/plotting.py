"""Pictures of explanations: with matplotlib, and with RDKit for molecules. Neither is imported before it is needed.

An explanation is what ``agentnet explain`` writes per graph (docs/explain.md): a mapping with ``nodes`` and ``edges``.

>>> path = {
...     "nodes": [{"node": i, "visits": v, "gradient_times_input": g}
...               for i, (v, g) in enumerate([(4.0, 0.5), (9.0, -1.0), (4.0, 0.0)])],
...     "edges": [{"from": 0, "to": 1, "crossings": 3.0}, {"from": 1, "to": 2, "crossings": 1.0}],
...     "directed": False,
... }
>>> values_of(path, "influence").tolist()
[0.5, -1.0, 0.0]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: What a colour can stand for: the key of a node in the explanation, and whether it is signed.
QUANTITIES: Dict[str, Tuple[str, bool]] = {
    "visits": ("visits", False),
    "touched": ("touched", False),
    "influence": ("gradient_times_input", True),
    "leave_one_out": ("leave_one_out", True),
}

# The scales of the program's own pictures: amounts grow darker, signed values go from blue to orange.
AMOUNT = ["#f7f8f6", "#cde5de", "#92cbbe", "#4eab9e", "#188a82"]
SIGNED = ["#3176b8", "#79acd6", "#bed6ea", "#f7f6f3", "#fcd3a3", "#f7a657", "#e87314"]

MOST_NODES = 300  # of larger graphs, the most visited nodes are drawn


def quantity_of(colour: str) -> Tuple[str, bool]:
    """The key that a colour stands for, and whether it is signed; "leave-one-out" may have hyphens, too."""
    found = QUANTITIES.get(colour.replace("-", "_"))
    if found is None:
        raise ValueError(f"colour is {colour!r}; it may be {', '.join(QUANTITIES)}")
    return found


def values_of(explanation: Mapping[str, Any], colour: str, owner: str = "nodes") -> NDArray[np.float64]:
    """A value per node (or edge) as listed; ValueError if it was not measured."""
    key, _ = quantity_of(colour)
    if owner == "edges" and key in ("visits", "touched"):
        key = "crossings"
    rows = explanation[owner]
    if any(key not in row for row in rows):
        hint = "; explain with leave_one_out for graphs of this size" if key == "leave_one_out" else ""
        raise ValueError(f"the explanation has no {key} of {owner}{hint}")
    return np.array([float("nan") if row[key] is None else row[key] for row in rows], np.float64)


def largest(values: NDArray[np.float64], signed: bool) -> float:
    """The end of the scale, never 0."""
    finite = np.abs(values[np.isfinite(values)]) if signed else values[np.isfinite(values)]
    top = float(finite.max()) if finite.size else 0.0
    return top if top > 0 else 1.0


def distances(nodes: int, edges: NDArray[np.int64]) -> NDArray[np.float64]:
    """Steps between all pairs of nodes, whichever way edges go; between parts, a little more than across them."""
    result = np.full((nodes, nodes), np.inf)
    neighbours: List[List[int]] = [[] for _ in range(nodes)]
    for u, v in edges:
        neighbours[u].append(int(v))
        neighbours[v].append(int(u))
    for start in range(nodes):
        result[start, start] = 0
        front = [start]
        steps = 0
        while front:
            steps += 1
            following = []
            for u in front:
                for v in neighbours[u]:
                    if not np.isfinite(result[start, v]):
                        result[start, v] = steps
                        following.append(v)
            front = following
    reached = np.isfinite(result)
    result[~reached] = result[reached].max() + 1
    return result


def place_nodes(nodes: int, edges: NDArray[np.int64], rounds: int = 100) -> NDArray[np.float64]:
    """[nodes, 2] places whose distances are those in steps, as far as the plane allows (stress majorisation).

    Deterministic: the start is a circle. With the weights w_ij = 1 / d_ij^2, each round is the Guttman transform
    X <- V^+ B(X) X, where V = diag(w 1) - w and B(X) is the same of w_ij d_ij / |x_i - x_j|.

    >>> places = place_nodes(3, np.array([[0, 1], [1, 2]]))
    >>> bool(abs(np.linalg.norm(places[0] - places[2]) - 2) < 0.1)
    True
    """
    if nodes == 1:
        return np.zeros((1, 2))
    d = distances(nodes, edges)
    angle = 2 * np.pi * np.arange(nodes) / nodes
    x = np.stack([np.cos(angle), np.sin(angle)], axis=1) * d.max() / 2
    w = np.where(d > 0, 1 / np.maximum(d, 1) ** 2, 0)  # [nodes, nodes]
    inverse = np.linalg.pinv(np.diag(w.sum(axis=1)) - w)
    for _ in range(rounds):
        length = np.linalg.norm(x[:, None, :] - x[None, :, :], axis=2)  # [nodes, nodes]
        pull = w * d / np.maximum(length, 1e-9)
        x = inverse @ (pull.sum(axis=1, keepdims=True) * x - pull @ x)
    places: NDArray[np.float64] = x - x.mean(axis=0)
    return places


def listed_edges(explanation: Mapping[str, Any], kept: Sequence[int]) -> Tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[e, 2] ends as places in `kept`, and which edges of the list they are: those between kept nodes."""
    place = {explanation["nodes"][i]["node"]: k for k, i in enumerate(kept)}
    ends, numbers = [], []
    for number, edge in enumerate(explanation["edges"]):
        if edge["from"] in place and edge["to"] in place:
            ends.append((place[edge["from"]], place[edge["to"]]))
            numbers.append(number)
    return np.array(ends, np.int64).reshape(-1, 2), np.array(numbers, np.int64)


def title_of(explanation: Mapping[str, Any], colour: str, drawn: int) -> str:
    """What is seen, and of which graph."""
    name = explanation.get("id") or explanation.get("graph", "")
    about = ""
    if "prediction" in explanation:
        about = f": {explanation['prediction']}"
    key, signed = quantity_of(colour)
    text = f"{name}{about}\n{colour.replace('_', '-')}"
    if signed and explanation.get("explained_output") is not None:
        text += f" on {explanation['explained_output']}"
    whole = explanation.get("num_nodes", drawn)
    return text + (f"\n{drawn} of {whole} nodes" if drawn < whole else "")


def scale_of(signed: bool) -> Any:
    """A matplotlib colour map."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("signed" if signed else "amount", SIGNED if signed else AMOUNT)


def draw_panel(explanation: Mapping[str, Any], colour: str, ax: Any, labels: bool, scale: bool) -> None:
    """One quantity of one graph."""
    key, signed = quantity_of(colour)
    all_values = values_of(explanation, colour)
    visits = values_of(explanation, "visits") if len(all_values) > MOST_NODES else all_values
    kept = np.sort(np.argsort(-visits, kind="stable")[:MOST_NODES])
    values = all_values[kept]
    ends, numbers = listed_edges(explanation, kept.tolist())
    places = place_nodes(len(kept), ends)
    top = largest(values, signed)
    crossings = np.array([explanation["edges"][e].get("crossings") or 0.0 for e in numbers], np.float64)
    widths = 0.8 + 3.2 * crossings / largest(crossings, False)
    for (u, v), width in zip(ends, widths):
        arrow = bool(explanation.get("directed"))
        style = {"arrowstyle": "-|>" if arrow else "-", "lw": width, "color": "#8b9099", "shrinkA": 8, "shrinkB": 8}
        if u != v:
            ax.annotate("", xy=places[v], xytext=places[u], arrowprops=style, zorder=1)
    marked = [bool(explanation["nodes"][i].get("mark")) for i in kept]
    dots = ax.scatter(
        *places.T,
        c=values,
        cmap=scale_of(signed),
        vmin=-top if signed else 0,
        vmax=top,
        s=160 if len(kept) < 60 else 40,
        edgecolors=["#b3261e" if m else "#4a4f57" for m in marked],
        linewidths=[2.0 if m else 0.8 for m in marked],
        zorder=2,
    )
    if labels and len(kept) < 60:
        for k, i in enumerate(kept):
            node = explanation["nodes"][i]
            ax.text(*places[k], str(node.get("label", node["node"])), ha="center", va="center", fontsize=7, zorder=3)
    ax.set_title(title_of(explanation, colour, len(kept)), fontsize=9)
    ax.set_aspect("equal")
    ax.margins(0.12)
    ax.axis("off")
    if scale:
        ax.figure.colorbar(dots, ax=ax, shrink=0.6, label=key)


def plot_explanation(
    explanation: Mapping[str, Any],
    colour: Union[str, Sequence[str]] = "visits",
    ax: Any = None,
    labels: bool = True,
    scale: bool = True,
) -> Any:
    """A graph with its nodes in the colours of a quantity; returns the matplotlib Axes, or a list of them.

    Parameters
    ----------
    explanation : one graph's explanation, as a mapping.
    colour : "visits", "touched", "influence" or "leave_one_out"; several are panels side by side.
    ax : where to draw; a list for several quantities. Without it a new figure is made.
    labels : names or numbers on nodes, of graphs with fewer than 60.
    scale : a colour bar.

    Edges are thicker where agents move along them; nodes that the data marks have a red rim. Of graphs with more than
    300 nodes the most visited are drawn, and the title says so.
    """
    colours = [colour] if isinstance(colour, str) else list(colour)
    for name in colours:  # before a figure is made
        values_of(explanation, name)
    if ax is None:
        from matplotlib import pyplot

        _, made = pyplot.subplots(1, len(colours), figsize=(4.6 * len(colours), 4.2), squeeze=False)
        axes = list(made[0])
    else:
        axes = list(np.ravel(ax))
    if len(axes) != len(colours):
        raise ValueError(f"{len(colours)} quantities, but {len(axes)} axes to draw them on")
    for name, panel in zip(colours, axes):
        draw_panel(explanation, name, panel, labels, scale)
    return axes[0] if isinstance(colour, str) else axes


def plot(explanation: Mapping[str, Any], colour: Union[str, Sequence[str]] = "visits", **options: Any) -> Any:
    """plot_explanation(), or draw_molecule() if a ``molecule`` is given."""
    if options.get("molecule") is None:
        options.pop("molecule", None)
        return plot_explanation(explanation, colour, **options)
    if not isinstance(colour, str):
        raise ValueError("a molecule is drawn in the colours of one quantity")
    return draw_molecule(explanation, options.pop("molecule"), colour, **options)


class Picture(str):
    """An SVG picture: a string that a notebook shows as what it means."""

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<Picture: SVG, {len(self)} characters; a notebook shows it>"

    def save(self, path: Any) -> None:
        """Writes the picture to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self)


def colour_at(value: float, top: float, signed: bool) -> Tuple[float, float, float]:
    """Red, green, blue from 0 to 1: linear between the colours of the scale.

    >>> [round(part, 2) for part in colour_at(1.0, 1.0, True)]
    [0.91, 0.45, 0.08]
    """
    stops = SIGNED if signed else AMOUNT
    share = 0.0 if not np.isfinite(value) else value / top
    at = min(max((share + 1) / 2 if signed else share, 0.0), 1.0) * (len(stops) - 1)
    first = min(int(at), len(stops) - 2)
    rgb = np.array([[int(stop[i : i + 2], 16) / 255 for i in (1, 3, 5)] for stop in stops[first : first + 2]])
    red, green, blue = rgb[0] + (at - first) * (rgb[1] - rgb[0])
    return float(red), float(green), float(blue)


def draw_molecule(
    explanation: Mapping[str, Any],
    molecule: Any,
    colour: str = "influence",
    width: int = 450,
    height: int = 350,
) -> Picture:
    """A molecule drawn by RDKit with its atoms (and bonds, where they have values) in the colours of a quantity.

    ``molecule`` is an RDKit molecule or the SMILES string that the explanation is about; atoms are numbered alike.
    """
    from rdkit import Chem
    from rdkit.Chem import rdDepictor
    from rdkit.Chem.Draw import rdMolDraw2D

    drawn = Chem.MolFromSmiles(molecule) if isinstance(molecule, str) else molecule
    if drawn is None:
        raise ValueError(f"{molecule!r} is no molecule")
    atoms = {int(node["node"]): value for node, value in zip(explanation["nodes"], values_of(explanation, colour))}
    whole = int(explanation.get("num_nodes", len(atoms)))
    if drawn.GetNumAtoms() != whole:
        raise ValueError(f"the molecule has {drawn.GetNumAtoms()} atoms, the explanation is about {whole} nodes")
    _, signed = quantity_of(colour)
    top = largest(np.array(list(atoms.values())), signed)
    bonds = {}
    if signed and all(quantity_of(colour)[0] in edge for edge in explanation["edges"]):
        for edge, value in zip(explanation["edges"], values_of(explanation, colour, "edges")):
            bond = drawn.GetBondBetweenAtoms(int(edge["from"]), int(edge["to"]))
            if bond is None:
                raise ValueError(f"the molecule has no bond from atom {edge['from']} to atom {edge['to']}")
            bonds[bond.GetIdx()] = colour_at(value, top, signed)
    picture = rdMolDraw2D.MolDraw2DSVG(width, height)
    picture.drawOptions().useBWAtomPalette()
    rdDepictor.Compute2DCoords(drawn)
    rdMolDraw2D.PrepareAndDrawMolecule(
        picture,
        drawn,
        highlightAtoms=list(atoms),
        highlightAtomColors={atom: colour_at(value, top, signed) for atom, value in atoms.items()},
        highlightBonds=list(bonds),
        highlightBondColors=bonds,
        legend=legend_of(explanation, colour),
    )
    picture.FinishDrawing()
    return Picture(picture.GetDrawingText())


def legend_of(explanation: Mapping[str, Any], colour: str, most: Optional[int] = None) -> str:
    """One line below the molecule."""
    return title_of(explanation, colour, int(explanation.get("num_nodes", most or 0))).replace("\n", ", ")
