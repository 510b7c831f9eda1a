"""One function per kind of package; each returns the file it wrote."""

import base64
import gzip
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile

from archives import Entry, tar_gz, zip_file


def archive(release, out):
    """The plain archive: program, manual pages, completions, licences."""
    stem = f"{release.name}-{release.version}-{release.machine}-linux"
    entries = [Entry(f"{stem}/bin/{release.name}", release.program, True)]
    entries += [Entry(f"{stem}/{name}", text) for name, text in release.licences().items()]
    entries += [Entry(f"{stem}/{name}", release.text(name)) for name in ("README.md", "CHANGELOG.md")]
    entries += [Entry(f"{stem}/share/man/man1/{name}", text) for name, text in release.manuals().items()]
    entries += [
        Entry(f"{stem}/share/completions/{release.name}.{shell}", text)
        for shell, text in release.completions().items()
    ]
    path = out / f"{stem}.tar.gz"
    tar_gz(path, entries, release.epoch, release.level)
    return path


def debian(release, out):
    """The Debian package, put together by dpkg-deb."""
    major, minor = release.glibc()
    control = "\n".join([
        f"Package: {release.name}", f"Version: {release.version}", f"Architecture: {release.ours('deb')}",
        "Maintainer: Mainstay developers <mainstay@localhost>", "Section: devel", "Priority: optional",
        f"Depends: libc6 (>= {major}.{minor}), libgcc-s1", "Recommends: git", "Suggests: chromium",
        f"Description: {release.summary}",
        " One program that serves four sets of tools over MCP, HTTP and the command line.", "",
    ])
    files = {
        "DEBIAN/control": (control.encode(), 0o644),
        f"usr/bin/{release.name}": (release.program, 0o755),
        f"usr/share/bash-completion/completions/{release.name}": (release.completions()["bash"], 0o644),
        f"usr/share/zsh/vendor-completions/_{release.name}": (release.completions()["zsh"], 0o644),
        f"usr/share/fish/vendor_completions.d/{release.name}.fish": (release.completions()["fish"], 0o644),
        f"usr/share/doc/{release.name}/copyright": (b"\n".join(release.licences().values()), 0o644),
    }
    for name, text in release.manuals().items():
        files[f"usr/share/man/man1/{name}.gz"] = (gzip.compress(text, 9, mtime=0), 0o644)
    path = out / f"{release.name}_{release.version}_{release.ours('deb')}.deb"
    with tempfile.TemporaryDirectory() as folder:
        for name, (data, mode) in files.items():
            file = pathlib.Path(folder) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            file.chmod(mode)
        for folder_path, _, _ in os.walk(folder):
            os.chmod(folder_path, 0o755)
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zgzip", f"-z{release.level}", "--build", folder, str(path)],
            check=True, stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": str(release.epoch)},
        )
    return path


def npm(releases, out):
    """The npm package: `npx mainstay` without a download at install time; it carries the program of every machine."""
    release = releases[0]
    manifest = {
        "name": release.name, "version": release.version, "description": release.summary,
        "license": release.licence, "mcpName": release.registry_name, "bin": {release.name: f"bin/{release.name}"},
        "os": ["linux"], "cpu": [one.ours("npm") for one in releases], "libc": ["glibc"],
        "files": ["bin", "LICENSE-MIT", "LICENSE-APACHE", "README.md"],
    }
    entries = [
        Entry("package/package.json", json.dumps(manifest, indent=2) + "\n"),
        Entry("package/README.md", release.text("README.md")),
    ]
    if len(releases) == 1:
        entries.append(Entry(f"package/bin/{release.name}", release.program, True))
    else:
        entries.append(Entry(f"package/bin/{release.name}", launcher(release), True))
        entries += [Entry(f"package/bin/{one.machine}/{one.name}", one.program, True) for one in releases]
    entries += [Entry(f"package/{name}", text) for name, text in release.licences().items()]
    path = out / f"{release.name}-{release.version}-npm.tgz"
    tar_gz(path, entries, release.epoch, release.level)
    return path


