"""The clients that the API's design prints work as they stand, but for the address and the key."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from glasshouse.testing.server_process import KEY, ServerProcess

PYTHON = """\
import httpx

# 同步请求
response = httpx.post('http://127.0.0.1:8000/api/task', json={
    'prompt': '列出所有 Python 文件'
})
print(response.json())

# 流式请求
with httpx.stream('POST', 'http://127.0.0.1:8000/api/task/stream', json={
    'prompt': '分析项目结构'
}) as response:
    for line in response.iter_lines():
        if line.startswith('data: '):
            print(line[6:])
"""

JAVASCRIPT = """\
// 流式请求
const response = await fetch('/api/task/stream', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ prompt: '列出 Python 文件' })
});

const reader = response.body.getReader();
const decoder = new TextDecoder();

while (true) {
  const { done, value } = await reader.read();
  if (done) break;

  const text = decoder.decode(value);
  const lines = text.split('\\n');

  for (const line of lines) {
    if (line.startsWith('data: ')) {
      const data = JSON.parse(line.slice(6));
      console.log(data);
    }
  }
}
"""


def test_the_printed_python_client_works(server: ServerProcess, tmp_path: Path) -> None:
    # Its five seconds are httpx's own, and too few for a machine that is busy with tests.
    key = f"headers={{'X-API-Key': '{KEY}'}}, timeout=60, json={{"
    printed = _run([sys.executable, "-"], PYTHON.replace("http://127.0.0.1:8000", server.url).replace("json={", key))
    answer, *events = printed.splitlines()
    assert "'success': True" in answer and "列出所有 Python 文件" in answer
    types = [json.loads(event)["type"] for event in events]
    assert "text" in types and types[-1] == "complete"


def test_the_printed_javascript_client_works(server: ServerProcess) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node to run it with")
    program = JAVASCRIPT.replace("'/api/", f"'{server.url}/api/").replace(
        "headers: {", f"headers: {{ 'X-API-Key': '{KEY}',"
    )
    printed = _run([node, "--input-type=module", "-"], program)
    assert "type: 'text'" in printed and "type: 'complete'" in printed


def _run(command: list[str], program: str) -> str:
    done = subprocess.run(command, input=program, capture_output=True, text=True, timeout=60, check=False, env={})
    assert done.returncode == 0, done.stderr
    return done.stdout
