"""Files of the project, and no others.

Every path is opened one component at a time, each below the descriptor of the folder before it, and the kernel is told
not to follow links. A link is read and followed by hand if it stays inside the project. So no path, no link and no change
that somebody makes at the same time leads out of it.
"""
__version__ = "1.0.0"
__tool_type__ = "python_lib"
__executor_id__ = None

import errno
import functools
import os
import stat
import sys

if sys.version_info < (3, 9):
    sys.exit("error: the tools that come with rye need Python 3.9 or later, and this is %d.%d" % sys.version_info[:2])

MAX_LINKS = 40
MAX_DEPTH = 200
# What only the engine writes, and what decides which programs git runs.
PROTECTED = ((".ai", "state"), (".ai", "locks"))
# Never entered by a walk.
ALWAYS_SKIPPED = ".git"

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Refused(Exception):
    """Something that cannot or may not be done, in one sentence."""


class Missing(Refused):
    """There is no such file or folder."""


def tool(function):
    """Makes `execute` of a function that takes parameters and a Project, and says what is wrong in one sentence."""

    @functools.wraps(function)
    def execute(params, project_path):
        try:
            return function(params, Project(project_path))
        except Refused as refused:
            sys.exit(f"error: {shown(str(refused))}")
        except MemoryError:
            sys.exit("error: this takes more memory than the tool may use")
        except OSError as error:
            place = f"`{error.filename}`: " if isinstance(error.filename, str) else ""
            sys.exit(shown(f"error: {place}{error.strerror or error}"))

    return execute


class Project:
    """The folder of the project."""

    def __init__(self, root):
        self.root = os.path.realpath(root)

    def parts(self, path):
        """The components of a path below the project."""
        if "\0" in path:
            raise Refused("a path cannot contain a NUL byte")
        if os.path.isabs(path):
            below = os.path.normpath(path)
            if ".." in path.split("/") or not (below + "/").startswith(self.root.rstrip("/") + "/"):
                raise Refused(f"`{path}` is outside of the project; give a path relative to it")
            path = os.path.relpath(below, self.root)
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if ".." in parts:
            raise Refused(f"`{path}` has `..` in it; give a path relative to the project")
        return parts

    def open_root(self):
        return os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def place(self, path, create=False):
        """Where a path leads to: a Place, whose folder is open. With `create`, missing folders are made."""
        todo, done, links = self.parts(path), [], 0
        folder = self.open_root()
        try:
            while todo:
                part, rest = todo[0], todo[1:]
                target = _link(part, folder)
                if target is not None:
                    links += 1
                    if links > MAX_LINKS:
                        raise Refused(f"`{path}` leads through too many links")
                    todo, done = self._followed(path, target, done) + rest, []
                    os.close(folder)
                    folder = -1
                    folder = self.open_root()
                    continue
                if not rest:
                    found, folder = Place(folder, part, "/".join(done + [part])), -1
                    return found
                inner = self._enter(path, done + [part], folder, create)
                os.close(folder)
                folder = inner
                todo, done = rest, done + [part]
            found, folder = Place(folder, None, "."), -1
            return found
        finally:
            if folder >= 0:
                os.close(folder)

    def _enter(self, path, parts, folder, create):
        part = parts[-1]
        try:
            return os.open(part, _FOLDER, dir_fd=folder)
        except FileNotFoundError:
            if not create:
                raise Missing(f"there is no `{path}` in the project") from None
        except NotADirectoryError:
            raise Refused(f"`{part}` in `{path}` is not a folder") from None
        self.check_writable("/".join(parts))
        try:
            os.mkdir(part, 0o777, dir_fd=folder)
        except FileExistsError:
            pass
        return os.open(part, _FOLDER, dir_fd=folder)

    def _followed(self, path, target, done):
        """The components of a link's target, from the project's root; the folders in `done` are no links."""
        outside = Refused(f"`{path}` leads out of the project by a link to `{target}`")
        if os.path.isabs(target):
            root = self.root.rstrip("/") + "/"
            if not (target.rstrip("/") + "/").startswith(root) or ".." in target.split("/"):
                raise outside
            parts, target = [], target[len(root):]
        else:
            parts = list(done)
        for part in target.split("/"):
            if part == "..":
                if not parts:
                    raise outside
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        return parts

    def resolved(self, path):
        """The components that a path has without links, as far as it is there."""
        parts = self.parts(path)
        for there in range(len(parts), 0, -1):
            try:
                with self.place("/".join(parts[:there])) as place:
                    return place.path.split("/") + parts[there:]
            except Missing:
                continue
        return parts

    def writable(self, path, create=True):
        """The place of a file that may be written."""
        self.check_writable("/".join(self.parts(path)))
        place = self.place(path, create)
        try:
            self.check_writable(place.path)
            if place.name is None:
                raise Refused(f"`{path}` is a folder")
        except Refused:
            place.close()
            raise
        return place

    @staticmethod
    def check_writable(path):
        parts = tuple(part.casefold() for part in path.split("/"))
        for protected in PROTECTED:
            if parts[: len(protected)] == protected:
                raise Refused(f"`{path}` belongs to rye; files below `{'/'.join(protected)}` are not written by tools")
        if ALWAYS_SKIPPED in parts:
            raise Refused(f"`{path}` belongs to git; use git to change it")


