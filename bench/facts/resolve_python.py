"""Where jedi says calls and imports of a tree lead: `import FILE LINE TARGET`, `call FILE LINE TARGET NAME`, by tabs.

Only what leads into the tree is told, and of calls only functions and classes.
"""

import ast
import sys
from pathlib import Path

import jedi

from reference_python import sources


def main():
    root = Path(sys.argv[1]).resolve()
    project = jedi.Project(root, smart_sys_path=True, added_sys_path=[str(root), str(root / "src")])

    def inside(name):
        path = name.module_path and Path(name.module_path).resolve()
        return path.relative_to(root) if path and path.is_relative_to(root) else None

    def say_modules(file, line, found):
        for name in found:
            target = inside(name)
            if target and name.type == "module":
                print("import", file, line, target, sep="\t")

    for path, text, tree in sources(root):
        file = path.relative_to(root)
        script = jedi.Script(text, path=str(path), project=project)

        def goto(line, column):
            try:
                return script.goto(line, column, follow_imports=True)
            except Exception:  # jedi gives up on some code; then it says nothing
                return []

        # What stands on a definition is not in it.
        definitions = [node for node in ast.walk(tree) if hasattr(node, "decorator_list")]
        outside = {id(part) for node in definitions for one in node.decorator_list for part in ast.walk(one)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for name in node.names:
                    say_modules(file, node.lineno, goto(name.lineno, name.col_offset + len(name.name) - 1))
            if isinstance(node, ast.ImportFrom):
                before = len("from ") + node.level + len(node.module or "")
                if node.module:
                    say_modules(file, node.lineno, goto(node.lineno, node.col_offset + before - 1))
                elif (path.parents[node.level - 1] / "__init__.py").exists():
                    init = (path.parents[node.level - 1] / "__init__.py").relative_to(root)
                    print("import", file, node.lineno, init, sep="\t")
                for name in node.names:
                    if name.name != "*":
                        say_modules(file, node.lineno, goto(name.lineno, name.col_offset + len(name.name) - 1))
            if isinstance(node, ast.Call) and id(node) not in outside and isinstance(node.func, ast.Name | ast.Attribute):
                name = getattr(node.func, "id", None) or node.func.attr
                for found in goto(node.func.end_lineno, node.func.end_col_offset - 1):
                    target = inside(found)
                    if target and found.type in ("function", "class"):
                        print("call", file, node.func.end_lineno, target, found.name, sep="\t")


main()
