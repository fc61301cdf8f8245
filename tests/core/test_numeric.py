"""numpy and scipy are loaded by the first computation."""

import subprocess
import sys

CODE = """
import sys
from palaver.core.numeric import np, stats
import palaver.analysis.resampling, palaver.analysis.agreement
assert not {name.split('.')[0] for name in sys.modules} & {'numpy', 'scipy'}
assert float(np.array([1.0, 2.0]).sum()) == 3.0
assert 'scipy' not in sys.modules
assert abs(stats.norm.cdf(0.0) - 0.5) < 1e-12
"""


def test_importing_what_computes_loads_neither() -> None:
    subprocess.run([sys.executable, "-c", CODE], check=True, timeout=60)