class Place:
    """A name in an open folder; the name is None for the project's folder itself."""

    def __init__(self, folder, name, path):
        self.folder, self.name, self.path = folder, name, path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.folder >= 0:
            os.close(self.folder)
            self.folder = -1

    def status(self):
        """What is there, or None."""
        if self.name is None:
            return os.fstat(self.folder)
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open_file(self):
        """The regular file, opened for reading as bytes."""
        if self.name is None:
            raise Refused("the project is a folder, not a file")
        try:
            descriptor = os.open(self.name, _FILE, dir_fd=self.folder)
        except FileNotFoundError:
            raise Missing(f"there is no `{self.path}` in the project") from None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO):
                raise Refused(f"`{self.path}` is not a file") from None
            raise Refused(f"`{self.path}`: {error.strerror}") from None
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            os.close(descriptor)
            raise Refused(f"`{self.path}` is {'a folder' if stat.S_ISDIR(mode) else 'not a regular file'}")
        return os.fdopen(descriptor, "rb")

    def open_folder(self):
        """A descriptor of the folder, which the caller closes."""
        if self.name is None:
            return os.dup(self.folder)
        try:
            return os.open(self.name, _FOLDER, dir_fd=self.folder)
        except FileNotFoundError:
            raise Missing(f"there is no `{self.path}` in the project") from None
        except NotADirectoryError:
            raise Refused(f"`{self.path}` is not a folder") from None

    def write(self, chunks, overwrite, mode=None):
        """Puts a file there, whole or not at all. Says whether there was none before."""
        before = self.status()
        if before is not None:
            if not stat.S_ISREG(before.st_mode):
                raise Refused(f"`{self.path}` is there already and is not a regular file")
            if not overwrite:
                raise Refused(f"`{self.path}` is there already; set `overwrite` to replace it")
        draft = f".rye-{os.getpid()}-{os.urandom(8).hex()}.part"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(draft, flags, 0o666 if mode is None else mode, dir_fd=self.folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                if before is not None and mode is None:
                    os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode) & 0o777)
                for chunk in chunks:
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            if overwrite:
                os.replace(draft, self.name, src_dir_fd=self.folder, dst_dir_fd=self.folder)
            else:
                self._link_new(draft)
        except BaseException:
            _forget(draft, self.folder)
            raise
        return before is None

    def _link_new(self, draft):
        # A link is never made over a file that somebody else has put there meanwhile.
        try:
            os.link(draft, self.name, src_dir_fd=self.folder, dst_dir_fd=self.folder, follow_symlinks=False)
        except FileExistsError:
            raise Refused(f"`{self.path}` is there already; set `overwrite` to replace it") from None
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS):
                raise
            # Some file systems have no second names. There the name is taken first, by an empty file.
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            os.close(os.open(self.name, flags, 0o666, dir_fd=self.folder))
            os.replace(draft, self.name, src_dir_fd=self.folder, dst_dir_fd=self.folder)
            return
        _forget(draft, self.folder)


