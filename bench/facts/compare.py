"""Precision and recall of our facts against another tool's: `compare.py OURS REFERENCE [--show FACT]`.

Both are lists per file. A fact of the other tool belongs to the innermost of our chunks around its line; then the sets of
values of each chunk are compared. Imports are compared per file.
"""

import collections
import re
import sys

FACTS = ["call", "import", "read", "write", "type", "return_type", "inferred"]


def norm(fact, value):
    value = value.strip()
    if fact in ("type", "return_type", "inferred"):
        return re.sub(r"\s+|^const|^struct|^enum|['\"]", "", value).strip("*")
    return value


def ours_of(path):
    files = collections.defaultdict(list)
    for line in open(path, encoding="utf-8"):
        file, at, first, last, fact, value = line.rstrip("\n").split("\t", 5)
        if not fact:
            files[file].append({"lines": [int(first), int(last)], "whole": int(at), "facts": []})
        else:
            files[file][int(at)]["facts"].append((fact, value))
    return files


def main():
    ours = ours_of(sys.argv[1])
    show = sys.argv[sys.argv.index("--show") + 1] if "--show" in sys.argv else None
    wanted = collections.defaultdict(set)
    seen_files = set()
    for line in open(sys.argv[2], encoding="utf-8"):
        file, at, fact, value = line.rstrip("\n").split("\t", 3)
        if file not in ours:
            continue
        seen_files.add(file)
        at = int(at)
        around = [
            (chunk["lines"][1] - chunk["lines"][0], -number, number)
            for number, chunk in enumerate(ours[file])
            if chunk["lines"][0] <= at <= chunk["lines"][1]
        ]
        chunk = ours[file][min(around)[2]]["whole"] if around else -1
        wanted[fact, file, -1 if fact == "import" else chunk].add(norm(fact, value))
    known = collections.defaultdict(set)
    # What a preprocessor removed is not looked at where the other tool is a compiler.
    compiled = {(file, chunk) for _, file, chunk in wanted} if "--compiled" in sys.argv else None
    for file in seen_files:
        for number, chunk in enumerate(ours[file]):
            if compiled and (file, number) not in compiled and not any(fact == "import" for fact, _ in chunk["facts"]):
                continue
            for fact, value in chunk["facts"]:
                if fact not in FACTS:
                    continue
                # Members and qualified names are known beside the plain ones; only these are compared.
                if fact in ("call", "read", "write") and re.search(r"[.\[>:(]", value):
                    continue
                known[fact, file, -1 if fact == "import" else number].add(norm(fact, value))
    # A type that is not written was told by the value: those are compared with what the other tool infers.
    has_inference = any(fact == "inferred" for fact, *_ in wanted)
    for (fact, file, chunk), values in list(known.items()):
        if fact == "type":
            written = wanted.get(("type", file, chunk), set())
            told = values - written
            if has_inference:
                known["inferred", file, chunk] = told
            known["type", file, chunk] = values & written if has_inference else values
    print(f"{'fact':<12}{'right':>8}{'ours':>8}{'theirs':>8}{'precision':>11}{'recall':>8}")
    for fact in FACTS:
        right = own = theirs = 0
        extra, missing = collections.Counter(), collections.Counter()
        for key in {key for key in (*known, *wanted) if key[0] == fact and key[2] != -1 or key[0] == fact == "import"}:
            mine, other = known.get(key, set()), wanted.get(key, set())
            right += len(mine & other)
            own += len(mine)
            theirs += len(other)
            if fact == show:
                place = f"{key[1]}:{ours[key[1]][key[2]]['lines'] if key[2] >= 0 else ''}"
                for value in mine - other:
                    extra[value, place] += 1
                for value in other - mine:
                    missing[value, place] += 1
        if own or theirs:
            # Without inference nobody says whether a type that is not written is right.
            precision = "-" if fact == "type" and not has_inference else f"{right / max(own, 1):.3f}"
            print(f"{fact:<12}{right:>8}{own:>8}{theirs:>8}{precision:>11}{right / max(theirs, 1):>8.3f}")
        if fact == show:
            for title, counter in (("only ours", extra), ("only theirs", missing)):
                print(title)
                for (value, place), _ in sorted(counter.items(), key=lambda one: one[0][1])[:60]:
                    print("   ", value, place)


main()
