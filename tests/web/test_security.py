"""What every request passes: headers, sizes and rates, on a real server."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from palaver.web.rendering import LOOK
from palaver.web.security import Buckets
from support.flow_studies import system
from support.houses import House


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    yield from served(tmp_path_factory.mktemp("security"))


@pytest.fixture
def strict_house(tmp_path: Path) -> Iterator[House]:
    """A house of its own for whoever asks too much: all tests come from one address, and the next
    visitor of the same house would be refused as well.
    """
    yield from served(tmp_path, environment={"PALAVER_REQUESTS_PER_SECOND": "5"})


def served(folder: Path, **options: Any) -> Iterator[House]:
    url = f"sqlite:///{folder / 'home' / 'palaver.db'}"
    built = House.build(folder, {"chat": system()}, url)
    built.serve(**options)
    yield built
    built.close()


@pytest.mark.asyncio
async def test_every_page_carries_the_headers_and_the_cookie_is_for_its_path_alone(
    house: House,
) -> None:
    async with house.visitor("chat") as ann, ann.session.get(ann.path) as response:
        policy = response.headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "unsafe-inline" not in policy
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["x-frame-options"] == "DENY"
        assert response.headers["cache-control"] == "no-store"
        assert "<script>" not in ann.page
        assert "onclick" not in ann.page
        set_cookie = "".join(ann.received)
        assert "HttpOnly" in set_cookie
        assert "SameSite=lax" in set_cookie
        assert f"Path=/take/{ann.path.rpartition('/')[2]}" in set_cookie


@pytest.mark.asyncio
async def test_a_static_file_comes_packed_to_whoever_can_unpack_it(house: House) -> None:
    address = f"{house.server.base}/static/base.css"
    plain = (LOOK / "base.css").read_bytes()
    async with aiohttp.ClientSession(auto_decompress=False) as session:
        async with session.get(address, headers={"accept-encoding": "gzip"}) as response:
            packed = await response.read()
            assert response.headers["content-encoding"] == "gzip"
            assert response.headers["content-type"].startswith("text/css")
            assert response.headers["vary"] == "accept-encoding"
            assert len(packed) < len(plain) / 2
            assert gzip.decompress(packed) == plain
            known = response.headers["etag"]
        async with session.get(address, headers={"accept-encoding": "identity"}) as response:
            assert "content-encoding" not in response.headers
            assert await response.read() == plain
        async with session.get(address, headers={"if-none-match": known}) as response:
            assert response.status == 304


@pytest.mark.asyncio
async def test_a_body_that_is_too_large_is_refused_declared_or_not(house: House) -> None:
    async with house.visitor("chat") as ann:
        big = b"x" * (300 * 1024)

        async def in_pieces():
            for n in range(0, len(big), 65536):
                yield big[n : n + 65536]

        for body in (big, in_pieces()):
            async with ann.session.post(f"{ann.path}/problem", data=body) as response:
                assert response.status in {403, 413}
        await ann.reload()
        assert ann.status == 200


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "body",
    [b"\xff\xfe=\x00", b"a=%ff%fe&csrf=%00", b"&&&==", b"\r\n--x\r\n"],
)
async def test_a_form_of_nonsense_is_refused_without_a_crash(house: House, body: bytes) -> None:
    async with house.visitor("chat") as ann:
        for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            async with ann.session.post(
                f"{ann.path}/consent", data=body, headers={"content-type": kind}
            ) as response:
                assert response.status in {400, 403}


@pytest.mark.asyncio
async def test_too_many_requests_are_told_to_wait_and_lose_nothing(strict_house: House) -> None:
    async with strict_house.visitor("chat") as ann:
        statuses = []
        # So many that a slow machine sends them faster than they are allowed, too.
        for _ in range(500):
            async with ann.session.get(ann.path) as response:
                statuses.append(response.status)
            if statuses[-1] == 429:
                assert response.headers["retry-after"]
                break
        assert statuses[-1] == 429
        assert set(statuses) == {200, 429}


@pytest.mark.asyncio
async def test_nothing_secret_is_logged_or_shown(house: House) -> None:
    async with aiohttp.ClientSession() as session:
        async with session.get(f"{house.server.base}/take/a_nothing") as response:
            page = await response.text()
        assert "Traceback" not in page
    secret = house.store.secret()
    assert secret not in house.server.output()
    assert secret not in page


def test_a_bucket_gives_what_it_holds_and_fills_again() -> None:
    buckets = Buckets(rate=2.0, burst=3.0)

    assert [buckets.take("ann", now=0.0) for _ in range(4)] == [True, True, True, False]
    assert buckets.take("ben", now=0.0)
    assert [buckets.take("ann", now=1.0) for _ in range(3)] == [True, True, False]


def test_buckets_forget_the_longest_unused() -> None:
    buckets = Buckets(rate=0.0, burst=1.0, names=2)
    for name in ("ann", "ben", "cem"):
        assert buckets.take(name, now=0.0)

    assert not buckets.take("cem", now=0.0)
    assert buckets.take("ann", now=0.0)
