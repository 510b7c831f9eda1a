"""Kills builds at random moments: `python kill.py SEARCH_BENCH TREE [ROUNDS]`.

Each round starts a full build over an index that exists, sends SIGKILL after a random part of the time a build takes,
and then opens the index, reads every byte of it and asks it something. Ends with an error at the first that fails.
"""

import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def word(tree: Path) -> str:
    """Something the index has to find."""
    for path in sorted(tree.rglob("*")):
        if path.is_file() and path.suffix in {".py", ".rs", ".go", ".js", ".c", ".java"}:
            found = re.search(r"\b[a-z]{3,}_[a-z]{3,}\b", path.read_text(errors="ignore"))
            if found:
                return f'"{found.group()}"'
    raise SystemExit("the tree has no code")


def main() -> None:
    bench, tree = sys.argv[1], Path(sys.argv[2])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 300
    random.seed(7)
    asked = word(tree)
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        env = {**os.environ, "FULL": "1", "LEXICAL": "1"}
        began = time.monotonic()
        subprocess.run([bench, "build", tree, store], check=True, stdout=subprocess.DEVNULL)
        whole = time.monotonic() - began
        killed = 0
        for number in range(rounds):
            build = subprocess.Popen([bench, "build", tree, store], env=env, stdout=subprocess.DEVNULL)
            time.sleep(random.random() * whole * 1.1)
            build.kill()
            killed += build.wait() != 0
            subprocess.run([bench, "verify", tree, store, asked], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([bench, "build", tree, store], check=True, stdout=subprocess.DEVNULL)
        left = [name for name in os.listdir(store) if name.startswith((".writing", "parsing"))]
        print(f"{rounds} builds, {killed} killed before their end; the index answered after each; left over: {left}")


main()
