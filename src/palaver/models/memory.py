"""How a model says that there is no memory left: PyTorch has an error of its own for a GPU alone."""

import re

_SIGNS = re.compile(
    r"not enough memory|out of memory|can't allocate memory|ALLOC_FAILED|size calculation overflowed",
    re.IGNORECASE,
)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory is spent."""
    if isinstance(error, MemoryError):
        return True
    return isinstance(error, RuntimeError) and bool(_SIGNS.search(str(error)))
