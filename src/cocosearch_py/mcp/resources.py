"""Resources of MCP: which there are for a client, and what stands in them. Each is offered where its tool is."""

import logging
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import mcp_types
from fastmcp.exceptions import NotFoundError as UnknownResourceError
from fastmcp.resources import Resource, ResourceContent, ResourceResult, ResourceTemplate, TextResource
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from cocosearch_py.errors import CocosearchError, NotFoundError, SafetyError, ValidationError, as_limit
from cocosearch_py.mcp.masking import masked_text
from cocosearch_py.mcp.projects import Projects, RootsNeededError
from cocosearch_py.mcp.tool_lists import Offer
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.resources.addresses import (
    ABOUT,
    OF_AN_INDEX,
    TEXT,
    Address,
    Kind,
    address_of,
    is_of_mimir,
    read_address,
)
from cocosearch_py.resources.facts import ServerFacts
from cocosearch_py.server.calls import ServerCall
from cocosearch_py.server.context import ServerContext
from cocosearch_py.server.metrics import ERROR, OK
from cocosearch_py.tools.call import Selection
from mcp import MCPError

if TYPE_CHECKING:
    from cocosearch_py.resources.reading import Content

log = logging.getLogger(__name__)

LABEL = "resources/read"  # among the names of tools in the figures
_NOT_FOUND = -32002  # until 2025-11-25
_NO_RESOURCE = NotFoundError("unknown resource", hint="resources/templates/list lists all")


class ResourceGate(Middleware):
    """Answers lists and reads of our resources, and passes on those of others."""

    def __init__(self, context: ServerContext, projects: Projects, offer: Offer, facts: ServerFacts) -> None:
        self._context = context
        self._projects = projects
        self._offer = offer
        self._facts = facts

    async def on_list_resources(
        self, context: MiddlewareContext[mcp_types.ListResourcesRequest], call_next: CallNext[Any, Sequence[Resource]]
    ) -> Sequence[Resource]:
        offered = self.kinds()
        found = [_resource(Kind.SERVER, ABOUT[Kind.SERVER].address)] if Kind.SERVER in offered else []
        of_an_index = [kind for kind in OF_AN_INDEX if kind in offered]
        for record in await self._context.run(self._visible) if of_an_index else ():
            found += [_resource(kind, address_of(kind, record.name), record.name) for kind in of_an_index]
        return [*await call_next(context), *found]

    async def on_list_resource_templates(
        self,
        context: MiddlewareContext[mcp_types.ListResourceTemplatesRequest],
        call_next: CallNext[Any, Sequence[ResourceTemplate]],
    ) -> Sequence[ResourceTemplate]:
        offered = self.kinds()
        found = [_template(kind) for kind in (*OF_AN_INDEX, Kind.FILE, Kind.WIKI) if kind in offered]
        return [*await call_next(context), *found]

    async def on_read_resource(
        self,
        context: MiddlewareContext[mcp_types.ReadResourceRequestParams],
        call_next: CallNext[Any, ResourceResult],
    ) -> ResourceResult:
        uri = str(context.message.uri)
        address = self.meant(uri)
        if address is None and not is_of_mimir(uri):
            try:
                return await call_next(context)
            except UnknownResourceError:
                raise self.unknown(uri, _version(context)) from None
        self._context.open_calls += 1
        try:
            with self._context.calls.timed(LABEL) as outcome:
                answer = await self._answer(uri, address, context)
                outcome.append(ERROR if answer.contents[0].mime_type == TEXT and is_of_mimir(uri) else OK)
                return answer
        finally:
            self._context.open_calls -= 1
            self._context.last_call_s = time.monotonic()

    def kinds(self) -> frozenset[Kind]:
        """Kinds of resources that this client may read."""
        tools = self._offer.now()
        return frozenset(kind for kind, about in ABOUT.items() if about.tool in tools)

    def meant(self, uri: str) -> Address | None:
        """Resolve an address for this client; None if it has no meaning."""
        address = read_address(uri)
        return address if address is not None and address.kind in self.kinds() else None

    async def _answer(self, uri: str, address: Address | None, context: MiddlewareContext[Any]) -> ResourceResult:
        try:
            if address is None:
                raise NotFoundError(_NO_RESOURCE.message, hint=_NO_RESOURCE.hint)
            selection = await self._selection(address, context)
            call = ServerCall(self._context, selection, {"uri": uri})
            content = await self._context.run(lambda: _read(call, address, self._facts))
        except CocosearchError as error:
            if is_of_mimir(uri):
                from cocosearch_py.resources.mimir import error_text

                told = error_text(address, error, self._explained(uri, error)["message"])
                return ResourceResult([ResourceContent(told, mime_type=TEXT)])
            raise self.error(uri, error, _code(error, _version(context))) from error
        except Exception as error:  # the edge of a call: the client learns that it failed, the log learns why
            log.exception("reading %s failed", uri[:200])
            fault = CocosearchError("internal error", hint="this is a bug in the server: see its log and report it")
            raise self.error(uri, as_limit(error) or fault, mcp_types.INTERNAL_ERROR) from error
        data = content.data
        if isinstance(data, str) and not self._context.options.show_secrets:
            data = masked_text(data, address.path)
        return ResourceResult([ResourceContent(data, mime_type=content.mime_type)])

    async def _selection(self, address: Address, context: MiddlewareContext[Any]) -> Selection:
        """The index of an address; of what belongs to the project of the caller, that."""
        if address.kind is not Kind.WIKI or self._context.pinned_index:
            name = address.index_name or (self._context.pinned_index if address.kind is Kind.WIKI else None)
            return Selection((name,) if name else ())
        assert context.fastmcp_context is not None
        try:
            return Selection(place=await self._projects.place_of(context.fastmcp_context))
        except RootsNeededError:  # no read of a resource can be answered with a question
            raise ValidationError(
                "the project of the wiki is not known",
                hint="call wiki_read, or name the project in the server's address",
            ) from None

    def _visible(self) -> list[IndexRecord]:
        """Indexes to list; none when the database does not answer, which reading one will tell."""
        try:
            return self._context.visible(self._context.app())
        except CocosearchError as error:
            log.warning("no index is listed: %s", error.message)
            return []

    def unknown(self, uri: str, protocol_version: str) -> MCPError:
        """The error of a request about an address that means nothing for this client."""
        return self.error(uri, _NO_RESOURCE, _not_found(protocol_version))

    def error(self, uri: str, error: CocosearchError, code: int) -> MCPError:
        """An error of the protocol that says what a tool would."""
        told = self._explained(uri, error)
        message = ". ".join([told["message"], *told["actionable_guidance"]])
        return MCPError(code=code, message=message, data={"uri": uri, **told})

    def _explained(self, uri: str, error: CocosearchError) -> dict[str, Any]:
        return self._context.explainer.described(error, {"uri": uri})


