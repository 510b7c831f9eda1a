"""semble's ranker over our queries: `python semble_run.py REPOS queries.tsv > semble.tsv`.

Its own vectors come from a model hub; where that cannot be reached the ranker runs over BM25 alone (vector weight 0),
which is also its best figure without a model. Pass `--model PATH` to run it with a model2vec folder.
"""

import csv
import sys
from pathlib import Path

import numpy as np
from semble.index.create import create_index_from_path
from semble.search import search
from semble.types import ContentType


class NoModel:
    """Stands where the model would: every vector is the same."""

    dim = 1

    def encode(self, texts, **_):
        return np.ones((len(texts), 1), dtype=np.float32)


def main() -> None:
    args = sys.argv[1:]
    model, alpha = NoModel(), 0.0
    if "--model" in args:
        from model2vec import StaticModel

        at = args.index("--model")
        model, alpha = StaticModel.from_pretrained(args[at + 1]), None
        del args[at : at + 2]
    repos, queries = Path(args[0]), args[1]
    indexes = {}
    with open(queries, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in rows:
        repo = row["repo"]
        if repo not in indexes:
            root = (repos / repo).resolve()
            bm25, dense, chunks, _ = create_index_from_path(
                root, model=model, content=(ContentType.CODE,), display_root=root
            )
            indexes = {repo: (bm25, dense, chunks)}
            print(f"{repo}: {len(chunks)} chunks", file=sys.stderr)
        bm25, dense, chunks = indexes[repo]
        found = search(row["query"], model, dense, bm25, chunks, top_k=50, alpha=alpha)
        files = dict.fromkeys(result.chunk.file_path for result in found)
        print(repo, row["query"], " ".join(path.replace(" ", "%20") for path in files), sep="\t")


main()
