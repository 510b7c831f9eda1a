"""What semble's ranker costs: `python semble_speed.py TREE QUERIES`. Without its model, as in bench/quality."""

import sys
import time
from pathlib import Path

import numpy as np
from semble.index.create import create_index_from_path
from semble.search import search
from semble.types import ContentType


class NoModel:
    dim = 1

    def encode(self, texts, **_):
        return np.ones((len(texts), 1), dtype=np.float32)


root = Path(sys.argv[1]).resolve()
began = time.process_time()
bm25, dense, chunks, _ = create_index_from_path(root, model=NoModel(), content=(ContentType.CODE,), display_root=root)
print(f"index {time.process_time() - began:.2f} CPU-s, {len(chunks)} chunks")
times = []
for query in Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()[:40]:
    began = time.process_time()
    search(query, NoModel(), dense, bm25, chunks, top_k=10, alpha=0.0)
    times.append(time.process_time() - began)
print(f"p50 {sorted(times)[len(times) // 2] * 1e3:.2f} CPU-ms")
