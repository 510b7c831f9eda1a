"""A million tiny files: `python tiny.py SEARCH_BENCH [FILES] [FOLDER]`. Builds, changes one file, builds again."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    bench = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    root = Path(tempfile.mkdtemp(dir=sys.argv[3] if len(sys.argv) > 3 else None))
    try:
        tree, store = root / "tree", root / "store"
        for number in range(count):
            if number % 500 == 0:
                folder = tree / f"d{number // 100_000}" / f"e{number // 500}"
                folder.mkdir(parents=True)
            (folder / f"f{number}.py").write_text(f"def tiny_{number}():\n    return {number}\n")
        for what, env in [("first", {}), ("nothing changed", {}), ("one changed", {})]:
            if what == "one changed":
                (tree / "d0" / "e0" / "f7.py").write_text("def other():\n    pass\n")
            out = subprocess.run([bench, "build", tree, store], check=True, capture_output=True, text=True)
            print(f"{what}: {out.stdout.splitlines()[-1]}", flush=True)
        out = subprocess.run([bench, "cold", tree, store, f"tiny_{count - 1}"], check=True, capture_output=True, text=True)
        print(out.stdout, flush=True)
    finally:
        shutil.rmtree(root)


main()
