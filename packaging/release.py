"""Everything a package is made from: the program, its version, its texts."""

import json
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Names of the processor in Rust, Debian, npm and Python.
MACHINES = {
    "x86_64": {"deb": "amd64", "npm": "x64", "elf": 62},
    "aarch64": {"deb": "arm64", "npm": "arm64", "elf": 183},
}


class Release:
    """A built program and what is said about it."""

    name = "mainstay"
    title = "Mainstay"
    summary = "Code search, programs, instructions and a design system as tools for coding agents"
    licence = "MIT OR Apache-2.0"
    # The name the MCP registry knows the server by; its owner has to prove it there.
    registry_name = "io.github.mainstay/mainstay"

    def __init__(self, binary, epoch, level, speaker):
        self.program = pathlib.Path(binary).read_bytes()
        # The program of the same commit that runs here; it tells about all of them.
        self.binary = str(pathlib.Path(speaker).resolve())
        self.epoch = epoch
        # How hard archives are compressed, 1 to 9.
        self.level = level
        self.machine = machine_of(self.program)
        self.version = subprocess.run(
            [self.binary, "--version"], check=True, capture_output=True, text=True
        ).stdout.split()[-1]

    def ours(self, name):
        """Name of the machine in another packager's words."""
        return MACHINES[self.machine][name]

    def text(self, name):
        return (ROOT / name).read_bytes()

    def licences(self):
        return {name: self.text(name) for name in ("LICENSE-MIT", "LICENSE-APACHE")}

    def completions(self):
        """Completion scripts by shell."""
        run = lambda shell: subprocess.run(
            [self.binary, "completions", shell], check=True, capture_output=True
        ).stdout
        return {shell: run(shell) for shell in ("bash", "zsh", "fish")}

    def manuals(self):
        """Manual pages by file name."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([self.binary, "man", folder], check=True, capture_output=True)
            return {name: (pathlib.Path(folder) / name).read_bytes() for name in sorted(os.listdir(folder))}

    def tools(self):
        """Names and summaries of the tools, as a server of the program lists them."""
        ran = subprocess.run(
            [self.binary, "tools", "list", "--json", "--config", "/dev/null"],
            check=True, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
            cwd="/",
        )
        return json.loads(ran.stdout)["result"]["tools"]

    def glibc(self):
        """The oldest C library the program runs with, as (major, minor)."""
        versions = re.findall(rb"GLIBC_(\d+)\.(\d+)", self.program)
        return max(((int(major), int(minor)) for major, minor in versions), default=(2, 17))


def machine_of(program):
    """The processor an ELF file is for."""
    if program[:4] != b"\x7fELF":
        raise SystemExit("error: the program is not a Linux executable")
    number = int.from_bytes(program[18:20], "little")
    for machine, names in MACHINES.items():
        if names["elf"] == number:
            return machine
    raise SystemExit(f"error: unknown machine {number}")
