"""Explanations as arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .graph_set import GraphSet


class Explanation(Mapping):  # type: ignore[type-arg]
    """Why a model said what it said of one graph: a value per node and per edge.

    As a mapping it is the line that ``agentnet explain`` writes (docs/explain.md); its arrays are attributes.
    """

    def __init__(self, line: Dict[str, Any], graph: Optional[Any] = None) -> None:
        self._line = line
        self.graph = graph  #: the graph that is explained

    def __getitem__(self, key: str) -> Any:
        return self._line[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._line)

    def __len__(self) -> int:
        return len(self._line)

    def _column(self, owner: str, key: str) -> Optional[NDArray[np.float64]]:
        rows = self._line[owner]
        if rows and key not in rows[0]:
            return None
        return np.array([np.nan if row[key] is None else row[key] for row in rows], np.float64)

    @property
    def nodes(self) -> NDArray[np.int64]:
        """[listed] numbers of the nodes that are listed: all, or the most visited of a large graph."""
        return np.array([row["node"] for row in self._line["nodes"]], np.int64)

    @property
    def visits(self) -> NDArray[np.float64]:
        """[listed] visits of all agents, mean over rollouts."""
        column = self._column("nodes", "visits")
        assert column is not None
        return column

    @property
    def touched(self) -> NDArray[np.float64]:
        """[listed] share of rollouts that needed the node's state."""
        column = self._column("nodes", "touched")
        assert column is not None
        return column

    @property
    def influence(self) -> Optional[NDArray[np.float64]]:
        """[listed] gradient times input; None if it was not asked for."""
        return self._column("nodes", "gradient_times_input")

    @property
    def leave_one_out(self) -> Optional[NDArray[np.float64]]:
        """[listed] how much lower the output is without the node; None if it was not asked for."""
        return self._column("nodes", "leave_one_out")

    @property
    def edges(self) -> NDArray[np.int64]:
        """[edges, 2] ends of the edges between the nodes listed."""
        rows = [(row["from"], row["to"]) for row in self._line["edges"]]
        return np.array(rows, np.int64).reshape(-1, 2)

    @property
    def crossings(self) -> NDArray[np.float64]:
        """[edges] how often agents took the edge in a rollout."""
        column = self._column("edges", "crossings")
        assert column is not None
        return column

    @property
    def edge_influence(self) -> Optional[NDArray[np.float64]]:
        """[edges] gradient times input."""
        return self._column("edges", "gradient_times_input")

    @property
    def prediction(self) -> Any:
        return self._line.get("prediction")

    def plot(self, colour: Union[str, Sequence[str]] = "visits", **options: Any) -> Any:
        """A picture with matplotlib; with ``molecule``, a SMILES string or one of RDKit, a picture of RDKit.

        ``colour`` is "visits", "touched", "influence" or "leave_one_out", or several of them, side by side.
        """
        from . import plotting

        return plotting.plot(self._line, colour=colour, **options)

    def __repr__(self) -> str:
        return (
            f"Explanation(graph {self._line['id']}: {self._line.get('prediction')!r}, {len(self._line['nodes'])} nodes, "
            f"{self._line['rollouts']} rollouts)"
        )


def explanations_from(lines: str, graphs: GraphSet) -> List[Explanation]:
    rows = [json.loads(line) for line in lines.splitlines()]
    return [Explanation(row, graphs[i]) for i, row in enumerate(rows)]
