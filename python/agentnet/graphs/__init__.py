"""Graphs that people already have, as the arrays that the engine takes.

``to_arrays(X)`` recognises networkx, PyTorch Geometric, DGL, igraph, scipy.sparse, tuples, tables, OGB's dictionaries,
RDKit's molecules and SMILES strings by what they have; it imports none of these libraries. It needs NumPy alone.
"""

from .arrays import GraphArrays
from .convert import to_arrays
from .errors import GraphError
from .schema import ColumnSchema, GraphSchema
from .to_networkx import to_networkx

__all__ = ["ColumnSchema", "GraphArrays", "GraphError", "GraphSchema", "to_arrays", "to_networkx"]
