"""What `palaver serve` holds before anybody came: nothing that only some need."""

import subprocess
import sys

# Other people's packages: each takes a megabyte or more, or a tenth of a second.
PACKAGES = (
    *("aiohttp", "alembic", "fastapi", "numpy", "obstore", "polars", "psycopg", "scipy", "segno"),
    *("sqlalchemy.orm", "sqlalchemy.ext.asyncio", "sqlalchemy.dialects.postgresql"),
)
# Our own: the desk, the API, the public pages, and what works on runs.
PARTS = (
    *("palaver.web.api", "palaver.web.tasks", "palaver.web.desk.routes"),
    *("palaver.web.boards.routes", "palaver.web.tasks.routes", "palaver.reports"),
    *("palaver.evaluation.datasets", "palaver.evaluation.dynaboards", "palaver.evaluation.runs"),
    *("palaver.evaluation.scoring", "palaver.evaluation.submissions", "palaver.evaluation.tasks"),
    *("palaver.systems.connectors.openai", "palaver.engines", "palaver.metrics"),
    *("palaver.evaluation.boards", "palaver.analysis"),
)


def test_serving_imports_nothing_that_only_some_need() -> None:
    code = "import sys, palaver.cli.study.serve_command; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "palaver.web.app" in loaded
    assert sorted(loaded & {*PACKAGES, *PARTS}) == []
