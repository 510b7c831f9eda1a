"""Where clang says calls and includes of a tree lead: `import FILE LINE TARGET TEXT`, `call FILE LINE TARGET NAME`, by tabs.

A call leads to the file with the body of the function; what another file of the same name keeps to itself is not meant.
"""

import subprocess
import sys
from pathlib import Path

from clang.cindex import CursorKind, Index, LinkageKind, TranslationUnit


def main():
    root = Path(sys.argv[1]).resolve()
    own = subprocess.run(["cc", "-print-file-name=include"], capture_output=True, text=True).stdout.strip()
    flags = ["-I" + str(root), "-I" + str(root / "src"), "-isystem", own, "-ferror-limit=0", *sys.argv[2:]]
    options = TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD | TranslationUnit.PARSE_INCOMPLETE
    calls, bodies = [], {}

    def inside(file):
        path = Path(file.name).resolve() if file else None
        return path.relative_to(root) if path and path.is_relative_to(root) else None

    for path in sorted(root.rglob("*.c")):
        file = path.relative_to(root)
        unit = Index.create().parse(str(path), args=flags, options=options)
        for cursor in unit.cursor.walk_preorder():
            if cursor.location.file is None or cursor.location.file.name != str(path):
                continue
            if cursor.kind == CursorKind.INCLUSION_DIRECTIVE:
                try:
                    target = inside(cursor.get_included_file())
                except AssertionError:  # a file that is not there
                    continue
                if target:
                    print("import", file, cursor.location.line, target, "", sep="\t")
            if cursor.kind == CursorKind.FUNCTION_DECL and cursor.is_definition():
                key = cursor.spelling if cursor.linkage == LinkageKind.EXTERNAL else (file, cursor.spelling)
                bodies[key] = file
            if cursor.kind == CursorKind.CALL_EXPR and cursor.referenced is not None:
                if cursor.referenced.kind == CursorKind.FUNCTION_DECL:
                    calls.append((file, cursor.location.line, cursor.referenced.spelling))
    for file, line, name in calls:
        target = bodies.get((file, name)) or bodies.get(name)
        if target:
            print("call", file, line, target, name, sep="\t")


main()
