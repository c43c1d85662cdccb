"""The programs that Mimir's document prints run: start command, folder and import of the client are other ones.

They are in the document alone; where REFERENCE_DOCUMENTS does not name its folder, this is skipped.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.mcp import documents
from tests.mcp.test_contract import git
from tests.mcp.test_documented import PROJECT, lay_out

pytestmark = pytest.mark.skipif(documents.FOLDER is None, reason="the documents are not at hand")

# What the programs import: clients with the methods that they call.
PYTHON_CLIENT = """
import shlex
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

class MCPClient:
    def __init__(self, command):
        program, *arguments = shlex.split(command)
        self.client = Client(StdioTransport(program, arguments, env=dict(os.environ)))
    async def opened(self):
        if not self.client.is_connected():
            await self.client.__aenter__()
        return self.client
    async def call_tool(self, name, arguments):
        client = await self.opened()
        return json.loads((await client.call_tool(name, arguments)).content[0].text)
    async def read_resource(self, uri):
        client = await self.opened()
        return await client.read_resource_mcp(uri)
"""
NODE_CLIENT = """
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export class MCPClient {
  constructor({ command, args }) { Object.assign(this, { command, args, next: 1, waiting: new Map() }); }
  async connect() {
    this.server = spawn(this.command, this.args, { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.server.stdout }).on('line', (line) => {
      const { id, result, error } = JSON.parse(line);
      const waiting = this.waiting.get(id);
      if (waiting) error ? waiting.fail(new Error(JSON.stringify(error))) : waiting.done(result);
    });
    const clientInfo = { name: 'test', version: '1' };
    await this.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.send({ method: 'notifications/initialized' });
  }
  send(message) { this.server.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n'); }
  ask(method, params) {
    const id = this.next++;
    return new Promise((done, fail) => { this.waiting.set(id, { done, fail }); this.send({ id, method, params }); });
  }
  async callTool(name, args) {
    const result = await this.ask('tools/call', { name, arguments: args });
    if (result.isError) throw new Error(result.content[0].text);
    return JSON.parse(result.content[0].text);
  }
  readResource(uri) { return this.ask('resources/read', { uri }); }
  async disconnect() { this.server.stdin.end(); }
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = lay_out(tmp_path / "users", PROJECT)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    return folder


def test_the_python_program(project: Path, tmp_path: Path, process_environment: dict[str, str]) -> None:
    text = documents.programs(documents.MIMIR)["python"]
    (tmp_path / "mcp_client.py").write_text(f"import json, os\n{PYTHON_CLIENT}")
    started = text.replace("python -m repoindex.main mcp", f"{sys.executable} -m cocosearch_py mcp {project}")
    program = tmp_path / "program.py"
    # It uses json, and does not import it.
    program.write_text("import json\n" + started.replace("/path/to/project", str(project)))
    assert program.read_text().count(str(project)) == 2
    environment = {**process_environment, "PYTHONPATH": f"{process_environment['PYTHONPATH']}:{tmp_path}"}
    ended = subprocess.run(
        [sys.executable, program], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 0, ended.stderr
    found = re.search(r"Found (\d+) results", ended.stdout)
    evidence = re.search(r"Answer based on (\d+) pieces of evidence", ended.stdout)
    assert found is not None
    assert evidence is not None
    assert 1 <= int(found[1]) <= 10
    assert int(evidence[1]) >= 1


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_typescript_program(project: Path, tmp_path: Path, process_environment: dict[str, str]) -> None:
    text = documents.programs(documents.MIMIR)["typescript"]
    (tmp_path / "client.mjs").write_text(NODE_CLIENT)
    started = text.replace("'python'", json.dumps(sys.executable)).replace("'@mcp/client'", "'./client.mjs'")
    started = started.replace(
        "['-m', 'repoindex.main', 'mcp']", json.dumps(["-m", "cocosearch_py", "mcp", str(project)])
    )
    program = tmp_path / "program.mjs"
    # It defines what it does, and does not call it.
    program.write_text(started.replace("/path/to/project", str(project)) + "\nawait indexRepository();\n")
    assert "repoindex" not in program.read_text()
    ended = subprocess.run(
        ["node", program], env=process_environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 0, ended.stderr
    found = re.search(r"Found (\d+) results", ended.stdout)
    size = re.search(r"Bundle size: (\d+) bytes", ended.stdout)
    assert found is not None
    assert size is not None
    assert 1 <= int(found[1]) <= 5
    assert int(size[1]) > 1000
