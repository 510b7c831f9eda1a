"""Ours beside ripgrep, codesearch, tantivy and semble: `python compare.py [--out TABLE.md] NAME=TREE …`.

One command, one run: every tool sees the same trees, one after the other, so that figures of a line can be compared
even on a busy machine. Costs are CPU seconds of the tool's processes (user and system). A tool that is not there is
left out and named at the end. Trees are not changed: what is measured after a change happens in a copy.

    cargo build --release --manifest-path bench/search/Cargo.toml
    cargo build --release --manifest-path bench/tantivy/Cargo.toml
    apt-get install ripgrep codesearch; pip install semble
    python bench/search/compare.py --bin target/release small=TREE middle=TREE large=TREE

`--bin` is where `search-bench` and `tantivy-bench` lie, `--semble` a Python with semble, `--table` a table of word
vectors for the size with vectors.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

CODE = {".py", ".rs", ".go", ".js", ".ts", ".java", ".c", ".h", ".cc", ".cpp", ".cs", ".rb", ".php", ".kt", ".swift", ".scala"}
REGEXES = [r"class \w+Error", r"func \w+\(ctx", r"def test_\w+_invalid", r"return \w+\.\w+\(\)", r"import .*json", r"[A-Z]\w+Handler"]
# Past this much source semble is not run: it takes a gigabyte and minutes.
SEMBLE_MB = 60
# Past this much, one round is enough to see a ratio.
ROUNDS_MB = 60


class Cost:
    def __init__(self, cpu, wall, peak, text):
        self.cpu, self.wall, self.peak, self.text = cpu, wall, peak, text


def run(*command, env=None, cwd=None):
    """Runs a program to its end; CPU seconds, wall seconds, peak MiB and what it printed."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([str(part) for part in command], stdout=out, stderr=subprocess.STDOUT,
                                   env={**os.environ, **(env or {})}, cwd=cwd)
        _, status, used = os.wait4(process.pid, 0)
        out.seek(0)
        text = out.read().decode(errors="replace")
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"{command} failed:\n{text[-2000:]}")
    return Cost(used.ru_utime + used.ru_stime, time.monotonic() - began, used.ru_maxrss / 1024, text)


def number(pattern, text):
    found = re.search(pattern, text)
    return float(found.group(1)) if found else float("nan")


def folder_bytes(path):
    return sum(file.stat().st_size for file in Path(path).rglob("*") if file.is_file())


def questions(tree, seed=5):
    """Names, pairs of words and sentences of comments, drawn from the tree itself."""
    random.seed(seed)
    files = sorted(path for path in tree.rglob("*") if path.suffix in CODE and path.is_file() and path.stat().st_size > 2000)
    names, pairs, sentences, literals = [], [], [], []
    while files and min(len(names), len(pairs), len(sentences), len(literals)) < 40:
        text = random.choice(files).read_text(errors="ignore")
        found = [name for name in set(re.findall(r"\b[A-Za-z]\w{7,30}\b", text)) if "_" in name or re.search("[a-z][A-Z]", name)]
        if found:
            name = random.choice(sorted(found))
            names.append(name)
            literals.append(f'"{name}"')
        words = sorted(set(re.findall(r"\b[a-z]{4,12}\b", text)))
        if len(words) > 20:
            pairs.append(" ".join(random.sample(words, 2)))
        comments = [line.strip(" \t#/*\"'") for line in text.splitlines() if re.match(r"\s*(#|//|\*|\"\"\")", line)]
        comments = [line for line in comments if 5 <= len(re.findall(r"[A-Za-z]+", line)) <= 14 and re.fullmatch(r"[\w ,.'`-]+", line)]
        if comments:
            sentences.append("how " + random.choice(comments))
        elif random.random() < 0.02:
            sentences.append("how is the value of a field checked before it is stored")
    return names[:40], pairs[:40], sentences[:40], literals[:12]


