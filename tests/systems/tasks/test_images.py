"""Images of questions, by whatever address they are given."""

import base64
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from palaver.core.errors import InputError
from palaver.systems.images import embed_images

pytestmark = pytest.mark.asyncio

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
ENCODED = base64.b64encode(PICTURE).decode()


async def embedded(address: Any, folder: Path) -> Any:
    question = {"uid": "7", "image": address, "question": "What is it?"}
    return (await embed_images(question, ["image"], folder))["image"]


async def test_files_addresses_and_data_become_base64(serve: Any, tmp_path: Path) -> None:
    async def picture(request: web.Request) -> web.StreamResponse:
        return web.Response(body=PICTURE, content_type="image/png")

    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.png").write_bytes(PICTURE)
    url = await serve(picture)

    for address in (
        "pictures/a.png",
        f"file://{tmp_path}/pictures/a.png",
        f"{url}/a.png",
        f"data:image/png;base64,{ENCODED}",
    ):
        assert await embedded(address, tmp_path) == ENCODED
    assert await embedded("data:,a%20b", tmp_path) == base64.b64encode(b"a b").decode()


async def test_the_question_itself_stays_as_it_was(tmp_path: Path) -> None:
    question = {"uid": "7", "image": "data:,x", "question": "What is it?"}

    changed = await embed_images(question, ["image"], tmp_path)

    assert question["image"] == "data:,x"
    assert changed == {**question, "image": "eA=="}


async def test_what_cannot_be_sent_is_named(serve: Any, tmp_path: Path) -> None:
    async def missing(request: web.Request) -> web.StreamResponse:
        return web.Response(status=404)

    (tmp_path / "inside").mkdir()
    (tmp_path / "secret.txt").write_text("no", encoding="utf-8")
    url = await serve(missing)
    for address, words in (
        ("none.png", "none.png cannot be read"),
        ("../secret.txt", "is outside"),
        ("/etc/passwd", "is outside"),
        (f"{url}/a.png?key=1", "answered 404"),
        ("http://127.0.0.1:1/a.png", "was not fetched"),
        ("data:image/png;base64,????", "not valid base64"),
        (None, "not the address of an image; got None"),
    ):
        with pytest.raises(InputError, match=words) as caught:
            await embedded(address, tmp_path / "inside")
        assert "Item 7: 'image'" in str(caught.value)
        assert "key=1" not in str(caught.value)
