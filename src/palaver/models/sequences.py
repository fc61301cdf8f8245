"""Parts of different lengths put end to end, row by row, for networks that look back over all of
them.

Padding between parts would be attended to, or cost a mask. Here it is moved behind the words of each
row.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor


class RowPart(NamedTuple):
    """Vectors (rows, places, width) of what stands together, and where (rows, places) there are any."""

    vectors: Tensor
    is_there: Tensor


class JoinedRows(NamedTuple):
    """Parts end to end, as long as the longest row, all padding behind."""

    vectors: Tensor
    is_there: Tensor
    # Where each place of the parts has gone (rows, places); of padding that was cut off, the last.
    gone: Tensor

    def back(self, found: Tensor, places: slice) -> Tensor:
        """What was found (rows, words, …) at some of the places that parts had."""
        at = self.gone[:, places]
        return found.gather(
            1, at.view(*at.shape, *[1] * (found.dim() - 2)).expand(-1, -1, *found.shape[2:])
        )


def joined(parts: Sequence[RowPart]) -> JoinedRows:
    """Parts of the same rows end to end; what is there stays in order."""
    vectors = torch.cat([part.vectors for part in parts], dim=1)
    is_there = torch.cat([part.is_there for part in parts], dim=1)
    came = is_there.long().argsort(dim=1, descending=True, stable=True)
    longest = max(1, int(is_there.sum(1).max()))
    kept = came[:, :longest]
    return JoinedRows(
        vectors.gather(1, kept[:, :, None].expand(-1, -1, vectors.shape[2])),
        is_there.gather(1, kept),
        came.argsort(dim=1).clamp(max=longest - 1),
    )
