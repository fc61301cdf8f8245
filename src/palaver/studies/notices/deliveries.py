"""How what is to be sent fares: letters of the outbox, and notices by hook."""

from sqlalchemy import Connection

from palaver.core.studies.notices import DeliveryHealth, NoticeList
from palaver.storage.outbox import notices as rows
from palaver.storage.outbox.letters import count_mails


def notices_of(connection: Connection, study_id: int) -> NoticeList:
    """The notices of a study, newest first, with what became of each."""
    return rows.list_notices(connection, study_id)


def delivery_health(connection: Connection) -> DeliveryHealth:
    """How many letters and notices by hook wait, were sent or failed, and what was said last."""
    return DeliveryHealth(
        letters=count_mails(connection),
        hooks=rows.count_hooks(connection),
        trouble=rows.last_hook_trouble(connection),
    )


def retry_failed(connection: Connection, study_id: int, *, now: float) -> int:
    """Let notices by hook of a study that failed be tried again; how many they are."""
    return rows.revive_hooks(connection, study_id, now=now)
