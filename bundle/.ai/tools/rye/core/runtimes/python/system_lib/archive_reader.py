"""What is in an archive, whoever made it.

An archive is read as a stream, with a bound on what comes out of it, so that a small file cannot become an endless one.
Names are checked before anything is written: no absolute ones, no `..`, no links out, no devices.
"""
__version__ = "1.0.0"
__tool_type__ = "python_lib"
__executor_id__ = None

import bz2
import contextlib
import gzip
import lzma
import posixpath
import stat
import tarfile
import zipfile
import zlib

from project_files import Refused

CHUNK = 1024 * 1024
# A tar file has blocks of 512 bytes before each member, for its name and more, and fills its last one.
TAR_OVERHEAD = 8192
BROKEN = (zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, NotImplementedError, RuntimeError)
UNPACKERS = ((b"\x1f\x8b", gzip.GzipFile), (b"BZh", bz2.BZ2File), (b"\xfd7zXZ\0", lzma.LZMAFile))


class Limits:
    """How much may come out of an archive."""

    def __init__(self, members, total, ratio):
        self.members, self.total, self.ratio = members, total, ratio


    def check(self, count, total, size):
        """Refuses so many members with so many bytes, out of an archive of this size."""
        if count > self.members:
            raise Refused(f"the archive has more than {self.members} members (`max_members`)")
        if total > self.total:
            raise Refused(f"what is in the archive is larger than {self.total} bytes (`max_bytes`)")
        if total > CHUNK and total > size * self.ratio:
            raise Refused(f"what is in the archive is more than {self.ratio} times as large as the archive (`max_ratio`)")


# What rye/archive/extract allows unless it is told otherwise.
DEFAULTS = Limits(members=10000, total=1024**3, ratio=200)


class Member:
    """One entry: a file, a folder, a link, or something else that no archive should have."""

    def __init__(self, name, kind, size, executable, target=None, read=None):
        self.name, self.kind, self.size, self.executable = name, kind, size, executable
        self.target, self._read = target, read

    def chunks(self):
        """The content of a file, piece by piece."""
        held = 0
        with _in_words(), self._read() as file:
            while True:
                chunk = file.read(CHUNK)
                if not chunk:
                    break
                held += len(chunk)
                yield chunk
        if held != self.size:
            raise Refused(f"`{self.name}` has {held} bytes, and the archive says {self.size}")


@contextlib.contextmanager
def _in_words():
    """Says what is wrong with an archive, whichever of the modules has found it."""
    try:
        yield
    except tarfile.ReadError as error:
        damaged = "unexpected end" in str(error)
        what = "the archive is damaged" if damaged else "it is not a zip file, a tar file or a packed tar file, or it is damaged"
        raise Refused(f"{what}: {error}") from None
    except BROKEN as error:
        raise Refused(f"the archive is damaged, or packed in a way that cannot be read: {error}") from None
    except OSError as error:
        if error.errno is None:
            raise Refused(f"the archive is damaged: {error}") from None
        raise


def members(file, size, limits):
    """The members of an archive, which is an open file of this many bytes. What is in a member is read before the next."""
    with _in_words():
        head = file.read(6)
        file.seek(0)
        if head[:2] == b"PK":
            yield from _counted(_of_zip(file), size, limits)
            return
        for magic, unpacker in UNPACKERS:
            if head.startswith(magic):
                with unpacker(fileobj=file) if unpacker is gzip.GzipFile else unpacker(file) as inner:
                    yield from _counted(_of_tar(inner, size, limits), size, limits)
                return
        yield from _counted(_of_tar(file, size, limits), size, limits)


def _counted(found, size, limits):
    count = total = 0
    for member in found:
        count += 1
        total += member.size
        limits.check(count, total, size)
        yield member


def _of_zip(file):
    with zipfile.ZipFile(file) as archive:
        for entry in archive.infolist():
            mode = entry.external_attr >> 16
            kind = "folder" if entry.is_dir() else _kind(mode)
            if entry.flag_bits & 1:
                raise Refused(f"`{entry.filename}` is encrypted, which is not supported")
            target = None
            if kind == "link":
                target = archive.read(entry)[:4096].decode("utf-8", "replace") if entry.file_size <= 4096 else "?"
            yield Member(
                entry.filename,
                kind,
                entry.file_size,
                bool(mode & 0o100),
                target,
                lambda entry=entry: archive.open(entry),
            )


def _kind(mode):
    form = stat.S_IFMT(mode)
    if form == stat.S_IFLNK:
        return "link"
    return "file" if form in (0, stat.S_IFREG) else "other"


def _of_tar(file, size, limits):
    most = min(limits.total, max(CHUNK, size * limits.ratio)) + limits.members * TAR_OVERHEAD
    with tarfile.open(fileobj=Bounded(file, most), mode="r|") as archive:
        for entry in archive:
            kind = "other"
            if entry.isdir():
                kind = "folder"
            elif entry.isreg():
                kind = "file"
            elif entry.issym():
                kind = "link"
            elif entry.islnk():
                kind = "hardlink"
            yield Member(
                entry.name,
                kind,
                entry.size if kind == "file" else 0,
                bool(entry.mode & 0o100),
                entry.linkname or None,
                lambda entry=entry: archive.extractfile(entry),
            )


class Bounded:
    """A stream that ends with an error when more comes out of it than may."""

    def __init__(self, file, most):
        self.file, self.left = file, most

    def read(self, size):
        data = self.file.read(size)
        self.left -= len(data)
        if self.left < 0:
            raise Refused("more comes out of the archive than the bounds allow (`max_bytes`, `max_ratio`)")
        return data


def safe_parts(name):
    """The components of a member's name below the folder that it is unpacked into."""
    if "\0" in name or "\\" in name or len(name) > 4096:
        raise Refused(f"the archive has a member with a name that is not allowed: `{name[:200]!r}`")
    if name.startswith("/") or name[1:3] == ":/":
        raise Refused(f"the archive has a member with an absolute name: `{name}`")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Refused(f"the archive has a member that leads out of it: `{name}`")
    return parts


class Contents:
    """The members of an archive so far. Each can be unpacked beside those before it, or is refused."""

    def __init__(self):
        self.files, self.folders = set(), set()

    def add(self, member):
        """The components of its name."""
        parts = safe_parts(member.name)
        if member.kind == "other":
            raise Refused(f"the archive has a member that is no file, folder or link: `{member.name}`")
        if member.kind in ("link", "hardlink"):
            check_link(member)
        is_folder = member.kind == "folder"
        if not parts and not is_folder:
            raise Refused("the archive has a file without a name")
        if member.kind == "link":
            # It is not made, so it is in nobody's way.
            return parts
        path = "/".join(parts)
        above = ["/".join(parts[:end]) for end in range(1, len(parts) + is_folder)]
        if not is_folder and path in self.files:
            raise Refused(f"the archive has `{member.name}` twice")
        if not self.files.isdisjoint(above) or not is_folder and path in self.folders:
            raise Refused(f"the archive has `{member.name}` where something of another kind is, too")
        self.folders.update(above)
        if not is_folder:
            self.files.add(path)
        return parts


def check_link(member):
    """A link that leads out is refused; others are only not made."""
    target = member.target or ""
    base = "" if member.kind == "hardlink" else posixpath.dirname("/".join(safe_parts(member.name)))
    joined = posixpath.normpath(posixpath.join(base, target))
    if target.startswith("/") or "\\" in target or joined == ".." or joined.startswith("../"):
        raise Refused(f"the archive has a link that leads out of it: `{member.name}` to `{target}`")
    return joined
