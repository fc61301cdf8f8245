"""What a command was pointed at: a study with its home, or a bundle of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.reports.export import export_study
from palaver.reports.target import is_study, opened_study
from palaver.storage import Store
from palaver.storage.studies.studies import register_study
from support.reviewing import STUDY, Judging
from support.seeding import NOW


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home with a study in it, of which one dialogue was judged by a person and a model."""
    folder = tmp_path / "home"
    folder.mkdir()
    store = Store(f"sqlite:///{folder / 'palaver.db'}")
    judging = Judging(store, _register(store, "judged", STUDY))
    key = judging.dialogue(system="chatty")
    judging.say("quality", key, "ann", 4, kind="person")
    judging.say("quality", key, "gpt", 5, kind="model")
    yield folder
    store.close()


def _register(store: Store, name: str, text: str) -> int:
    return store.write_now(
        lambda c: register_study(c, name=name, title=name, digest="d", definition=text, now=NOW)
    )


def test_a_home_with_one_study_needs_no_name(home: Path) -> None:
    with opened_study(home) as opened:
        (measured,) = opened.evidence().measured
    assert opened.stored.name == "judged"
    assert opened.definition is None
    assert measured.name == "quality"
    assert sorted(measured.ratings.column("value")) == [3, 4]


def test_one_kind_of_rater(home: Path) -> None:
    with opened_study(home) as opened:
        (measured,) = opened.evidence(raters="model").measured
    assert measured.ratings.column("rater") == ["gpt"]


def test_the_file_of_the_study_with_its_home_elsewhere(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(STUDY, encoding="utf-8")
    with opened_study(file, home=home) as opened:
        assert opened.definition is not None
        assert opened.evidence().named("quality")


def test_a_bundle_holds_the_same_answers(home: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "judged.zip"
    with opened_study(home) as opened:
        whole = opened.evidence().measured[0].ratings.columns
        export_study(
            opened.store, format="bundle", destination=bundle, study="judged", mask=False, now=NOW
        )
    assert is_study(bundle)
    with opened_study(bundle) as opened:
        assert opened.evidence().measured[0].ratings.columns == whole


def test_several_studies_must_be_told_apart(home: Path) -> None:
    store = Store(f"sqlite:///{home / 'palaver.db'}")
    _register(store, "second", STUDY.replace("name: judged", "name: second"))
    store.close()
    with (
        pytest.raises(InputError, match=r"name one with --study: judged, second"),
        opened_study(home),
    ):
        pass
    with opened_study(home, study="second") as opened:
        assert opened.evidence().measured == ()
    with (
        pytest.raises(InputError, match=r"no study 'jugded'.*judged"),
        opened_study(home, study="jugded"),
    ):
        pass


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is nothing at"), opened_study(tmp_path / "no"):
        pass
    with pytest.raises(InputError, match="Nothing is stored at"), opened_study(tmp_path):
        pass


def test_a_home_without_studies(tmp_path: Path) -> None:
    Store(f"sqlite:///{tmp_path / 'palaver.db'}").close()
    with pytest.raises(InputError, match="the store has no study"), opened_study(tmp_path):
        pass


def test_a_table_is_not_a_study(tmp_path: Path) -> None:
    table = tmp_path / "votes.csv"
    table.write_text("a,b\n1,2\n", encoding="utf-8")
    assert not is_study(table)
    assert is_study(tmp_path)
    assert is_study(tmp_path / "study.yaml")
