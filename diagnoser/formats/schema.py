"""The JSON schema of kb.toml, for editors that know such schemas."""

from __future__ import annotations

from typing import Any

from diagnoser.formats.kb_toml import Head

NAME = "kb.schema.json"
"""The file that a kb.toml beside it names in its first line."""


def kb_schema() -> dict[str, Any]:
    """The schema; it knows keys, types and ranges, and `read_head` knows more."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Head.model_json_schema(), "title": "kb.toml"}
