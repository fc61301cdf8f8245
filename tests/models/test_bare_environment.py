"""Training where PyTorch is and nothing else that Palaver installs: other packages are blocked."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import palaver
from palaver.core.errors import InputError
from palaver.models.checkpoints.folder import open_checkpoint
from palaver.models.recipe import open_recipe
from support.deal_lines import write_made_lines

# What a bare PyTorch environment has; anything else from site-packages may not be imported.
WORK = """
import importlib.abc, sys

BLOCKED = {"msgspec", "pydantic", "ruamel", "yaml", "click", "scipy", "sqlalchemy", "fastapi",
           "starlette", "jinja2", "aiohttp", "markdown_it", "nh3", "lucide", "itsdangerous"}

class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None

sys.meta_path.insert(0, Blocker())
from palaver.models.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("recipe", [{"model": "deal-talk", "network": {"hidden": 8}}])
def test_a_recipe_in_json_trains_where_nothing_else_is_installed(
    tmp_path: Path, recipe: dict[str, object]
) -> None:
    data = write_made_lines(tmp_path / "deals.txt", dialogues=40)
    given = tmp_path / "recipe.json"
    given.write_text(json.dumps({**recipe, "training": {"epochs": 1}}))
    work = tmp_path / "work.py"
    work.write_text(WORK)
    source = Path(palaver.__file__).parents[1]
    env = {**os.environ, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, work, given, "--data", data, "-o", tmp_path / "model"]
    done = subprocess.run(
        [*command, "--device", "cpu"],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert open_checkpoint(tmp_path / "model").measured["finished"]


def test_where_nothing_reads_yaml_json_is_proposed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ruamel.yaml", "yaml"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "recipe.yaml").write_text("model: deal-talk\n")
    with pytest.raises(InputError, match=r"Install ruamel\.yaml, or write recipe\.yaml as JSON"):
        open_recipe(str(tmp_path / "recipe.yaml"))
