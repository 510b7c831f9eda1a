"""Packs mined pairs for training: `python prepare.py MINED` reads words.tsv and pairs.bin, writes vocab.txt and train.npz.

The vocabulary are the words of at least two trees and five texts, most frequent first.
"""

import sys
from pathlib import Path

import numpy as np

NONE = 65535
LEFT, RIGHT = 24, 48
MOST_WORDS = 32_000


def main():
    folder = Path(sys.argv[1])
    words = [line.split("\t") for line in (folder / "words.tsv").read_text(encoding="utf-8").splitlines()]
    texts = np.array([int(word[1]) for word in words])
    trees = np.array([int(word[2]) for word in words])
    kept = np.where((trees >= 2) & (texts >= 5))[0]
    kept = kept[np.argsort(-texts[kept], kind="stable")][:MOST_WORDS]
    number = np.full(len(words), NONE, np.uint32)
    number[kept] = np.arange(len(kept))
    (folder / "vocab.txt").write_text("".join(words[at][0] + "\n" for at in kept), encoding="utf-8")

    raw = np.fromfile(folder / "pairs.bin", "<u4")
    heads, at = [], 0
    while at < len(raw):
        heads.append(at)
        at += 4 + int(raw[at + 2]) + int(raw[at + 3])
    left = np.full((len(heads), LEFT), NONE, np.uint16)
    right = np.full((len(heads), RIGHT), NONE, np.uint16)
    tree, kind = np.zeros(len(heads), np.uint8), np.zeros(len(heads), np.uint8)
    for row, at in enumerate(heads):
        tree[row], kind[row], lefts, rights = raw[at : at + 4]
        for side, start, count in ((left, at + 4, lefts), (right, at + 4 + lefts, rights)):
            known = number[raw[start : start + count]]
            known = known[known != NONE][: side.shape[1]]
            side[row, : len(known)] = known
    np.savez_compressed(folder / "train.npz", left=left, right=right, tree=tree, kind=kind, count=texts[kept])
    print(f"{len(heads)} pairs, {int((kind == 0).sum())} of them with documentation, {len(kept)} words")


main()
