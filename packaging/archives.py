"""Archives that come out the same, byte for byte, whenever they are made from the same files."""

import gzip
import io
import tarfile
import zipfile


class Entry:
    """A file of an archive: where it goes, what it holds, whether it can be run."""

    def __init__(self, name, data, executable=False):
        self.name = name
        self.data = data if isinstance(data, bytes) else data.encode()
        self.mode = 0o755 if executable else 0o644


def tar_gz(path, entries, epoch, level):
    """Writes a .tar.gz: names sorted, owned by root, one time for everything."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for entry in sorted(entries, key=lambda entry: entry.name):
            info = tarfile.TarInfo(entry.name)
            info.size, info.mode, info.mtime = len(entry.data), entry.mode, epoch
            archive.addfile(info, io.BytesIO(entry.data))
    with open(path, "wb") as file, gzip.GzipFile("", "wb", level, file, mtime=0) as packed:
        packed.write(buffer.getvalue())


def zip_file(path, entries, level):
    """Writes a .zip with the earliest time the format knows."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for entry in sorted(entries, key=lambda entry: entry.name):
            info = zipfile.ZipInfo(entry.name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = (0o100000 | entry.mode) << 16
            archive.writestr(info, entry.data)
