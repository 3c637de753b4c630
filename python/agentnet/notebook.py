"""The viewer inside a notebook."""

from __future__ import annotations

import html
import os
from typing import Any, Union

from .model import Model


class View:
    """The viewer's page, which a notebook shows in an iframe: no server, no network."""

    def __init__(self, page: str, height: int) -> None:
        self.page = page
        self.height = height

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.page, quote=True)}" sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the page as a file that any browser opens."""
        with open(path, "x", encoding="utf-8") as file:
            file.write(self.page)

    def __repr__(self) -> str:
        return f"<agentnet.View: a page of {len(self.page)} characters; a notebook shows it>"


def view(model: Any, data: Any, *, height: int = 700, **options: Any) -> View:
    """The viewer with predictions and walks: ``agentnet.view(model, graphs)`` as the last line of a cell.

    model : a Model, a fitted estimator, or the path of a model file. data : graphs in any form. options: those of
    ``Model.page`` (``title``, ``walks``, ``rollouts``, ``seed``).
    """
    if isinstance(model, (str, os.PathLike)):
        model = Model.load(model)
    own = model if isinstance(model, Model) else model._fitted()
    return View(own.page(data, **options), height)