def _read(call: ServerCall, address: Address, facts: ServerFacts) -> "Content":
    from cocosearch_py.resources.reading import read  # with the operations whose answers stand in resources

    return read(call, address, facts)


def _code(error: CocosearchError, protocol_version: str) -> int:
    """The number of an error, as the protocol has it."""
    if isinstance(error, NotFoundError):
        return _not_found(protocol_version)
    bad = isinstance(error, SafetyError | ValidationError)
    return mcp_types.INVALID_PARAMS if bad else mcp_types.INTERNAL_ERROR


def _not_found(protocol_version: str) -> int:
    return mcp_types.INVALID_PARAMS if protocol_version in MODERN_PROTOCOL_VERSIONS else _NOT_FOUND


def _version(context: MiddlewareContext[Any]) -> str:
    ctx = context.fastmcp_context
    request = ctx.request_context if ctx is not None else None
    return str(request.protocol_version) if request is not None else ""


class _PlainResource(TextResource):
    """A resource as lists show it, without the framework's own remarks; what stands in it is read elsewhere."""

    def to_mcp_resource(self, **overrides: Any) -> mcp_types.Resource:
        return super().to_mcp_resource(**{"_meta": None, **overrides})


class _PlainTemplate(ResourceTemplate):
    """A template that is listed without `_meta`."""

    def to_mcp_template(self, **overrides: Any) -> mcp_types.ResourceTemplate:
        return super().to_mcp_template(**{"_meta": None, **overrides})


def _resource(kind: Kind, uri: str, index_name: str = "") -> Resource:
    about = ABOUT[kind]
    name = f"{index_name}/{kind.value}" if index_name else "status"
    title = f"{about.title}: {index_name}" if index_name else about.title
    values: Mapping[str, Any] = {
        "uri": uri,
        "name": name,
        "title": title,
        "description": about.description,
        "mime_type": about.mime_type,
        "text": "",
    }
    return _PlainResource(**values)


def _template(kind: Kind) -> ResourceTemplate:
    about = ABOUT[kind]
    return _PlainTemplate(
        uri_template=about.address,
        name=kind.value,
        title=about.title,
        description=about.description,
        mime_type=about.mime_type,
        parameters={},
    )
