"""RDKit's molecules as graphs: OGB's nine features of atoms and three of bonds, numbered as the program numbers them.

SMILES strings are not read here: the program's own reader does that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Tuple

import numpy as np

from .arrays import GraphArrays
from .errors import graph_error
from .raw import counts_of, offsets_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Columns and how many numbers each has: the lists of OGB, of which the last number stands for everything else.
ATOM_COLUMNS = {
    "atomic_num": 119,
    "chirality": 5,
    "degree": 12,
    "formal_charge": 12,
    "num_h": 10,
    "num_radical": 6,
    "hybridization": 6,
    "is_aromatic": 2,
    "is_in_ring": 2,
}
BOND_COLUMNS = {"bond_type": 5, "bond_stereo": 6, "is_conjugated": 2}

CHIRALITIES = ("CHI_UNSPECIFIED", "CHI_TETRAHEDRAL_CW", "CHI_TETRAHEDRAL_CCW", "CHI_OTHER")
HYBRIDIZATIONS = ("SP", "SP2", "SP3", "SP3D", "SP3D2")
BOND_TYPES = ("SINGLE", "DOUBLE", "TRIPLE", "AROMATIC")
STEREOS = ("STEREONONE", "STEREOZ", "STEREOE", "STEREOCIS", "STEREOTRANS", "STEREOANY")


def numbers(names: Sequence[str]) -> Dict[str, int]:
    """Names to their numbers."""
    return {name: i for i, name in enumerate(names)}


_CHIRALITY, _HYBRIDIZATION = numbers(CHIRALITIES), numbers(HYBRIDIZATIONS)
_BOND_TYPE, _STEREO = numbers(BOND_TYPES), numbers(STEREOS)


def in_list(value: int, lowest: int, highest: int) -> int:
    """The number of a value among lowest .. highest, or the next one.

    >>> in_list(1, 1, 118), in_list(0, 1, 118), in_list(-2, -5, 5)
    (0, 118, 3)
    """
    return value - lowest if lowest <= value <= highest else highest - lowest + 1


def atom_row(atom: Any) -> Tuple[int, ...]:
    """The nine features of an atom."""
    return (
        in_list(atom.GetAtomicNum(), 1, 118),
        _CHIRALITY.get(str(atom.GetChiralTag()), 4),
        in_list(atom.GetTotalDegree(), 0, 10),
        in_list(atom.GetFormalCharge(), -5, 5),
        in_list(atom.GetTotalNumHs(), 0, 8),
        in_list(atom.GetNumRadicalElectrons(), 0, 4),
        _HYBRIDIZATION.get(str(atom.GetHybridization()), 5),
        int(atom.GetIsAromatic()),
        int(atom.IsInRing()),
    )


def bond_row(bond: Any) -> Tuple[int, ...]:
    """The three features of a bond."""
    return (
        _BOND_TYPE.get(str(bond.GetBondType()), 4),
        _STEREO.get(str(bond.GetStereo()), 0),
        int(bond.GetIsConjugated()),
    )


def read_molecules(molecules: Sequence[Any]) -> GraphArrays:
    """Atoms in the order that they have in the molecule; bonds are undirected."""
    atoms: List[Tuple[int, ...]] = []
    bonds: List[Tuple[int, ...]] = []
    ends: List[Tuple[int, int]] = []
    node_counts, edge_counts = [], []
    for g, molecule in enumerate(molecules):
        if molecule is None:
            raise graph_error("is None, not a molecule", g, hint="RDKit could not read its string")
        if molecule.GetNumAtoms() == 0:
            raise graph_error("the molecule has no atoms", g, hint="leave empty molecules out")
        try:
            atoms.extend(atom_row(atom) for atom in molecule.GetAtoms())
        except RuntimeError:
            raise graph_error("the molecule is not sanitised", g, hint="call Chem.SanitizeMol(molecule)") from None
        for bond in molecule.GetBonds():
            bonds.append(bond_row(bond))
            ends.append((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()))
        node_counts.append(molecule.GetNumAtoms())
        edge_counts.append(molecule.GetNumBonds())
    return GraphArrays(
        node_offsets=offsets_of(counts_of(node_counts)),
        edge_offsets=offsets_of(counts_of(edge_counts)),
        edge_index=np.ascontiguousarray(np.array(ends, np.uint32).reshape(-1, 2).T),
        undirected=True,
        node_categories=rows_of(atoms, len(ATOM_COLUMNS)),
        edge_categories=rows_of(bonds, len(BOND_COLUMNS)),
        node_category_names=list(ATOM_COLUMNS),
        node_vocabularies=[[str(i) for i in range(count)] for count in ATOM_COLUMNS.values()],
        edge_category_names=list(BOND_COLUMNS),
        edge_vocabularies=[[str(i) for i in range(count)] for count in BOND_COLUMNS.values()],
    )


def rows_of(rows: List[Tuple[int, ...]], width: int) -> NDArray[np.int32]:
    """[rows, width]."""
    return np.array(rows, np.int32).reshape(-1, width)
