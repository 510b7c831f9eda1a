"""The bill of materials: every crate the program is built from, in CycloneDX form."""

import json
import subprocess

from release import ROOT


def write(release, out):
    """Writes the packages of Cargo.lock that reach the program, with licence and checksum."""
    ran = subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--locked", "--offline",
         "--filter-platform", f"{release.machine}-unknown-linux-gnu"],
        check=True, capture_output=True, text=True, cwd=ROOT,
    )
    metadata = json.loads(ran.stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    root = next(id for id, package in packages.items() if package["name"] == release.name)
    reached, waiting = set(), [root]
    while waiting:
        id = waiting.pop()
        if id not in reached:
            reached.add(id)
            # What only tests or builds need is not in the program.
            waiting += [
                dependency["pkg"] for dependency in nodes[id]["deps"]
                if any(kind["kind"] is None for kind in dependency["dep_kinds"])
            ]
    components = [component(packages[id]) for id in reached if id != root]
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"component": {"type": "application", "name": release.name, "version": release.version}},
        "components": sorted(components, key=lambda item: (item["name"], item["version"])),
    }
    path = out / f"{release.name}-{release.version}.cdx.json"
    path.write_text(json.dumps(document, indent=2) + "\n")
    return path


def component(package):
    found = {
        "type": "library", "name": package["name"], "version": package["version"],
        "purl": f"pkg:cargo/{package['name']}@{package['version']}",
    }
    if package.get("license"):
        found["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    return found