def ours(bench, tree, work, table, rows, files):
    store = work / "store"
    copy = work / "copy"
    shutil.copytree(tree, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    code = work / "code"
    ratios = []
    # Only files with a grammar, for a fair ratio: what a build does with others is not parsing.
    for path in copy.rglob("*"):
        if path.suffix in CODE and path.is_file() and not path.is_symlink():
            target = code / path.relative_to(copy)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    rounds = 3 if folder_bytes(code) < ROUNDS_MB * 1e6 else 1
    for round_ in range(rounds):
        parse = run(bench, "parse", code, "-")
        build = run(bench, "build", code, work / f"code{round_}")
        ratios.append((number(r"in ([\d.]+) CPU-s", parse.text), build.cpu))
        shutil.rmtree(work / f"code{round_}")
    shutil.rmtree(code)
    lexical = run(bench, "lexical", copy, work / "lexical")
    lexical_rate = number(r"Lexical: .*?([\d.]+) MB/CPU-s", lexical.text)
    full = min((run(bench, "build", copy, fresh(store)) for _ in range(min(rounds, 2))), key=lambda cost: cost.cpu)
    source_mb = number(r"files, ([\d.]+) MB", full.text)
    size = number(r"= ([\d.]+)x", full.text)
    with_vectors = float("nan")
    if table:
        with_vectors = number(r"= ([\d.]+)x", run(bench, "build", copy, work / "vectors", env={"TABLE": table}).text)
    again = min((run(bench, "build", copy, store) for _ in range(3)), key=lambda cost: cost.cpu)
    everything = sorted(path for path in copy.rglob("*") if path.is_file() and not path.is_symlink() and is_text(path))
    ones = []
    for round_ in range(3):
        for path in everything[round_::100]:
            with open(path, "a", encoding="utf-8") as file:
                file.write("\n// one more line\n")
        time.sleep(0.1)  # What was written within a tick of the clock is read again.
        ones.append(run(bench, "build", copy, store))
    one = min(ones, key=lambda cost: cost.cpu)
    names, pairs, sentences, literals = questions(tree)
    count = number(r"build: (\d+) files", full.text)
    rows["source"] = f"{source_mb:.0f} MB, {count:.0f} files"
    if ratios:
        mb = number(r"files ([0-9.]+) MB", parse.text)
        parsing, building = (min(costs) for costs in zip(*ratios))
        rows["bare parsing of the files with a grammar"] = f"{mb:.0f} MB, {parsing:.1f} CPU-s"
        rows["structural build of them"] = f"{building:.1f} CPU-s"
        each = ", ".join(f"{parsing / building:.2f}" for parsing, building in ratios)
        rows["speed of that build against bare parsing, least CPU of all rounds (each round)"] = f"{parsing / building:.2f} ({each})"
    rows["full build"] = f"{full.cpu:.1f} CPU-s, {full.wall:.1f} s"
    rows["lexical tier"] = f"{lexical_rate:.0f} MB/s per core"
    rows["index ÷ source"] = f"{size:.2f}" + ("" if table is None else f", with vectors {with_vectors:.2f}")
    rows["peak memory of the build"] = f"{full.peak:.0f} MiB"
    rows["build again, nothing changed"] = f"{again.cpu:.2f} CPU-s = {again.cpu / full.cpu:.1%}"
    rows["build again, 1 % changed"] = f"{one.cpu:.2f} CPU-s = {one.cpu / full.cpu:.1%}"
    lists = {"names": names, "pairs": pairs, "sentences": sentences, "all": names + pairs + sentences, "literals": literals,
             "regexes": [f"/{regex}/" for regex in REGEXES]}
    for kind, queries in lists.items():
        path = work / f"{kind}.txt"
        path.write_text("\n".join(queries) + "\n", encoding="utf-8")
        files[kind] = (path, queries)
    found = run(bench, "latency", copy, store, *(files[kind][0] for kind in lists)).text.splitlines()
    found = [line for line in found if line.startswith("latency")]
    for kind, line in zip(lists, found):
        p50, p99 = number(r"p50 ([\d.]+)", line), number(r"p99 ([\d.]+)", line)
        rows[f"warm {kind}" if kind != "all" else "warm ranked queries, p50 / p99"] = f"{p50:.2f} / {p99:.2f} CPU-ms"
        if kind in ("literals", "regexes"):
            files[f"{kind} together"] = number(r"([\d.]+) CPU-ms together", line)
    colds = [run(bench, "cold", copy, store, query).cpu for query in (names + sentences)[:10]]
    rows["cold process to first answer"] = f"{sorted(colds)[len(colds) // 2] * 1e3:.0f} CPU-ms with a look at every file"
    bare = [run(bench, "cold", copy, store, query, env={"NO_REFRESH": "1"}).cpu for query in (names + sentences)[:10]]
    rows["the same without that look"] = f"{sorted(bare)[len(bare) // 2] * 1e3:.0f} CPU-ms"
    cold = [run(bench, "cold", copy, store, query, env={"NO_REFRESH": "1"}).cpu for query in literals]
    files["cold literals"] = sum(cold) * 1e3
    rows["cold process per literal, p50"] = f"{median(cold):.1f} CPU-ms"
    shutil.rmtree(copy)
    return source_mb


def is_text(path):
    with open(path, "rb") as file:
        return b"\0" not in file.read(8192)


def fresh(store):
    shutil.rmtree(store, ignore_errors=True)
    return store


def median(values):
    return sorted(values)[len(values) // 2] * 1e3


def others(tools, tree, work, rows, files, source_mb):
    literals = [query.strip('"') for query in files["literals"][1]]
    if tools["rg"]:
        literal = [run("rg", "-c", "--hidden", "-F", text, ".", cwd=tree).cpu for text in literals]
        regex = [run("rg", "-c", "--hidden", text, ".", cwd=tree).cpu for text in REGEXES]
        rows["ripgrep literal / regex"] = f"{median(literal):.0f} / {median(regex):.0f} CPU-ms"
    if tools["csearch"]:
        env = {"CSEARCHINDEX": str(work / "csearch")}
        index = run("cindex", tree, env=env)
        size = (work / "csearch").stat().st_size / 1e6
        literal = [run("csearch", "-c", re.escape(text), env=env).cpu for text in literals]
        regex = [run("csearch", "-c", text, env=env).cpu for text in REGEXES]
        rows["codesearch index"] = f"{index.cpu:.1f} CPU-s, {size:.1f} MB, {index.peak:.0f} MiB"
        rows["codesearch literal / regex, p50"] = f"{median(literal):.1f} / {median(regex):.0f} CPU-ms"
        # Ours ignores case and shows lines; asked for the same, codesearch has more to do.
        shown = [run("csearch", "-i", "-n", re.escape(text), env=env).cpu for text in literals]
        rows["literals together: ours warm, ours cold; codesearch, codesearch -i -n"] = (
            f"{files['literals together']:.0f}, {files['cold literals']:.0f}; "
            f"{sum(literal) * 1e3:.0f}, {sum(shown) * 1e3:.0f} CPU-ms")
        rows["regexes together: ours warm; codesearch"] = (
            f"{files['regexes together']:.0f}; {sum(regex) * 1e3:.0f} CPU-ms")
    if tools["tantivy"]:
        found = run(tools["tantivy"], tree, work / "tantivy", "value", "file", "error")
        cpu, size = number(r"build: ([\d.]+) CPU", found.text), number(r"size: ([\d.]+) MB", found.text)
        rows["tantivy index, words only"] = f"{cpu:.1f} CPU-s, {size:.1f} MB"
    if tools["semble"] and source_mb < SEMBLE_MB:
        found = run(tools["semble"], Path(__file__).with_name("semble_speed.py"), tree, files["all"][0])
        cpu, p50 = number(r"index ([\d.]+)", found.text), number(r"p50 ([\d.]+)", found.text)
        rows["semble index, BM25 only"] = f"{cpu:.1f} CPU-s, {found.peak:.0f} MiB"
        rows["semble query, p50"] = f"{p50:.1f} CPU-ms"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", default="target/release")
    options.add_argument("--semble")
    options.add_argument("--table")
    options.add_argument("--out")
    options.add_argument("trees", nargs="+", metavar="NAME=TREE")
    args = options.parse_args()
    bench = Path(args.bin).resolve() / "search-bench"
    tantivy = Path(args.bin).resolve() / "tantivy-bench"
    tools = {"rg": shutil.which("rg"), "csearch": shutil.which("csearch"), "tantivy": tantivy if tantivy.exists() else None,
             "semble": args.semble}
    table = Path(args.table).resolve() if args.table else None
    columns = {}
    for tree in args.trees:
        name, path = tree.split("=", 1)
        rows, files = {}, {}
        with tempfile.TemporaryDirectory() as work:
            source_mb = ours(bench, Path(path).resolve(), Path(work), table, rows, files)
            others(tools, Path(path).resolve(), Path(work), rows, files, source_mb)
        columns[name] = rows
        for what, value in rows.items():
            print(f"{name}: {what}: {value}", flush=True)
    lines = ["| | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    for what in dict.fromkeys(what for rows in columns.values() for what in rows):
        lines.append(f"| {what} | " + " | ".join(rows.get(what, "–") for rows in columns.values()) + " |")
    missing = [tool for tool, path in tools.items() if not path]
    lines += ["", f"semble is run on trees of less than {SEMBLE_MB} MB." if args.semble else ""]
    lines += [f"Not there in this run: {', '.join(missing)}." if missing else "", f"Load when it ended: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores."]
    print("\n".join(lines))
    if args.out:
        Path(args.out).write_text("\n".join(lines) + "\n", encoding="utf-8")


main()
