"""All rankers over all queries, and their scores: `python run.py --bin FOLDER --repos REPOS [--semble PYTHON]`.

One command, one run. `--bin` is where `quality-bench` lies, `--repos` holds the repositories of `repositories.tsv` by
name, checked out at their commits, `--semble` is a Python with semble. Indexes and runs go to `--work`, a temporary
folder when not given.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", default="target/release")
    options.add_argument("--repos", required=True)
    options.add_argument("--semble")
    options.add_argument("--table", help="word vectors, for a run with them")
    options.add_argument("--work")
    args = options.parse_args()
    bench, queries = Path(args.bin).resolve() / "quality-bench", HERE / "queries.tsv"
    repos = Path(args.repos).resolve()
    names = [line.split("\t")[0] for line in (HERE / "repositories.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    missing = [name for name in names if not (repos / name).is_dir()]
    if missing:
        sys.exit(f"not under {repos}: {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(args.work or folder).resolve()
        stores = work / "stores"
        stores.mkdir(parents=True, exist_ok=True)
        runs = []
        if args.semble:
            runs.append(work / "semble.tsv")
            with open(runs[-1], "w", encoding="utf-8") as out:
                subprocess.run([args.semble, HERE / "semble_run.py", repos, queries], check=True, stdout=out)
        kinds = {"ours": [], "ours-all": ["all"], "bm25": ["text"]}
        if args.table:
            kinds["vectors"] = [f"vectors={Path(args.table).resolve()}"]
        for name, how in kinds.items():
            runs.append(work / f"{name}.tsv")
            subprocess.run([bench, "run", queries, repos, stores, runs[-1], *how], check=True)
        runs.append(work / "rg.tsv")
        subprocess.run([bench, "rg", queries, repos, runs[-1]], check=True)
        subprocess.run([bench, "score", queries, HERE / "repositories.tsv", *runs], check=True)


main()
