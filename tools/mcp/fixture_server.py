"""The product's server with the tools, prompts and resources that the conformance suite calls by name.

    python tools/mcp/fixture_server.py PORT

Serves on the loopback interface until it is ended. Neither database nor model is opened: no tool of the product is
called.
"""

import base64
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import mcp_types as mt
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.prompts import Message
from fastmcp.tools import FunctionTool, Tool
from fastmcp.tools.base import ToolResult
from fixture_rounds import ROUND_TOOLS, add_round_prompt
from mcp.shared.exceptions import MCPError

from cocosearch_py.errors import DatabaseUnreachableError
from cocosearch_py.mcp.http import serve
from cocosearch_py.mcp.server import create_server
from cocosearch_py.server.options import ServerOptions

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
PAUSE_S = 0.05  # what the suite asks for between two messages
STATIC_TEXT = "This is the content of the static text resource."
_SCHEMA_2020_12 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
_USER = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "required": ["username", "email"],
}
_DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
}
_ENUMS = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {
            "type": "string",
            "oneOf": [{"const": f"value{n}", "title": f"{word} Option"} for n, word in ((1, "First"), (2, "Second"))],
        },
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
        "untitledMulti": {
            "type": "array",
            "items": {"type": "string", "enum": ["option1", "option2", "option3"]},
        },
        "titledMulti": {
            "type": "array",
            "items": {
                "anyOf": [
                    {"const": f"value{n}", "title": f"{word} Choice"} for n, word in ((1, "First"), (2, "Second"))
                ]
            },
        },
    },
}


def text(content: str) -> mt.TextContent:
    """A block of text."""
    return mt.TextContent(type="text", text=content)


def image() -> mt.ImageContent:
    """One red pixel."""
    return mt.ImageContent(type="image", data=PNG, mime_type="image/png")


def embedded(uri: str, content: str, mime_type: str = "text/plain") -> mt.EmbeddedResource:
    """A resource inside a message."""
    resource = mt.TextResourceContents(uri=uri, mime_type=mime_type, text=content)
    return mt.EmbeddedResource(type="resource", resource=resource)


async def test_simple_text() -> ToolResult:
    """Answer with text."""
    return ToolResult(content=[text("This is a simple text response for testing.")])


async def test_image_content() -> ToolResult:
    """Answer with an image."""
    return ToolResult(content=[image()])


async def test_audio_content() -> ToolResult:
    """Answer with sound."""
    return ToolResult(content=[mt.AudioContent(type="audio", data=WAV, mime_type="audio/wav")])


async def test_embedded_resource() -> ToolResult:
    """Answer with an embedded resource."""
    return ToolResult(content=[embedded("test://embedded-resource", "This is an embedded resource content.")])


async def test_multiple_content_types() -> ToolResult:
    """Answer with text, an image and a resource."""
    mixed = embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json")
    return ToolResult(content=[text("Multiple content types test:"), image(), mixed])


async def test_tool_with_logging(ctx: Context) -> ToolResult:
    """Send three log messages."""
    await ctx.info("Tool execution started")
    await anyio.sleep(PAUSE_S)
    await ctx.info("Tool processing data")
    await anyio.sleep(PAUSE_S)
    await ctx.info("Tool execution completed")
    return ToolResult(content=[text("Tool with logging executed")])


async def test_error_handling() -> ToolResult:
    """Fail."""
    raise ToolError("This tool intentionally returns an error for testing")


async def test_tool_with_progress(ctx: Context) -> ToolResult:
    """Report progress three times."""
    for done in (0, 50, 100):
        await ctx.report_progress(done, 100)
        await anyio.sleep(PAUSE_S)
    return ToolResult(content=[text("Tool with progress executed")])


async def test_sampling(ctx: Context, prompt: str) -> ToolResult:
    """Ask the client's model."""
    asked = mt.CreateMessageRequestParams(
        messages=[mt.SamplingMessage(role="user", content=text(prompt))], max_tokens=100
    )
    answer = await ctx.session.send_request(mt.CreateMessageRequest(params=asked), mt.CreateMessageResult)
    return ToolResult(content=[text(f"LLM response: {getattr(answer.content, 'text', '')}")])


async def _elicited(ctx: Context, message: str, schema: dict[str, Any]) -> str:
    answer = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
    return f"action={answer.action}, content={answer.content}"


async def test_elicitation(ctx: Context, message: str) -> ToolResult:
    """Ask the user."""
    return ToolResult(content=[text(f"User response: {await _elicited(ctx, message, _USER)}")])


async def test_elicitation_sep1034_defaults(ctx: Context) -> ToolResult:
    """Ask the user, with defaults of every primitive type."""
    told = await _elicited(ctx, "Please review the defaults", _DEFAULTS)
    return ToolResult(content=[text(f"Elicitation completed: {told}")])


