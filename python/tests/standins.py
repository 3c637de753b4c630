"""Small classes of the shape of libraries that Debian does not have: PyTorch, PyTorch Geometric, DGL, OGB.

They have the attributes and methods that those libraries document, and nothing else that a reader could lean on.
"""

import numpy as np


class Tensor:
    """torch.Tensor: on a device, tracked by autograd; NumPy only sees it after detach().cpu().numpy()."""

    def __init__(self, values, state="device+grad"):
        self._values = np.asarray(values)
        self._state = state

    @property
    def shape(self):
        return self._values.shape

    @property
    def ndim(self):
        return self._values.ndim

    def __len__(self):
        return len(self._values)

    def __array__(self, *_):
        raise TypeError("can't convert cuda device type tensor to numpy")

    def detach(self):
        return Tensor(self._values, "device")

    def cpu(self):
        return Tensor(self._values, self._state.replace("device", "cpu"))

    def numpy(self):
        if self._state != "cpu":
            raise RuntimeError(f"a tensor in the state {self._state}")
        return self._values


class Data:
    """torch_geometric.data.Data: x, edge_index, edge_attr, y, pos are None where they were not given."""

    def __init__(self, x=None, edge_index=None, edge_attr=None, y=None, pos=None, num_nodes=None, **others):
        self.x, self.edge_index, self.edge_attr, self.y, self.pos = x, edge_index, edge_attr, y, pos
        self._num_nodes = num_nodes
        for key, value in others.items():
            setattr(self, key, value)

    def __getattr__(self, key):
        raise AttributeError(f"'Data' object has no attribute '{key}'")

    @property
    def num_nodes(self):
        if self._num_nodes is not None:
            return self._num_nodes
        if self.x is not None:
            return len(self.x)
        return int(self.edge_index.detach().cpu().numpy().max()) + 1


class Batch:
    """torch_geometric.data.Batch."""

    def __init__(self, graphs):
        self._graphs = graphs
        self.edge_index = Tensor(np.zeros((2, 0)))

    def to_data_list(self):
        return list(self._graphs)


class Dataset:
    """A data set of PyG, OGB or DGL: a length and items, no iterator of its own."""

    def __init__(self, items):
        self._items = items

    def __len__(self):
        return len(self._items)

    def __getitem__(self, index):
        return self._items[index]


class DGLGraph:
    """dgl.DGLGraph of one type of nodes and edges."""

    def __init__(self, source, target, num_nodes, ndata=None, edata=None, homogeneous=True, batch_size=1):
        self._ends = (Tensor(source), Tensor(target))
        self._num_nodes = num_nodes
        self.ndata, self.edata = ndata or {}, edata or {}
        self.is_homogeneous, self.batch_size = homogeneous, batch_size

    def edges(self):
        return self._ends

    def num_nodes(self):
        return self._num_nodes


def ogb_graph(edges, node_feat, edge_feat=None):
    """What ogb.graphproppred.GraphPropPredDataset holds: both directions of an edge, side by side."""
    both = [pair for u, v in edges for pair in ((u, v), (v, u))]
    return {
        "edge_index": np.array(both, np.int64).reshape(-1, 2).T,
        "edge_feat": None if edge_feat is None else np.repeat(np.array(edge_feat), 2, axis=0),
        "node_feat": np.array(node_feat),
        "num_nodes": len(node_feat),
    }
