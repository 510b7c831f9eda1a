#!/usr/bin/env python3
"""CPU of `mainstay climax run` from start to `initialize`, with 500 tools in ten configurations.

usage: start.py PATH_OF_MAINSTAY
Linux only: CPU comes from /proc. Prints the best of five starts for JSON and for YAML.
"""
import json
import os
import subprocess
import sys
import tempfile

INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}
ARGS = [{"name": "a", "type": "string", "description": "first"}, {"name": "b", "type": "integer", "flag": "--b"}]


def config(number):
    tools = [{"name": f"t{number}_{i}", "description": "Says something useful", "args": ARGS} for i in range(50)]
    return {"name": f"cli{number}", "description": "d", "command": "echo", "tools": tools}


def yaml(config):
    lines = [f"{key}: {config[key]}" for key in ("name", "description", "command")] + ["tools:"]
    for tool in config["tools"]:
        lines += [f"- name: {tool['name']}", f"  description: {tool['description']}", "  args:"]
        for arg in tool["args"]:
            lines += [("  - " if at == 0 else "    ") + f"{key}: {value}" for at, (key, value) in enumerate(arg.items())]
    return "\n".join(lines) + "\n"


def cpu_ms(pid):
    tasks = os.listdir(f"/proc/{pid}/task")
    return sum(int(open(f"/proc/{pid}/task/{task}/schedstat").read().split()[0]) for task in tasks) / 1e6


def start(binary, files):
    server = subprocess.Popen([binary, "climax", "run", *files], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    server.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
    server.stdin.flush()
    assert b'"result"' in server.stdout.readline()
    spent = cpu_ms(server.pid)
    server.stdin.close()
    server.wait()
    return spent


def main():
    binary = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for kind, write in (("json", json.dumps), ("yaml", yaml)):
            files = [os.path.join(folder, f"c{number}.{kind}") for number in range(10)]
            for number, file in enumerate(files):
                with open(file, "w") as out:
                    out.write(write(config(number)))
            print(f"{kind}: {min(start(binary, files) for _ in range(5)):.1f} ms CPU")


main()
