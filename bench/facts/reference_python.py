"""What CPython's parser and jedi see in a tree: `FILE LINE FACT VALUE`, separated by tabs."""

import ast
import sys
from pathlib import Path

import jedi


def unquoted(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ast.unparse(node)


class Facts(ast.NodeVisitor):
    def __init__(self, say):
        self.say = say

    def visit_Import(self, node):
        for name in node.names:
            self.say(node.lineno, "import", name.name)

    def visit_ImportFrom(self, node):
        self.say(node.lineno, "import", "." * node.level + (node.module or ""))

    def visit_Call(self, node):
        name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
        if name:
            # A chain of calls starts on one line and names each function on another.
            self.say(node.func.end_lineno, "call", name)
        if isinstance(node.func, ast.Attribute):
            self.visit(node.func.value)
        elif not isinstance(node.func, ast.Name):
            self.visit(node.func)
        for part in node.args + node.keywords:
            self.visit(part)

    def visit_Attribute(self, node):
        base = node.value
        while isinstance(base, ast.Attribute):
            base = base.value
        # A member of what has no name stands by itself.
        if not isinstance(base, ast.Name) and isinstance(node.ctx, ast.Load):
            self.say(node.end_lineno, "read", node.attr)
        self.visit(node.value)

    def visit_Name(self, node):
        self.say(node.lineno, "read" if isinstance(node.ctx, ast.Load) else "write", node.id)

    def visit_ExceptHandler(self, node):
        if node.name:
            self.say(node.lineno, "write", node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node):
        if node.name:
            self.say(node.lineno, "write", node.name)
        self.generic_visit(node)

    def visit_AnnAssign(self, node):
        self.say(node.lineno, "type", unquoted(node.annotation))
        self.visit(node.target)
        if node.value:
            self.visit(node.value)

    def visit_arg(self, node):
        if node.annotation:
            self.say(node.lineno, "type", unquoted(node.annotation))

    def visit_Delete(self, node):
        pass

    def function(self, node):
        if node.returns:
            self.say(node.lineno, "return_type", unquoted(node.returns))
        # What stands on a function is not in it.
        self.visit(node.args)
        for part in node.body:
            self.visit(part)

    visit_FunctionDef = visit_AsyncFunctionDef = function

    def visit_ClassDef(self, node):
        for part in node.body:
            self.visit(part)


def inferred(text, path, tree, say):
    script = jedi.Script(text, path=str(path))
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            if not isinstance(target, ast.Name):
                continue
            try:
                found = script.infer(target.lineno, target.col_offset)
            except Exception:  # jedi gives up on some code; then it says nothing
                continue
            for name in found:
                if name.type in ("instance", "class") and name.name != "NoneType":
                    say(target.lineno, "inferred", name.name)


def sources(root):
    """Every file that parses: its path, its text and its tree."""
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        try:
            yield path, text, ast.parse(text)
        except SyntaxError:
            continue


def main():
    root = Path(sys.argv[1])
    for path, text, tree in sources(root):
        file = path.relative_to(root)

        def say(line, fact, value):
            print(file, line, fact, value.replace("\t", " ").replace("\n", " "), sep="\t")

        Facts(say).visit(tree)
        if "--infer" in sys.argv:
            inferred(text, path, tree, say)


if __name__ == "__main__":
    main()
