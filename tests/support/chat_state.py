"""CoCoA's `chat_state.db` as its web server writes it, made anew for each test."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

TABLES = """
CREATE TABLE active_user (name text unique, status string, status_timestamp integer,
  connected_status integer, connected_timestamp integer, message text, partner_type text,
  partner_id text, scenario_id text, agent_index integer, selected_index integer, chat_id text);
CREATE TABLE mturk_task (name text, mturk_code text, chat_id text);
CREATE TABLE event (chat_id text, action text, agent integer, time text, data text,
  start_time text, metadata text);
CREATE TABLE chat (chat_id text, scenario_id text, outcome text, agent_ids text,
  agent_types text, start_time text);
CREATE TABLE scenario (scenario_id text, partner_type text, complete string, active string);
CREATE TABLE feedback (name text, comments text);
CREATE TABLE bot (chat_id text, type text, config text);
"""
SURVEYS = {
    "mutual_friends": "partner_type text, cooperative integer, humanlike integer, comments text",
    "craigslist_bargain": "partner_type text, fluent integer, honest integer, persuasive integer, "
    "fair integer, negotiator integer, coherent integer, comments text",
    "deal_or_no_deal": "negotiator integer, comments text",
}
FRIEND = {"Name": "Ada", "Hobby": "Chess"}


class ChatStateFile:
    """A database to which chats, events and surveys are added."""

    def __init__(self, path: Path, game: str = "mutual_friends") -> None:
        self.path = path
        self.run(TABLES + f"CREATE TABLE survey (name text, chat_id text, {SURVEYS[game]});")

    def run(self, script: str) -> None:
        with closing(sqlite3.connect(self.path)) as connection:
            connection.executescript(script)

    def insert(self, table: str, *rows: tuple[Any, ...]) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            for row in rows:
                places = ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {table} VALUES ({places})", row)

    def chat(
        self,
        name: str,
        *events: tuple[int, str, Any],
        scenario: str = "S_friends",
        outcome: Any = '{"reward": 1}',
        ids: Any = '{"0": "U_ann", "1": 0}',
        types: Any = '{"0": "human", "1": "rulebased"}',
    ) -> None:
        """A chat of these events: agent, action and data, as the site kept them."""
        self.insert("chat", (name, scenario, outcome, ids, types, "1500000000"))
        self.insert(
            "event",
            *(
                (name, action, agent, str(1500000000 + n), data, None, "null")
                for n, (agent, action, data) in enumerate(events)
            ),
        )


def friends_chat(file: ChatStateFile, name: str = "C_1") -> None:
    """A chat in which a person and a bot find their friend, with all that a site notes beside."""
    file.chat(
        name,
        (0, "join", "U_ann"),
        (0, "typing", "started"),
        (0, "message", "Hi"),
        (1, "message", "  "),
        (1, "select", json.dumps(FRIEND)),
        (0, "select", json.dumps(FRIEND)),
        (0, "leave", None),
    )
    file.insert("bot", (name, "rulebased", "a.json"))
