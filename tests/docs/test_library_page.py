"""The examples of docs/library.md run, on the files that they name."""

import re
from pathlib import Path

import pytest

from palaver.analysis.figures import Figure
from palaver.storage import Store
from palaver.storage.studies.studies import register_study
from support.reviewing import STUDY, Judging
from support.seeding import NOW

from .reading import page


def test_the_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("battles.csv").write_text("model_a,model_b,winner\nx,y,model_a\ny,x,tie\n")
    Path("company").mkdir()
    store = Store("sqlite:///company/palaver.db")
    study_id = store.write_now(
        lambda c: register_study(
            c, name="judged", title="Judged", digest="d", definition=STUDY, now=NOW
        )
    )
    judging = Judging(store, study_id)
    judging.say("quality", judging.dialogue(), "ann", 4)
    store.close()
    known: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page("library.md"), re.DOTALL):
        exec(block, known)
    said = capsys.readouterr().out
    assert "ant leads; " in said
    assert "quality ordinal 1" in said
    assert isinstance(known["figure"], Figure)