def launcher(release):
    """The command that becomes the program of the machine it is run on."""
    return "\n".join([
        "#!/bin/sh", "# Becomes the program for this machine.", 'here=$(dirname "$(readlink -f "$0")")',
        f'exec "$here/$(uname -m)/{release.name}" "$@"', "",
    ])


def wheel(release, out):
    """The Python wheel: `pip install mainstay` or `uvx mainstay`."""
    major, minor = release.glibc()
    tag = f"py3-none-manylinux_{major}_{minor}_{release.machine}"
    info = f"{release.name}-{release.version}.dist-info"
    metadata = "\n".join([
        "Metadata-Version: 2.4", f"Name: {release.name}", f"Version: {release.version}", f"Summary: {release.summary}",
        f"License-Expression: {release.licence}", "License-File: LICENSE-MIT", "License-File: LICENSE-APACHE",
        "Requires-Python: >=3.8", "Description-Content-Type: text/markdown", "",
        f"<!-- mcp-name: {release.registry_name} -->", "", release.text("README.md").decode(),
    ])
    entries = [
        Entry(f"{release.name}-{release.version}.data/scripts/{release.name}", release.program, True),
        Entry(f"{info}/METADATA", metadata),
        Entry(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: mainstay\nRoot-Is-Purelib: false\nTag: {tag}\n"),
    ]
    entries += [Entry(f"{info}/licenses/{name}", text) for name, text in release.licences().items()]
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record = [f"{entry.name},sha256={digest(entry.data)},{len(entry.data)}" for entry in entries]
    entries.append(Entry(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""])))
    path = out / f"{release.name}-{release.version}-{tag}.whl"
    zip_file(path, entries, release.level)
    return path


def bundle(release, out):
    """The .mcpb bundle that desktop clients install with a click."""
    manifest = {
        "manifest_version": "0.3", "name": release.name, "display_name": release.title, "version": release.version,
        "description": release.summary, "author": {"name": "Mainstay developers"}, "license": release.licence,
        "server": {
            "type": "binary", "entry_point": f"server/{release.name}",
            "mcp_config": {
                "command": f"${{__dirname}}/server/{release.name}",
                "args": ["mcp", "--repo", "${user_config.repo}"], "env": {},
            },
        },
        "user_config": {
            "repo": {
                "type": "directory", "title": "Repository", "required": True, "default": "${HOME}",
                "description": "The folder the tools work on",
            },
        },
        "tools": [{"name": tool["name"], "description": tool["summary"]} for tool in tools_of(release)],
        "compatibility": {"platforms": ["linux"]},
    }
    entries = [
        Entry("manifest.json", json.dumps(manifest, indent=2) + "\n"),
        Entry(f"server/{release.name}", release.program, True),
    ]
    entries += [Entry(name, text) for name, text in release.licences().items()]
    path = out / f"{release.name}-{release.version}-{release.machine}-linux.mcpb"
    zip_file(path, entries, release.level)
    return path


def tools_of(release):
    """The tools as the bundle names them: the spelling clients accept."""
    wire = str.maketrans("/.", "__")
    return [{"name": row["id"].translate(wire), "summary": row["summary"]} for row in release.tools()]


def registry(release, out, bundles):
    """`server.json` for the MCP registry, with the hash of each bundle."""
    stdio = {"type": "stdio"}
    arguments = [{"type": "positional", "value": "mcp"}]
    server = {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": release.registry_name, "title": release.title, "description": release.summary[:100],
        "version": release.version,
        "packages": [
            {"registryType": "npm", "identifier": release.name, "version": release.version, "transport": stdio,
             "packageArguments": arguments},
            {"registryType": "pypi", "identifier": release.name, "version": release.version, "transport": stdio,
             "packageArguments": arguments},
            *[
                {"registryType": "mcpb", "identifier": f"https://github.com/mainstay/mainstay/releases/download/v{release.version}/{bundle.name}",
                 "version": release.version, "fileSha256": hashlib.sha256(bundle.read_bytes()).hexdigest(), "transport": stdio}
                for bundle in bundles
            ],
        ],
    }
    path = out / "server.json"
    path.write_text(json.dumps(server, indent=2) + "\n")
    return path
