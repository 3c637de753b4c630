"""Columns get their types: numbers or categories.

The rules are those of the program (docs/data.md): a column of whole numbers with at most 256 different values is taken
for categories, and so is a column with a word in it; any other column of numbers is dense. An array of floats holds
numbers, whatever their values: its type says so. The options decide otherwise, and with a schema nothing is guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Set, Tuple, Union

import numpy as np

from .errors import GraphError, graph_error
from .raw import Block
from .schema import ColumnSchema

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: "auto", "categories" or "dense" for all columns, or such a word for each column by its name.
FeatureKind = Union[str, Mapping[str, str]]

KINDS = ("auto", "categories", "dense")
MOST_CATEGORIES = 256  # a column of whole numbers with more different values is dense
FIRST_WORD = 1 << 23  # whole numbers beyond are no categories by themselves
COMPUTED = ("constant", "degree", "distance")  # the engine adds these where the graphs do not bring them
WIDEST_TABLE = 1 << 20  # of whole numbers that are counted instead of sorted


@dataclass
class Place:
    """Says where a row of a column is, for messages."""

    owner: str  # "node" or "edge"
    offsets: NDArray[np.int64]  # [B + 1]
    names: Optional[Any] = None  # per graph, what the user calls the rows

    def error(self, message: str, row: int, hint: str = "") -> GraphError:
        """An error about row ``row`` of all graphs together."""
        graph = int(np.searchsorted(self.offsets, row, side="right")) - 1
        inside = int(row - self.offsets[graph])
        name = self.names[graph][inside] if self.names is not None else None
        return graph_error(message, graph, inside, self.owner, name, hint)


@dataclass
class Typed:
    """Columns with their types: what GraphArrays holds of nodes, or of edges."""

    dense: Optional[NDArray[np.float32]] = None
    categories: Optional[NDArray[np.int32]] = None
    schema: ColumnSchema = field(default_factory=ColumnSchema)
    unseen: Dict[str, int] = field(default_factory=dict)


def kind_of_column(kind: FeatureKind, name: str) -> str:
    """What the options say of a column."""
    chosen = kind if isinstance(kind, str) else kind.get(name, "auto")
    if chosen not in KINDS:
        raise ValueError(f"the kind of column {name!r} is {chosen!r}; it may be {', '.join(KINDS)}")
    return chosen


def type_columns(blocks: List[Block], kind: FeatureKind, place: Place) -> Typed:
    """Types for columns that are seen for the first time; vocabularies are made of their values."""
    dense: List[Tuple[List[str], NDArray[np.float32]]] = []
    result = Typed()
    codes: List[NDArray[np.int32]] = []
    for block in blocks:
        kinds = [kind_of_column(kind, name) for name in block.names]
        if block.values.dtype.kind == "f" and "categories" not in kinds:
            dense.append((block.names, to_dense(block.values, block.names, place)))
            continue
        for c, name in enumerate(block.names):
            values = plain_column(block.values[:, c], name, place)
            words = None if kinds[c] == "dense" else categories_of(values, name, kinds[c], place)
            if words is None:
                dense.append(([name], to_dense(values.reshape(-1, 1), [name], place)))
            else:
                result.schema.categories.append(name)
                result.schema.vocabularies.append(words[0])
                codes.append(words[1])
    result.schema.dense = [name for names, _ in dense for name in names]
    result.dense = side_by_side([values for _, values in dense])
    result.categories = side_by_side([column.reshape(-1, 1) for column in codes])
    return result


def apply_schema(blocks: List[Block], schema: ColumnSchema, place: Place) -> Typed:
    """The columns of an earlier set, found by name, or by place where not one name agrees and there are as many.

    Columns that the schema does not have are left out, and so are those of the schema that the engine computes, where
    the graphs do not bring them. Numbers and words have the types that they had then.
    """
    columns = {name: (block, c) for block in blocks for c, name in enumerate(block.names)}
    wanted = schema.names
    missing = [name for name in wanted if name not in columns]
    computed = [name for name in missing if name in COMPUTED]
    if computed:
        schema = schema.without(computed)
        wanted, missing = schema.names, [name for name in missing if name not in COMPUTED]
    if missing and may_match_by_place(list(columns), schema):
        columns = dict(zip(wanted, columns.values()))
    elif missing:
        raise graph_error(
            f"the {place.owner} column {missing[0]!r} is missing",
            hint=f"earlier graphs had the {place.owner} columns {some(wanted)}, these have {some(list(columns))}",
        )
    refuse_wider(list(columns), wanted, place)
    result = Typed(schema=schema)
    result.dense = dense_of_schema(blocks, columns, schema, place)
    codes = []
    for name, vocabulary in zip(schema.categories, schema.vocabularies):
        block, c = columns[name]
        values = plain_column(block.values[:, c], name, place)
        codes.append(numbers_of_words(values, name, vocabulary, place, result.unseen).reshape(-1, 1))
    result.categories = side_by_side(codes)
    return result


def refuse_wider(names: List[str], wanted: List[str], place: Place) -> None:
    """Columns that have no names of their own are only told apart by how many they are: more are other columns."""
    numbered = [name for name in names if re.fullmatch(r"(node_feat|edge_attr)\d+", name)]
    if wanted and set(wanted) == set(numbered[: len(wanted)]) and len(numbered) > len(wanted):
        raise graph_error(
            f"there are {len(numbered)} {place.owner} columns, earlier graphs had {len(wanted)}",
            hint=f"give the same columns, or name them: {place.owner}_columns={wanted[:3]}",
        )


def dense_of_schema(
    blocks: List[Block], columns: Dict[str, Tuple[Block, int]], schema: ColumnSchema, place: Place
) -> Optional[NDArray[np.float32]]:
    """The dense columns; a single block of just these is borrowed as it is."""
    if len(blocks) == 1 and [columns[name][1] for name in schema.dense] == list(range(len(blocks[0].names))):
        if blocks[0].values.dtype.kind == "f":
            return to_dense(blocks[0].values, schema.dense, place)
    parts = []
    for name in schema.dense:
        block, c = columns[name]
        values = plain_column(block.values[:, c], name, place)
        parts.append(to_dense(values.reshape(-1, 1), [name], place))
    return side_by_side(parts)


def may_match_by_place(names: List[str], schema: ColumnSchema) -> bool:
    """As in the program: not one name agrees, and there are as many; here, all columns must be of one kind."""
    one_kind = not schema.dense or not schema.categories
    return one_kind and len(names) == len(schema.names) and not set(names) & set(schema.names)


def some(names: List[str]) -> str:
    """A short list for a message."""
    if not names:
        return "none"
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def side_by_side(parts: List[NDArray[Any]]) -> Optional[NDArray[Any]]:
    """Arrays of as many rows as one, or None for no columns; a single one is not copied."""
    if not parts:
        return None
    whole = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
    return np.ascontiguousarray(whole)


def plain_column(values: NDArray[Any], name: str, place: Place) -> NDArray[Any]:
    """A column of one type: float64, int64, bool, or words (``object``, where whole numbers may stand among them).

    Raises GraphError for None, NaN and what is neither a number nor text.
    """
    kind = values.dtype.kind
    if kind == "S":
        return np.char.decode(values, "utf-8").astype(object)
    if kind == "U":
        return values.astype(object)
    if kind == "u" and values.size and values.max() >= FIRST_WORD:
        return values.astype(np.float64)
    if kind in "ui":
        return values.astype(np.int64, copy=False)
    if kind in "fb":
        return values
    if kind != "O":
        raise graph_error(f"column {name!r} has the type {values.dtype}", hint="give numbers or text")
    items = [v.item() if isinstance(v, np.generic) else v for v in values.tolist()]
    types = set(map(type, items))
    for wrong in types - {bool, int, float, str}:
        row = next(i for i, v in enumerate(items) if type(v) is wrong)
        if items[row] is None or wrong.__name__ in ("NAType", "NaTType"):
            raise place.error(f"{name} is missing", row, "replace missing values")
        raise place.error(f"{name} is a {wrong.__name__}, not a number or text", row)
    if types <= {bool}:
        return np.array(items, bool)
    if str in types:
        return words_column(items, name, place)
    if types <= {int, bool} and all(-FIRST_WORD < v < FIRST_WORD for v in items):
        return np.array(items, np.int64)
    try:
        return np.array(items, np.float64)
    except OverflowError:
        row = items.index(max(items, key=abs))
        raise place.error(f"{name} is too large for a float", row, "scale the column") from None


def words_column(items: List[Any], name: str, place: Place) -> NDArray[Any]:
    """Words, with whole numbers among them as int."""
    for row, value in enumerate(items):
        if isinstance(value, float):
            if value != value:
                raise place.error(f"{name} is NaN", row, "replace missing values")
            if not value.is_integer():
                raise place.error(f"{name} is {value}, but a word elsewhere", row, "give all numbers or all text")
            items[row] = int(value)
    column = np.empty(len(items), object)
    column[:] = items
    return column


def to_dense(values: NDArray[Any], names: List[str], place: Place) -> NDArray[np.float32]:
    """Finite float32 [rows, columns]; borrowed if it is that already."""
    if values.dtype.kind == "O":
        for row, value in enumerate(values[:, 0]):
            if isinstance(value, str):
                raise place.error(f"{names[0]} should be a number, but is {value!r}", row)
        values = values.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = np.ascontiguousarray(values, dtype=np.float32)
        if np.isfinite(narrow.sum()) or np.isfinite(narrow).all():
            return narrow
    row, c = (int(i) for i in np.argwhere(~np.isfinite(narrow))[0])
    value = values[row, c]
    if np.isnan(value):
        raise place.error(f"{names[c]} is NaN", row, "replace missing values")
    if np.isinf(value):
        raise place.error(f"{names[c]} is infinite", row, "replace infinite values")
    raise place.error(f"{names[c]} is {value}, too large for a float", row, "scale the column")


def codes_of_whole(values: NDArray[np.int64]) -> Tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The different values in ascending order, and the place of each row's among them.

    >>> codes_of_whole(np.array([6, 8, 6, 1]))
    (array([1, 6, 8]), array([1, 2, 1, 0], dtype=int32))
    """
    if not values.size:
        return values, np.zeros(0, np.int32)
    lowest = int(values.min())
    width = int(values.max()) - lowest + 1
    if width <= WIDEST_TABLE:
        present = np.zeros(width, bool)
        present[values - lowest] = True
        place = np.cumsum(present, dtype=np.int32) - 1
        return np.flatnonzero(present) + lowest, place[values - lowest].astype(np.int32, copy=False)
    different, codes = np.unique(values, return_inverse=True)
    return different, codes.astype(np.int32)


