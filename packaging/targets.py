"""The machines the program is built for, and what building for each needs."""

import os
import platform
import shutil
import subprocess

from release import MACHINES


class Target:
    """One machine, under Linux."""

    def __init__(self, machine):
        self.machine = machine
        self.triple = f"{machine}-unknown-linux-gnu"
        self.is_here = platform.machine() == machine
        # What Debian calls the compiler for it.
        self.compiler = f"{machine.replace('_', '-')}-linux-gnu-gcc"

    def missing(self):
        """Why it cannot be built for, or nothing."""
        if self.is_here:
            return None
        if not shutil.which(self.compiler):
            return f"there is no {self.compiler} (Debian: gcc-{self.compiler[:-4]} g++-{self.compiler[:-4]})"
        if not shutil.which("rustc"):
            return "there is no rustc"
        libraries = subprocess.run(
            ["rustc", "--print", "target-libdir", "--target", self.triple], capture_output=True, text=True
        ).stdout.strip()
        if not os.path.isdir(libraries):
            return f"the Rust target is missing (rustup target add {self.triple})"
        return None

    def flags(self):
        return [] if self.is_here else ["--target", self.triple]

    def environment(self):
        """The environment of cargo: who links, and who compiles C."""
        environment = dict(os.environ)
        if not self.is_here:
            name = self.triple.replace("-", "_")
            environment[f"CARGO_TARGET_{name.upper()}_LINKER"] = self.compiler
            environment[f"CC_{name}"] = self.compiler
            environment[f"CXX_{name}"] = self.compiler.replace("-gcc", "-g++")
        return environment


def all():
    """Every machine, this one first."""
    return sorted(map(Target, MACHINES), key=lambda target: not target.is_here)