async def test_elicitation_sep1330_enums(ctx: Context) -> ToolResult:
    """Ask the user to choose, in all five forms of a choice."""
    return ToolResult(content=[text(f"Elicitation completed: {await _elicited(ctx, 'Please choose', _ENUMS)}")])


async def test_reconnection(ctx: Context) -> ToolResult:
    """Close the stream in the middle of the call, where the server can replay it."""
    await ctx.close_sse_stream()
    await anyio.sleep(2 * PAUSE_S)
    return ToolResult(content=[text("Reconnection test completed")])


async def test_missing_capability(ctx: Context) -> ToolResult:
    """Need a capability that the client did not declare."""
    if ctx.session.check_client_capability(mt.ClientCapabilities(sampling=mt.SamplingCapability())):
        return ToolResult(content=[text("sampling is there")])
    data: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
    raise MCPError(mt.MISSING_REQUIRED_CLIENT_CAPABILITY, "sampling is needed", data)


async def test_logging_tool(ctx: Context) -> ToolResult:
    """Log once."""
    await ctx.info("logged")
    return ToolResult(content=[text("done")])


async def json_schema_2020_12_tool() -> ToolResult:
    """Stand for the schema that it is listed with."""
    return ToolResult(content=[text("listed")])


class FixedSchemaTool(FunctionTool):
    """Listed with a schema of our own instead of one made from the function."""

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        del arguments
        return ToolResult(content=[text("done")])


def _fixed(name: str, description: str, schema: dict[str, Any]) -> Tool:
    tool = FixedSchemaTool.from_function(json_schema_2020_12_tool, name=name, description=description)
    return tool.model_copy(update={"parameters": schema})


def tools() -> list[Tool]:
    """Everything that the suite calls."""
    plain: list[Callable[..., Any]] = [
        *(test_simple_text, test_image_content, test_audio_content, test_embedded_resource),
        *(test_multiple_content_types, test_tool_with_logging, test_error_handling, test_tool_with_progress),
        *(test_sampling, test_elicitation, test_elicitation_sep1034_defaults, test_elicitation_sep1330_enums),
        *(test_reconnection, test_missing_capability, test_logging_tool, *ROUND_TOOLS),
    ]
    header = {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
    }
    return [
        *(FunctionTool.from_function(function, output_schema=None) for function in plain),
        _fixed("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", _SCHEMA_2020_12),
        _fixed("test_custom_headers", "Tool with a parameter that is repeated in a header", header),
    ]


def add_prompts(server: FastMCP) -> None:
    """The suite's prompts."""

    @server.prompt(description="A prompt without arguments")
    def test_simple_prompt() -> list[Any]:
        return [Message("This is a simple prompt for testing.")]

    @server.prompt(description="A prompt with two arguments")
    def test_prompt_with_arguments(arg1: str, arg2: str) -> list[Any]:
        return [Message(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")]

    @server.prompt(description="A prompt with a resource in it")
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[Any]:  # the suite's name
        quoted = embedded(resourceUri, "Embedded resource content for testing.")
        return [Message(quoted), Message("Please process the embedded resource above.")]

    @server.prompt(description="A prompt with an image in it")
    def test_prompt_with_image() -> list[Any]:
        return [Message(image()), Message("Please analyze the image above.")]

    @server.completion
    def complete(_: Any, argument: mt.CompletionArgument, context: Any) -> list[str]:
        del context
        return [word for word in ("paris", "park", "party", "testing") if word.startswith(argument.value)]


def add_resources(server: FastMCP) -> None:
    """The suite's resources, and subscriptions to them."""

    @server.resource("test://static-text", description="Text", mime_type="text/plain")
    def static_text() -> str:
        return STATIC_TEXT

    @server.resource("test://static-binary", description="Bytes", mime_type="image/png")
    def static_binary() -> bytes:
        return base64.b64decode(PNG)

    @server.resource("test://template/{id}/data", description="By number", mime_type="application/json")
    def template(id: str) -> str:  # the suite's name
        return f'{{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}}'

    @server.resource("test://watched-resource", description="May be subscribed to", mime_type="text/plain")
    def watched() -> str:
        return "watched"

    async def accept(_: Any, __: Any) -> mt.EmptyResult:
        return mt.EmptyResult()

    low_level = server._mcp_server  # FastMCP has no way of its own to accept subscriptions
    low_level.add_request_handler("resources/subscribe", mt.SubscribeRequestParams, accept)
    low_level.add_request_handler("resources/unsubscribe", mt.UnsubscribeRequestParams, accept)


def main() -> int:
    """Serve the product's factory with the fixtures."""
    options = ServerOptions(transport="http", port=int(sys.argv[1]), working_folder=Path.cwd())

    def no_engine(_: Path) -> Any:
        raise DatabaseUnreachableError("there is no database", hint="the suite calls no tool of the product")

    server, _ = create_server(no_engine, options, extra=tools())
    add_prompts(server)
    add_round_prompt(server)
    add_resources(server)
    serve(server, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
