"""`palaver link`: signed links, one per person."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from palaver.crowds.links import read_link
from palaver.storage import Store

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


def test_before_the_study_was_served(palaver: Palaver, study: Path) -> None:
    said = palaver("link", "first")
    assert said.status == 1
    assert "Serve the study first (palaver serve first)" in said.err


def test_a_number_out_of_range(palaver: Palaver, played: Path) -> None:
    said = palaver("link", "first", "-n", "0")
    assert said.status == 1
    assert "1 to 10,000 links can be made at once; got 0." in said.err
