"""Trains the table of word vectors: `python train.py train.npz vocab.txt OUT [--dev dev.txt devq.txt run.tsv]`.

Start: the words' co-occurrence in pairs as positive pointwise mutual information, reduced to 128 dimensions. Then both
sides of a pair are pulled together against the other pairs of its tree (InfoNCE, both ways). One learned weight per
word is folded into its row. Written as `vectors.bin`, whose layout `crates/index/src/vectors/table.rs` documents.
"""

import argparse
import gzip
import struct
import time

import numpy as np
import torch
import torch.nn.functional as F

NONE = 65535


def bags(ids, rows, scale):
    """Weighted sums of rows, one per line of ids."""
    mask = ids != NONE
    safe = torch.where(mask, ids, torch.zeros_like(ids)).long()
    weights = (scale[safe].exp() * mask).unsqueeze(-1)
    return F.normalize((rows[safe] * weights).sum(1), dim=-1)


def start(left, right, words, dim, device):
    both = torch.cat([left, right], 1).long()
    counts = torch.zeros(words, words, device=device)
    for part in both.split(4096):
        hot = torch.zeros(len(part), words + 1, device=device, dtype=torch.float16)
        hot.scatter_(1, torch.where(part == NONE, torch.full_like(part, words), part), 1.0)
        hot = hot[:, :words]
        hot /= hot.sum(1, keepdim=True).clamp(min=1).sqrt()
        counts += (hot.T @ hot).float()
    counts.fill_diagonal_(0)
    total, single = counts.sum(), counts.sum(1)
    context = single.clamp(min=1e-6) ** 0.75
    context = context / context.sum()
    expected = single.clamp(min=1e-6)[:, None] / total * context[None, :]
    pmi = ((counts / total) / expected).clamp(min=1e-9).log().clamp(min=0)
    u, s, _ = torch.svd_lowrank(pmi, q=dim + 16, niter=6)
    return F.normalize(u[:, :dim] * s[:dim].sqrt(), dim=-1)


