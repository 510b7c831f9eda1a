"""Precision and recall of resolved imports and calls: `resolve.py OURS REFERENCE [--compiled] [--show import|call|ref]`.

Imports are compared as pairs of files. Of calls and references, the sets of what each definition calls or refers to for certain
are compared, as file and name of what is meant; what the other tool sees on a line belongs to every definition around it, as
ours does.
"""

import collections
import sys


def main():
    show = sys.argv[sys.argv.index("--show") + 1] if "--show" in sys.argv else None
    ours = {"import": set(), "call": set(), "ref": set()}
    theirs = {"import": set(), "call": set(), "ref": set()}
    definitions = collections.defaultdict(set)
    looked_at = set()
    for line in open(sys.argv[1], encoding="utf-8"):
        fact, file, *rest = line.rstrip("\n").split("\t")
        if fact == "import":
            ours["import"].add((file, rest[1]))
        else:
            first, last, target, name = rest
            definitions[file].add((int(first), int(last)))
            if target:
                ours[fact].add((file, int(first), int(last), target, name))
    for line in open(sys.argv[2], encoding="utf-8"):
        fact, file, at, target, *name = line.rstrip("\n").split("\t")
        looked_at.add(file)
        if fact == "import":
            theirs["import"].add((file, target))
            continue
        for first, last in definitions[file]:
            if first <= int(at) <= last:
                theirs[fact].add((file, first, last, target, name[0]))
    print(f"{'resolved':<12}{'right':>8}{'ours':>8}{'theirs':>8}{'precision':>11}{'recall':>8}")
    for fact in ("import", "call", "ref"):
        if not theirs[fact]:
            continue
        mine = {one for one in ours[fact] if one[0] in looked_at}
        if fact == "call" and "--compiled" in sys.argv:
            # What a preprocessor removed is not looked at where the other tool is a compiler.
            seen = {one[:3] for one in theirs[fact]}
            mine = {one for one in mine if one[:3] in seen}
        other = theirs[fact]
        right = len(mine & other)
        print(f"{fact:<12}{right:>8}{len(mine):>8}{len(other):>8}{right / max(len(mine), 1):>11.3f}{right / max(len(other), 1):>8.3f}")
        if fact == show:
            for title, some in (("only ours", mine - other), ("only theirs", other - mine)):
                print(title)
                for one in sorted(some)[:60]:
                    print("   ", *one)


main()
