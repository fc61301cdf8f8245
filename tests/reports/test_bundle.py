"""Bundles: one file out, one store in, and nothing believed that was not checked."""

import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from palaver.core.errors import InputError, StoreVersionError
from palaver.core.records import DialogueRecord
from palaver.reports.export import export_study
from palaver.reports.masks import StudyMasks
from palaver.reports.opened_bundle import open_bundle, read_bundle_manifest
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import dialogue_records
from palaver.storage.engine import copies
from palaver.storage.judging.tidy import label_records
from palaver.storage.people.participants import list_problems
from palaver.storage.schema import metadata
from palaver.storage.studies.studies import list_studies


def bundle(store: Store, path: Path, *, mask: bool = False, **options: Any) -> Path:
    options.setdefault("study", "demo")
    export_study(store, format="bundle", destination=path, mask=mask, now=1.8e9, **options)
    return path


@pytest.fixture
def opened(filled: Store, tmp_path: Path) -> Iterator[Store]:
    database = open_bundle(bundle(filled, tmp_path / "demo.zip"), tmp_path / "opened")
    store = Store(f"sqlite:///{database}", read_only=True)
    yield store
    store.close()


def dialogues(store: Store) -> list[DialogueRecord]:
    return store.read_now(lambda c: list(dialogue_records(c, "demo")))


def test_every_table_is_copied_or_left_behind_on_purpose(filled: Store) -> None:
    changes = filled.read_now(lambda c: copies._Changes(c, StudyMasks(c), masked=True))
    copied = {part.table for part in copies._parts(None, changes)}
    assert copied | set(copies.LEFT_BEHIND) == set(metadata.tables.values())
    assert not copied & set(copies.LEFT_BEHIND)


def test_a_bundle_opens_as_a_store_with_the_same_records(filled: Store, opened: Store) -> None:
    assert [study.name for study in opened.read_now(list_studies)] == ["demo"]
    assert dialogues(opened) == dialogues(filled)
    assert opened.read_now(lambda c: list(label_records(c))) == filled.read_now(
        lambda c: list(label_records(c, "demo"))
    )


def test_an_opened_bundle_can_be_exported_again(opened: Store, tmp_path: Path) -> None:
    again = open_bundle(bundle(opened, tmp_path / "again.zip"), tmp_path / "second")
    store = Store(f"sqlite:///{again}", read_only=True)
    assert dialogues(store) == dialogues(opened)
    store.close()


def test_identities_codes_and_secrets_stay_behind(opened: Store, tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "opened" / "palaver.db")
    people = database.execute("SELECT external_id, erased FROM participants ORDER BY id")
    assert people.fetchall() == [(None, None), (None, 9.0)]
    assert set(database.execute("SELECT external_id, code FROM assignments")) == {(None, None)}
    for table in ("accounts", "tokens", "meta", "leases", "waiting"):
        assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    for table in ("places", "erasures", "units", "raters", "seats"):
        assert database.execute(f"SELECT count(*) FROM {table}").fetchone() != (0,)
    database.close()


def test_problems_are_masked_always_and_the_rest_when_asked(
    filled: Store, opened: Store, tmp_path: Path
) -> None:
    (problem,) = opened.read_now(lambda c: list_problems(c, "demo"))
    assert problem.text == "stuck, [phone]"
    assert dialogues(opened)[0].events[0].text == "mail me: ann@example.com"
    path = open_bundle(bundle(filled, tmp_path / "m.zip", mask=True), tmp_path / "masked")
    masked = Store(f"sqlite:///{path}", read_only=True)
    assert dialogues(masked)[0].events[0].text == "mail me: [email]"
    assert dialogues(masked)[0].scenario.persona(1) == ("You are at [email].",)
    answers = masked.read_now(lambda c: [record.value for record in label_records(c)])
    assert answers == [4, 5, "first", "as [email] says"]
    masked.close()


