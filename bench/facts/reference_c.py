"""What clang sees in a tree: `FILE LINE FACT VALUE`, separated by tabs."""

import subprocess
import sys
from pathlib import Path

from clang.cindex import CursorKind, Index, TranslationUnit

WRITES = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}


TEXT = b""


def operator(parts):
    """What stands between the two sides."""
    if len(parts) != 2:
        return None
    between = TEXT[parts[0].extent.end.offset : parts[1].extent.start.offset].decode(errors="replace")
    return between.strip(" ()\n\t")


def walk(node, file, say, written=False):
    for child in node.get_children():
        if child.location.file is None or child.location.file.name != file:
            continue
        line, kind = child.location.line, child.kind
        if kind == CursorKind.CALL_EXPR:
            if child.spelling:
                say(line, "call", child.spelling)
            parts = list(child.get_children())
            for part in parts[1:]:
                arguments(part, file, say)
            if parts and not child.spelling:
                arguments(parts[0], file, say)
            continue
        if kind == CursorKind.DECL_REF_EXPR:
            say(line, "write" if written else "read", child.spelling)
        if kind == CursorKind.VAR_DECL:
            if any(part.kind.is_expression() for part in child.get_children()):
                say(line, "write", child.spelling)
            say(line, "type", child.type.spelling)
        if kind == CursorKind.PARM_DECL:
            say(line, "type", child.type.spelling)
            continue
        if kind == CursorKind.FUNCTION_DECL and child.is_definition():
            say(line, "return_type", child.result_type.spelling)
        if kind in (CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR):
            parts = list(child.get_children())
            is_write = operator(parts) in WRITES and parts and bare(parts[0])
            if is_write:
                say(parts[0].location.line, "write", parts[0].spelling)
                parts = parts[1:]
            for part in parts:
                arguments(part, file, say)
            continue
        if kind == CursorKind.UNARY_OPERATOR:
            text = TEXT[child.extent.start.offset : child.extent.end.offset]
            part = next(child.get_children(), None)
            if part is not None and bare(part) and (b"++" in text or b"--" in text):
                say(line, "write", part.spelling)
                continue
        walk(child, file, say)


def bare(node):
    return node.kind == CursorKind.DECL_REF_EXPR


def arguments(node, file, say):
    """A node and what is below it."""

    class Only:
        def get_children(self):
            return [node]

    walk(Only(), file, say)


def main():
    root = Path(sys.argv[1])
    # The package brings no headers of the compiler itself; one that is installed has them.
    own = subprocess.run(["cc", "-print-file-name=include"], capture_output=True, text=True).stdout.strip()
    flags = ["-I" + str(root), "-I" + str(root / "src"), "-isystem", own, "-ferror-limit=0", *sys.argv[2:]]
    options = TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD | TranslationUnit.PARSE_INCOMPLETE
    for path in sorted(root.rglob("*.c")):
        file = path.relative_to(root)

        def say(line, fact, value):
            print(file, line, fact, " ".join(value.split()), sep="\t")

        global TEXT
        TEXT = path.read_bytes()
        unit = Index.create().parse(str(path), args=flags, options=options)
        for cursor in unit.cursor.get_children():
            is_here = cursor.location.file is not None and cursor.location.file.name == str(path)
            if is_here and cursor.kind == CursorKind.INCLUSION_DIRECTIVE:
                say(cursor.location.line, "import", cursor.spelling)
        walk(unit.cursor, str(path), say)


main()
