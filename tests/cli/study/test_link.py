"""`palaver link`: signed links, one per person."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from palaver.crowds.links import read_link
from palaver.storage import Store
from palaver.studies.file.starter import write_starter
from palaver.studies.home import find_home

from ..conftest import Palaver


def test_links_let_different_people_in(palaver: Palaver, played: Path) -> None:
    said = palaver("link", "first", "-n", "3", "--base", "https://lab.example.org/")
    links = said.out.splitlines()
    store = Store(f"sqlite:///{played / 'palaver.db'}", read_only=True)
    try:
        secret = store.secret()
    finally:
        store.close()
    people = set()
    for link in links:
        assert link.startswith("https://lab.example.org/s/first?link=")
        token = parse_qs(urlsplit(link).query)["link"][0]
        people.add(read_link(secret, token, study="first", hours=1).person)
    assert len(people) == 3


def test_links_lead_to_where_the_study_is_being_served(
    palaver: Palaver, played: Path, tmp_path: Path
) -> None:
    home = find_home(tmp_path / "first")
    with home.served_at("http://127.0.0.1:8123", 8123):
        said = palaver("link", "first")
        assert said.out.startswith("http://127.0.0.1:8123/s/first?link=")
        assert said.err == ""
        elsewhere = palaver("link", "first", "--base", "https://lab.example.org")
        assert elsewhere.out.startswith("https://lab.example.org/s/first?link=")

    later = palaver("link", "first")
    assert later.out.startswith("http://127.0.0.1:8000/s/first?link=")
    assert "nothing is being served from" in later.err
    assert "The links are for http://127.0.0.1:8000; name another address with --base" in later.err


def test_of_two_processes_the_newer_address_counts_while_it_is_served(played: Path) -> None:
    home = find_home(played)
    with home.served_at("http://127.0.0.1:8001", 8001):
        with home.served_at("http://127.0.0.1:8002", 8002):
            assert sorted(home.addresses()) == ["http://127.0.0.1:8001", "http://127.0.0.1:8002"]
        assert home.addresses() == ["http://127.0.0.1:8001"]


def test_a_home_that_cannot_be_written_to_is_served_all_the_same(played: Path) -> None:
    (played / "palaver.lock-8123").mkdir()
    home = find_home(played)
    with home.served_at("http://127.0.0.1:8123", 8123):
        assert home.addresses() == []
    assert (played / "palaver.lock-8123").is_dir()


def test_the_address_of_a_server_that_was_killed_is_not_believed(
    palaver: Palaver, played: Path
) -> None:
    (played / "palaver.lock-8123").write_text("http://127.0.0.1:8123")
    assert palaver("link", "first").out.startswith("http://127.0.0.1:8000/")


def test_a_folder_of_studies(palaver: Palaver, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_starter(tmp_path / "all" / name)
        said = palaver(
            *("selfplay", f"all/{name}", "--systems", "friendly", "terse", "--count", "1"),
            *("--store", "--home", "all"),
        )
        assert said.status == 0, said.err

    said = palaver("link", "all", "-n", "2")

    rows = [line.split() for line in said.out.splitlines()]
    assert rows[0] == ["study", "link"]
    assert [name for name, _ in rows[1:]] == ["one", "one", "two", "two"]
    for name, link in rows[1:]:
        assert link.startswith(f"http://127.0.0.1:8000/s/{name}?link=")


def test_a_study_that_came_later_is_named(palaver: Palaver, played: Path) -> None:
    write_starter(played.parent / "second")
    said = palaver("link", ".", "--home", "first")
    assert said.status == 0
    assert "the study 'second' has not been served from first yet" in said.err
    assert "'first' has" not in said.err


def test_an_address_that_is_none(palaver: Palaver, played: Path) -> None:
    said = palaver("link", "first", "--base", "lab.example.org")
    assert said.status == 1
    assert "--base takes an address with https:// or http://; got 'lab.example.org'." in said.err


def test_before_the_study_was_served(palaver: Palaver, study: Path) -> None:
    said = palaver("link", "first")
    assert said.status == 1
    assert "Serve the study first (palaver serve first)" in said.err


def test_a_number_out_of_range(palaver: Palaver, played: Path) -> None:
    said = palaver("link", "first", "-n", "0")
    assert said.status == 1
    assert "1 to 10,000 links can be made at once; got 0." in said.err


def test_links_with_names_are_kept_listed_drawn_and_revoked(
    palaver: Palaver, played: Path, tmp_path: Path
) -> None:
    (tmp_path / "people.txt").write_text("Ben\n\nCleo\n", encoding="utf-8")
    base = ("--base", "https://lab.example.org")
    made = palaver("link", "first", "--name", "Anna", "--names", "people.txt", "--qr", "qr", *base)
    assert made.status == 0, made.err
    rows = [line.split() for line in made.out.splitlines()]
    assert [row[0] for row in rows] == ["name", "Anna", "Ben", "Cleo"]
    assert all(row[1].startswith("https://lab.example.org/s/first?link=") for row in rows[1:])
    drawn = sorted(file.name for file in (tmp_path / "qr").iterdir())
    assert drawn == ["1-Anna.svg", "2-Ben.svg", "3-Cleo.svg"]

    gone = palaver("link", "first", "--revoke", "Ben", "--list", *base)
    assert "The link of 'Ben' is revoked." in gone.out
    listed = [line.split()[:3] for line in gone.out.splitlines()[2:]]
    assert listed == [["3", "Cleo", "open"], ["2", "Ben", "revoked"], ["1", "Anna", "open"]]

    nobody = palaver("link", "first", "--revoke", "Zoe", *base)
    assert (nobody.status, "No link is called 'Zoe' in 'first'." in nobody.err) == (1, True)
    both = palaver("link", "first", "-n", "3", "--name", "Zoe")
    assert both.status == 2
    assert "-n makes links without names" in both.err
