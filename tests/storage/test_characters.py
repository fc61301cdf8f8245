"""The null character: refused by both databases, plain or inside JSON, in the same words."""

import pytest
from sqlalchemy import bindparam, select, text

from palaver.core.characters import REFUSAL
from palaver.core.errors import InputError
from palaver.storage import Store
from palaver.storage.engine.prepared import Prepared
from palaver.storage.schema.visits import studies

NAMES = ["a\0b", '{"text":"a\\u0000b"}', '["a",{"b\\u0000":1}]']
# A text about the escape is a text like any other.
PLAIN = ["a\\u0000b", '{"text":"a\\\\u0000b"}', "{\\u0000"]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_refused_where_it_is_read_or_written(store: Store, name: str) -> None:
    by_name = Prepared(select(studies.c.id).where(studies.c.name == bindparam("name")))
    with pytest.raises(InputError) as prepared:
        store.read_now(lambda c: by_name.first(c, name=name))
    with pytest.raises(InputError) as asked:
        store.read_now(lambda c: c.execute(select(studies.c.id).where(studies.c.name == name)))
    with pytest.raises(InputError) as many:
        store.write_now(
            lambda c: c.execute(text("SELECT CAST(:a AS text)"), [{"a": "x"}, {"a": name}])
        )
    assert {str(each.value) for each in (prepared, asked, many)} == {REFUSAL}


@pytest.mark.parametrize("name", PLAIN)
def test_what_only_speaks_of_it_is_kept(store: Store, name: str) -> None:
    given = store.read_now(
        lambda c: c.execute(text("SELECT CAST(:a AS text)"), {"a": name}).scalar()
    )
    assert given == name
