"""Mimir's `get_repo_bundle`: where the bundle of an index can be read. It is made when it is read."""

from dataclasses import dataclass
from typing import Annotated, TypedDict

from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.operations.dialects.mimir import failed, uri
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of Mimir's get_repo_bundle."""

    index_id: Annotated[str, About("From ensure_repo_index")]


class Answer(TypedDict):
    """Addresses of resources."""

    bundle_uri: str
    manifest_uri: str


def get_repo_bundle(call: Call, _: Arguments) -> IndexRecord:
    """Tell where the bundle of an index can be read."""
    return call.find().records[0]


def _answer(record: IndexRecord, _: Arguments) -> Json:
    return {"bundle_uri": uri(record.ulid, "bundle.tar.zst"), "manifest_uri": uri(record.ulid, "manifest.json")}


OPERATION = Operation(
    name="get_repo_bundle",
    title="Bundle of an index",
    arguments=Arguments,
    run=get_repo_bundle,
    shape=_answer,
    answer=Answer,
    about_indexes=True,
    names_index="index_id",
    failed=failed,
)
