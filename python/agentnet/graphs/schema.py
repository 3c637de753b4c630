"""Which columns graphs have, and the words of the categorical ones: kept from fit, used at predict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import List


@dataclass
class ColumnSchema:
    """The columns of nodes, or of edges."""

    dense: List[str] = field(default_factory=list)
    categories: List[str] = field(default_factory=list)
    vocabularies: List[List[str]] = field(default_factory=list)  # words of each categorical column

    def without(self, names: List[str]) -> ColumnSchema:
        """The other columns."""
        kept = [(name, words) for name, words in zip(self.categories, self.vocabularies) if name not in names]
        return ColumnSchema(
            [name for name in self.dense if name not in names], [name for name, _ in kept], [words for _, words in kept]
        )

    @property
    def names(self) -> List[str]:
        """All columns, numbers first."""
        return self.dense + self.categories


@dataclass
class GraphSchema:
    """The columns of nodes and of edges.

    ``to_arrays(X, schema=earlier.schema)`` reads later graphs as earlier ones were read: a column of categories stays
    one whatever its values look like now, words keep their numbers, and a word that the vocabulary does not list gets
    the number after the last, which the engine takes for none of the known ones.
    """

    nodes: ColumnSchema = field(default_factory=ColumnSchema)
    edges: ColumnSchema = field(default_factory=ColumnSchema)