def train(data, words, device, dim=128, seed=1, epochs=8, rate=0.003, temperature=0.04, drop=0.4, svd=True, names=0.5):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    left = torch.tensor(data["left"].astype(np.int64), device=device)
    right = torch.tensor(data["right"].astype(np.int64), device=device)
    tree, kind = data["tree"], data["kind"]
    rows = start(left, right, words, dim, device)
    if not svd:
        rows = F.normalize(torch.randn(words, dim, device=device), dim=-1)
    rows = rows.clone().requires_grad_(True)
    count = torch.tensor(data["count"].astype(np.float32), device=device)
    scale = (-0.35 * (count / count.sum() * 1e4 + 1).log()).requires_grad_(True)
    optimiser = torch.optim.Adam([{"params": [rows], "lr": rate}, {"params": [scale], "lr": rate * 3}])
    blocks_of = [np.where(tree == number)[0] for number in np.unique(tree)]
    size, group = 2048, 4
    per_epoch = sum(max(1, len(block) // size) for block in blocks_of) // group
    total, step = epochs * per_epoch, 0
    kinds = torch.tensor(kind, device=device)
    for _ in range(epochs):
        blocks = []
        for block in blocks_of:
            mixed = rng.permutation(block)
            blocks += [mixed[at : at + size] for at in range(0, max(1, len(mixed) - size + 1), size)]
        order = rng.permutation(len(blocks))
        for at in range(0, len(order) - group + 1, group):
            for one in optimiser.param_groups:
                one["lr"] = (rate if one["params"][0] is rows else rate * 3) * 0.5 * (1 + np.cos(np.pi * step / total))
            loss = 0
            for number in order[at : at + group]:
                index = torch.tensor(blocks[number], device=device)
                code = right[index]
                code = torch.where(torch.rand(code.shape, device=device) < drop, torch.full_like(code, NONE), code)
                a, b = bags(left[index], rows, scale), bags(code, rows, scale)
                logits = a @ b.T / temperature
                goal = torch.arange(len(index), device=device)
                weight = torch.where(kinds[index] == 0, 1.0, names)
                both = F.cross_entropy(logits, goal, reduction="none") + F.cross_entropy(logits.T, goal, reduction="none")
                loss = loss + (both * weight).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            step += 1
    with torch.no_grad():
        return (F.normalize(rows, dim=-1) * scale.exp()[:, None]).cpu()


def quantise(table):
    scale = table.abs().amax(1, keepdim=True).clamp(min=1e-9) / 127
    return (table / scale).round().to(torch.int8), scale[:, 0]


def write(path, vocabulary, table):
    rows, scales = quantise(table)
    order = sorted(range(len(vocabulary)), key=lambda at: vocabulary[at].encode())
    names = b"".join(bytes([len(vocabulary[at].encode())]) + vocabulary[at].encode() for at in order)
    with open(path, "wb") as file:
        file.write(b"MSVEC1\0\0" + struct.pack("<III", len(order), table.shape[1], len(names)) + names)
        file.write(scales[order].numpy().astype("<f4").tobytes())
        file.write(rows[order].numpy().tobytes())


class Dev:
    """Real questions: the files found by vectors alone, and together with a run of the ranker."""

    def __init__(self, chunks, queries, run, device):
        self.repos, self.device = {}, device
        reader = gzip.open if chunks.endswith(".gz") else open
        for line in reader(chunks, "rt", encoding="utf-8"):
            repo, path, ids = line.rstrip("\n").split("\t")
            self.repos.setdefault(repo, []).append((path, [int(word) for word in ids.split()]))
        self.bags = {}
        for repo, rows in self.repos.items():
            ids = np.full((len(rows), 64), NONE, np.int64)
            for at, (_, words) in enumerate(rows):
                ids[at, : len(words)] = words
            self.bags[repo] = torch.tensor(ids, device=device)
        self.run = {}
        for line in open(run, encoding="utf-8"):
            repo, query, files = line.rstrip("\n").split("\t")
            self.run[repo, query] = files.split()
        self.queries = [line.rstrip("\n").split("\t") for line in open(queries, encoding="utf-8")]

    def score(self, table, halves):
        table, zero = table.to(self.device), torch.zeros(len(table), device=self.device)
        with torch.no_grad():
            vectors = {repo: bags(ids, table, zero) for repo, ids in self.bags.items()}
        out = {}
        for repo, kind, query, relevant, words in self.queries:
            if kind == "symbol" or not words:
                continue
            grades = dict(pair.rsplit("=", 1) for pair in relevant.split(" "))
            grades = {path: int(grade) for path, grade in grades.items()}
            ids = torch.full((1, 64), NONE, device=self.device)
            numbers = [int(word) for word in words.split()]
            ids[0, : len(numbers)] = torch.tensor(numbers, device=self.device)
            with torch.no_grad():
                similar = (vectors[repo] @ bags(ids, table, zero)[0]).cpu().numpy()
            best = {}
            for (path, _), value in zip(self.repos[repo], similar):
                best[path] = max(best.get(path, -1), value)
            alone = sorted(best, key=lambda path: -best[path])[:60]
            ours = self.run.get((repo, query), [])
            names = ["alone", "none"] + [f"rrf{w}" for w in (0.2, 0.35, 0.5, 0.8)]
            lists = [alone, ours]
            for weight in (0.2, 0.35, 0.5, 0.8):
                fused = {path: 1 / (10 + at) for at, path in enumerate(ours)}
                for at, path in enumerate(alone):
                    fused[path] = fused.get(path, 0) + weight / (10 + at)
                lists.append(sorted(fused, key=lambda path: -fused[path]))
            for name, files in zip(names, lists):
                gain = lambda grade: 2**grade - 1
                got = sum(gain(grades.get(path, 0)) / np.log2(at + 2) for at, path in enumerate(files[:10]))
                ideal = sum(gain(grade) / np.log2(at + 2) for at, grade in enumerate(sorted(grades.values(), reverse=True)[:10]))
                out.setdefault((name, halves.get(repo, "?")), []).append(got / ideal)
        return {key: float(np.mean(values)) for key, values in sorted(out.items())}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("vocabulary")
    parser.add_argument("out")
    parser.add_argument("--dev", nargs=4)
    parser.add_argument("--settings", default="{}", help="a Python list of dictionaries, one table each")
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data = np.load(args.data)
    data = {name: data[name] for name in data.files}
    vocabulary = open(args.vocabulary, encoding="utf-8").read().splitlines()
    dev, halves = None, {}
    if args.dev:
        dev = Dev(*args.dev[:3], device)
        halves = {line.split("\t")[0]: line.rstrip().split("\t")[-1] for line in open(args.dev[3], encoding="utf-8")}
    settings = eval(args.settings)
    for number, setting in enumerate(settings if isinstance(settings, list) else [settings]):
        began = time.time()
        table = train(data, len(vocabulary), device, **setting)
        write(f"{args.out}/vectors{number}.bin", vocabulary, table)
        print(setting, f"{time.time() - began:.0f} s", flush=True)
        if dev:
            for key, value in dev.score(table, halves).items():
                print("   ", *key, f"{value:.4f}", flush=True)


main()