def spelled(value: Any) -> str:
    """A value as the word of a vocabulary: whole numbers without a point, truth as JSON writes it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return str(int(value)) if float(value).is_integer() else repr(float(value))
    return str(value)


def in_order(words: List[str], numbers: Set[str]) -> List[str]:
    """Those that are numbers in ascending order, then the others in alphabetical order, as the program numbers them.

    >>> in_order(["b", "10", "9", "2"], {"10", "9"})
    ['9', '10', '2', 'b']
    """
    return sorted(numbers, key=int) + sorted(word for word in words if word not in numbers)


def different_words(
    values: NDArray[Any], name: str, place: Place
) -> Tuple[List[str], NDArray[np.int32], Set[str]]:
    """The words of a column that is not of whole numbers, in any order, each row's place among them, and which of them
    stand for whole numbers: 10, but not "10"."""
    if values.dtype.kind == "f":
        finite = np.isfinite(values)
        if not finite.all():
            row = int(np.flatnonzero(~finite)[0])
            what = "NaN" if np.isnan(values[row]) else "infinite"
            raise place.error(f"{name} is {what}", row, "replace missing and infinite values")
        different, codes = np.unique(values, return_inverse=True)
        whole = {spelled(v) for v in different if float(v).is_integer() and abs(v) < FIRST_WORD}
        return [spelled(v) for v in different], codes.astype(np.int32), whole
    places: Dict[str, int] = {}
    items = values.tolist()
    words = [v if type(v) is str else spelled(v) for v in items]
    codes = np.fromiter((places.setdefault(v, len(places)) for v in words), np.int32, len(words))
    whole = {str(v) for v in items if type(v) is int and abs(v) < FIRST_WORD}
    return list(places), codes, whole


def categories_of(
    values: NDArray[Any], name: str, kind: str, place: Place
) -> Optional[Tuple[List[str], NDArray[np.int32]]]:
    """The vocabulary of a column and the number of each row's word; None: the column is dense."""
    if values.dtype.kind == "i":
        different, codes = codes_of_whole(values)
        beyond = different.size and (different[0] <= -FIRST_WORD or different[-1] >= FIRST_WORD)
        if kind == "auto" and (beyond or different.size > MOST_CATEGORIES):
            return None
        if not beyond:
            return [str(v) for v in different.tolist()], codes
        words = [str(v) for v in different.tolist()]
        numbers = {str(v) for v in different.tolist() if abs(v) < FIRST_WORD}
    elif values.dtype.kind == "f" and kind == "auto":
        return None
    else:
        words, codes, numbers = different_words(values, name, place)
    ordered = in_order(words, numbers)
    number = {word: i for i, word in enumerate(ordered)}
    return ordered, np.array([number[word] for word in words], np.int32)[codes]


def numbers_of_words(
    values: NDArray[Any], name: str, vocabulary: List[str], place: Place, unseen: Dict[str, int]
) -> NDArray[np.int32]:
    """[rows] numbers of a vocabulary; len(vocabulary) for words that it does not list, which are counted."""
    if values.dtype.kind == "i":
        different, codes = codes_of_whole(values)
        words = [str(v) for v in different.tolist()]
    else:
        words, codes, _ = different_words(values, name, place)
    number = {word: i for i, word in enumerate(vocabulary)}
    table = np.array([number.get(word, len(vocabulary)) for word in words], np.int32)
    if not len(words):
        return np.zeros(0, np.int32)
    times = np.bincount(codes, minlength=len(words))
    for i in np.flatnonzero(table == len(vocabulary)):
        unseen[f"{name}={words[i]}"] = unseen.get(f"{name}={words[i]}", 0) + int(times[i])
    return table[codes]
