"""Latencies of systems in the store."""

from palaver.storage import Store
from palaver.storage.dialogues.latencies import load_latencies, save_latencies
from palaver.storage.studies.studies import register_study


def test_what_is_saved_is_what_was_measured_last(store: Store) -> None:
    def save(seconds: dict[str, list[float]]) -> None:
        store.write_now(lambda c: save_latencies(c, study, seconds, now=1.0))

    study = store.write_now(
        lambda c: register_study(c, name="s", title="S", digest="d", definition="", now=0.0)
    )
    save({})
    assert store.read_now(lambda c: load_latencies(c, study)) == {}
    save({"tern": [0.1234, 2.0], "plover": [1.0]})
    save({"tern": [3.0]})
    assert store.read_now(lambda c: load_latencies(c, study)) == {"plover": [1.0], "tern": [3.0]}
    assert store.read_now(lambda c: load_latencies(c, study + 1)) == {}