class Walk:
    """All files and folders below a folder, in the order of their names. Links are shown and not followed."""

    def __init__(self, project, path, exclude=(), depth=None):
        self.place = project.place(path)
        self.base = "" if self.place.path == "." else self.place.path + "/"
        self.exclude, self.depth = [matcher(pattern) for pattern in exclude], depth
        self.unreadable = []

    def __iter__(self):
        with self.place as place:
            yield from self._below(place.open_folder(), self.base, 1)

    def _below(self, folder, base, depth):
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
            for entry in found:
                if entry.name == ALWAYS_SKIPPED:
                    continue
                path = base + entry.name
                if any(excluded(path) or excluded(entry.name) for excluded in self.exclude):
                    continue
                yield Found(path, entry, folder)
                if not entry.is_dir(follow_symlinks=False) or (self.depth is not None and depth >= self.depth):
                    continue
                if depth >= MAX_DEPTH:
                    self.unreadable.append({"path": path, "reason": "too deep"})
                    continue
                try:
                    inner = os.open(entry.name, _FOLDER, dir_fd=folder)
                except OSError as error:
                    self.unreadable.append({"path": path, "reason": error.strerror})
                    continue
                yield from self._below(inner, path + "/", depth + 1)
        finally:
            os.close(folder)


class Found:
    """One entry of a walk. Its folder is open until the walk goes on."""

    def __init__(self, path, entry, folder):
        self.path, self.entry, self.folder = path, entry, folder

    @property
    def kind(self):
        if self.entry.is_symlink():
            return "link"
        if self.entry.is_dir(follow_symlinks=False):
            return "folder"
        return "file" if self.entry.is_file(follow_symlinks=False) else "other"

    def status(self):
        return os.stat(self.entry.name, dir_fd=self.folder, follow_symlinks=False)

    def target(self):
        return os.readlink(self.entry.name, dir_fd=self.folder)

    def open_file(self):
        return Place(self.folder, self.entry.name, self.path).open_file()


def matcher(pattern):
    """A function that tells whether a path fits a pattern: `*`, `?`, `[a-z]`, `{a,b}`, and `**` for any folders."""
    import re

    text = pattern[2:] if pattern.startswith("./") else pattern
    try:
        return re.compile(_translate(text.rstrip("/")), re.DOTALL).fullmatch
    except re.error as error:
        raise Refused(f"`{pattern}` is not a pattern: {error}") from None


def _translate(pattern):
    import re

    # Any folders and then any folders are any folders; said twice, it only takes longer to find out.
    pattern = re.sub(r"(^|/)(\*\*/)+", r"\1**/", pattern)
    out, at, depth = [], 0, 0
    while at < len(pattern):
        char = pattern[at]
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
            out.append("(?:[^/]+/)*")
            at += 3
            continue
        if pattern.startswith("**", at):
            out.append(".*")
            at += 2
            continue
        if char == "[":
            end = pattern.find("]", at + 2)
            if end > 0:
                inner = pattern[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
                out.append("(?!/)[" + ("^" + inner[1:] if inner[0] in "!^" else inner) + "]")
                at = end + 1
                continue
        if char == "{" and pattern.find("}", at) > 0:
            out.append("(?:")
            depth += 1
        elif char == "}" and depth:
            out.append(")")
            depth -= 1
        elif char == "," and depth:
            out.append("|")
        else:
            out.append({"*": "[^/]*", "?": "[^/]"}.get(char) or re.escape(char))
        at += 1
    return "".join(out)


def bound_memory(most=1 << 30):
    """What is packed small can be large in memory, too."""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def shown(name):
    """A name as a text. If it is not UTF-8, the bytes that are not are `\\xNN`, and a backslash is `\\x5c`."""
    try:
        name.encode()
        return name
    except UnicodeEncodeError:
        return os.fsencode(name).replace(b"\\", b"\\x5c").decode("utf-8", "backslashreplace")


def legible(answer):
    """The same answer with all names as texts. `escaped` lists those that are not UTF-8, if there are any."""
    escaped = {}

    def text(value):
        if isinstance(value, str):
            if value.isascii():
                return value
            name = shown(value)
            if name != value:
                escaped[name] = None
            return name
        if isinstance(value, dict):
            return {key: text(inner) for key, inner in value.items()}
        return [text(inner) for inner in value] if isinstance(value, list) else value

    answer = text(answer)
    if escaped:
        answer["escaped"] = list(escaped)
    return answer


def is_binary(head):
    """Whether the first bytes of a file are not those of a text."""
    return b"\0" in head


def _link(name, folder):
    """The target of a link, or None if it is something else or nothing."""
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT):
            return None
        raise Refused(f"`{name}`: {error.strerror}") from None


def _forget(name, folder):
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        pass