def test_the_texts_of_the_study_folder_come_along(filled: Store, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    (folder / "pages").mkdir(parents=True)
    (folder / "study.yaml").write_text("name: changed since\n")
    (folder / "pages" / "consent.md").write_text("# Consént\n", encoding="utf-8")
    (folder / ".env").write_text("KEY=secret\n")
    (folder / "picture.png").write_bytes(b"\x89PNG\0\xff")
    (folder / "link.txt").symlink_to("/etc/passwd")
    path = bundle(filled, tmp_path / "demo.zip", study_folders={"demo": folder})
    assert sorted(read_bundle_manifest(path).files) == [
        "DICTIONARY.md",
        "dictionary.json",
        "palaver.db",
        "studies/demo/pages/consent.md",
        "studies/demo/study.yaml",
    ]
    open_bundle(path, tmp_path / "opened")
    served = tmp_path / "opened" / "studies" / "demo" / "study.yaml"
    assert served.read_text(encoding="utf-8").startswith("name: demo")


def rewrite(path: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    """Rewrite a zip after a change to its files."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def described(files: dict[str, bytes], name: str, content: bytes) -> None:
    """Add a file with an honest entry in the manifest."""
    manifest = json.loads(files["manifest.json"])
    manifest["files"][name] = {
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    files["manifest.json"] = json.dumps(manifest).encode()
    files[name] = content


def flip_a_byte(files: dict[str, bytes]) -> None:
    content = bytearray(files["palaver.db"])
    content[5000] ^= 1
    files["palaver.db"] = bytes(content)


def other_format(files: dict[str, bytes]) -> None:
    manifest = json.loads(files["manifest.json"]) | {"format": "palaver-csv"}
    files["manifest.json"] = json.dumps(manifest).encode()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (flip_a_byte, "'palaver.db' is damaged"),
        (lambda f: f.pop("manifest.json"), "has no manifest.json"),
        (lambda f: f.pop("palaver.db"), "do not match its manifest: palaver.db"),
        (lambda f: f.update({"extra.txt": b"x"}), "do not match its manifest: extra.txt"),
        (lambda f: f.update({"manifest.json": b"{}"}), "manifest.json is damaged"),
        (lambda f: f.update({"manifest.json": b"{" + b" " * (5 << 20)}), "is too large"),
        (other_format, "It is a 'palaver-csv' of version 1"),
        (lambda f: described(f, "../outside.txt", b"x"), r"unsafe name '\.\./outside.txt'"),
        (lambda f: described(f, "/tmp/outside.txt", b"x"), "unsafe name '/tmp/outside.txt'"),
        (lambda f: described(f, "a/../../b", b"x"), "unsafe name"),
        (lambda f: described(f, "a//b", b"x"), "unsafe name"),
        (lambda f: described(f, "C:\\b", b"x"), "unsafe name"),
        (lambda f: described(f, "bomb.txt", b"0" * (65 << 20)), "from too few"),
        (lambda f: described(f, "palaver.db", b"hello"), "is not an SQLite database"),
        (
            lambda f: described(f, "palaver.db", b"SQLite format 3\0" + b"\xff" * 5000),
            "palaver.db is damaged",
        ),
    ],
)
def test_a_damaged_or_hostile_bundle_is_refused(
    filled: Store, tmp_path: Path, change: Callable[[dict[str, bytes]], None], message: str
) -> None:
    path = bundle(filled, tmp_path / "demo.zip")
    rewrite(path, change)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match=message):
        open_bundle(path, tmp_path / "opened")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_link_in_the_zip_is_refused(filled: Store, tmp_path: Path) -> None:
    path = bundle(filled, tmp_path / "demo.zip")
    rewrite(path, lambda files: described(files, "link", b"/etc/passwd"))
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o120777 if name == "link" else 0o100644) << 16
            archive.writestr(entry, content)
    with pytest.raises(InputError, match="unsafe name 'link'"):
        open_bundle(path, tmp_path / "opened")


def test_a_file_cut_short_or_not_a_zip_is_refused(filled: Store, tmp_path: Path) -> None:
    path = bundle(filled, tmp_path / "demo.zip")
    content = path.read_bytes()
    for part in (b"", b"hello", content[: len(content) // 2]):
        path.write_bytes(part)
        with pytest.raises(InputError, match="is not a bundle or is damaged"):
            open_bundle(path, tmp_path / "opened")
    with pytest.raises(InputError, match="cannot be read"):
        open_bundle(tmp_path / "missing.zip", tmp_path / "opened")


def test_any_single_flipped_byte_is_noticed_or_harmless(filled: Store, tmp_path: Path) -> None:
    path = bundle(filled, tmp_path / "demo.zip")
    content = path.read_bytes()
    for number, place in enumerate(range(0, len(content), len(content) // 20)):
        changed = bytearray(content)
        changed[place] ^= 0x55
        path.write_bytes(bytes(changed))
        into = tmp_path / f"opened{number}"
        try:
            database = open_bundle(path, into)
        except InputError:
            assert not into.exists()
        else:
            store = Store(f"sqlite:///{database}", read_only=True)
            assert dialogues(store) == dialogues(filled)
            store.close()


def test_more_than_the_limit_is_refused(filled: Store, tmp_path: Path) -> None:
    path = bundle(filled, tmp_path / "demo.zip")
    with pytest.raises(InputError, match="more than 1,000 bytes"):
        open_bundle(path, tmp_path / "opened", limit=1000)


def test_a_folder_in_use_is_refused(filled: Store, tmp_path: Path) -> None:
    path = bundle(filled, tmp_path / "demo.zip")
    with pytest.raises(InputError, match="is not empty"):
        open_bundle(path, tmp_path / "home")


def test_a_bundle_of_a_newer_palaver_says_so(filled: Store, tmp_path: Path) -> None:
    path = bundle(filled, tmp_path / "demo.zip")

    def newer(files: dict[str, bytes]) -> None:
        copy = tmp_path / "copy.db"
        copy.write_bytes(files["palaver.db"])
        database = sqlite3.connect(copy)
        database.execute("UPDATE alembic_version SET version_num = '9999'")
        database.commit()
        database.close()
        described(files, "palaver.db", copy.read_bytes())

    rewrite(path, newer)
    with pytest.raises(StoreVersionError, match="Install the newer Palaver"):
        open_bundle(path, tmp_path / "opened")


def test_the_manifest_counts(filled: Store, tmp_path: Path) -> None:
    manifest = read_bundle_manifest(bundle(filled, tmp_path / "all.zip", study=None))
    assert (manifest.studies, manifest.masked) == (["demo", "other"], False)
    assert manifest.counts == {
        **{"dialogues": 4, "events": 14, "people": 3, "raters": 2},
        # Two were replaced.
        **{"labels": 6, "label_rows": 8},
    }
    assert msgspec.json.decode(msgspec.json.encode(manifest), type=type(manifest)) == manifest
