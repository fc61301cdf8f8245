"""numpy and scipy, loaded by the first computation and not by the first import.

A process that serves pages imports the modules that compute, and may never compute. numpy takes
twenty megabytes and scipy a second, so what stands here under their names loads them when a function
of theirs is first asked for.

    from palaver.core.numeric import Numbers, np, stats
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import scipy.optimize as optimize
    import scipy.sparse as sparse
    import scipy.special as special
    import scipy.stats as stats

    Numbers = np.ndarray[Any, np.dtype[Any]]
else:

    class _Deferred:
        """Stands for a module until an attribute of it is wanted."""

        def __init__(self, module: str) -> None:
            self._module = module

        def __getattr__(self, name: str) -> Any:
            found = getattr(import_module(self._module), name)
            setattr(self, name, found)  # the next look-up does not come here
            return found

    np = _Deferred("numpy")
    optimize = _Deferred("scipy.optimize")
    sparse = _Deferred("scipy.sparse")
    special = _Deferred("scipy.special")
    stats = _Deferred("scipy.stats")
    Numbers = Any

__all__ = ["Numbers", "np", "optimize", "sparse", "special", "stats"]
