"""Keeps Python processes ready, each for one run.

The engine starts this file once per interpreter and environment. It imports a good part of the standard library and then
forks a child for every spare that it is asked for. A spare waits for its job and then behaves as if the interpreter had been
started with the arguments of that job: same module table, search path, streams, exit code and tracebacks. Whatever it
cannot imitate it declines before anything has run, and the engine starts the interpreter itself.
"""

import sys

BASE_MODULES = dict(sys.modules)
BASE_IMPORTERS = dict(sys.path_importer_cache)
MAIN_NAMES = [name for name in globals() if name not in ("sys", "BASE_MODULES", "BASE_IMPORTERS")]

__version__ = "1.0.0"
__tool_type__ = "python_lib"
__category__ = "rye/core/runtimes/python"
__tool_description__ = "Forks Python processes that wait for one run each"

import _frozen_importlib as bootstrap
import _frozen_importlib_external as external
import builtins
import os

with open("/proc/self/environ", "rb") as block:
    START_ENV = {os.fsdecode(name): os.fsdecode(value)
                 for name, _, value in (pair.partition(b"=") for pair in block.read().split(b"\0") if b"=" in pair)}

if "HOME" not in START_ENV:
    # Without it the start of the interpreter goes another way than in a run that has it.
    try:
        import pwd

        START_ENV["HOME"] = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        START_ENV["HOME"] = "/"
    os.execve(sys.executable, [*getattr(sys, "orig_argv", (sys.executable,))[:1], *sys.argv], START_ENV)

import atexit

# What tools import most. Every page of these is in every spare, and the end of a process takes longer the more it has, so
# what few tools need is not here. A name that this interpreter does not have is left out.
COMMON = """
json re pathlib os sys datetime time subprocess typing dataclasses collections collections.abc functools itertools hashlib
base64 csv logging tempfile shutil argparse urllib.parse urllib.request http.client sqlite3 textwrap random math inspect
traceback zipfile tarfile glob fnmatch uuid decimal enum io threading ctypes asyncio socket select signal struct string
types copy operator contextlib concurrent.futures queue weakref abc warnings heapq shlex stat errno gc linecache runpy
importlib importlib.util importlib.machinery array fcntl pwd contextvars
""".split()

CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLOSE_RANGE = 436
FAREWELL = 64

# Variables that the interpreter reads once, at its start. The engine gives every value of them a server of its own.
STARTS_WITH = ("PYTHON", "LD_", "LC_", "MALLOC_", "GLIBC_")
START_NAMES = ("LANG", "LANGUAGE", "TZ")
# With these a run is not what it is without them, and nobody who sets them wants it fast.
UNUSUAL = ("PYTHONINSPECT", "PYTHONPROFILEIMPORTTIME", "PYTHONTRACEMALLOC", "PYTHONDUMPREFS", "PYTHONMALLOCSTATS",
           "PYTHONDEVMODE", "PYTHON_PERF_JIT_SUPPORT", "PYTHONPERFSUPPORT")


class Declined(Exception):
    """This job has to be started in the ordinary way, for the reason given."""


# ---------------------------------------------------------------------------------------------------------------------
# The module table: what a fresh interpreter has, and the imported modules put aside.


class ImportGraph:
    """Watches imports, and notes which module needs which others while it is being executed."""

    def __init__(self):
        self.needs = {}
        self.exits = {}
        self.aliases = set()
        self.known = set(sys.modules)
        self.executing = []
        self.thread_exits = None

    def record(self, names):
        """Imports the modules of these names."""
        kept = (builtins.__import__, bootstrap._load_unlocked, bootstrap._gcd_import, atexit.register)
        builtins.__import__ = self.watched(kept[0])
        bootstrap._load_unlocked = self.watched_load(kept[1])
        bootstrap._gcd_import = self.watched_gcd(kept[2])
        atexit.register = self.watched_exit(kept[3])
        try:
            for name in names:
                try:
                    builtins.__import__(name)
                except ImportError:
                    pass
                else:
                    if name == "threading":
                        self.watch_thread_exits(sys.modules[name])
        finally:
            builtins.__import__, bootstrap._load_unlocked, bootstrap._gcd_import, atexit.register = kept
            if self.thread_exits is not None:
                sys.modules["threading"]._register_atexit = self.thread_exits

    def note(self, name):
        if self.executing:
            self.needs[self.executing[-1]].append(name)

    def watched(self, original):
        def watched_import(name, globals=None, locals=None, fromlist=(), level=0):
            if level:
                package = bootstrap._calc___package__(globals)
                whole = bootstrap._resolve_name(name, package, level)
            else:
                whole = name
            self.note(whole)
            module = original(name, globals, locals, fromlist, level)
            for item in fromlist or ():
                part = f"{whole}.{item}"
                if part in sys.modules and getattr(module, item, None) is sys.modules[part]:
                    self.note(part)
            return module

        return watched_import

    def watched_gcd(self, original):
        def watched_gcd_import(name, package=None, level=0):
            self.note(bootstrap._resolve_name(name, package, level) if level else name)
            return original(name, package, level)

        return watched_gcd_import

    def watched_load(self, original):
        def watched_load(spec):
            self.needs[spec.name] = []
            self.executing.append(spec.name)
            try:
                return original(spec)
            finally:
                self.executing.pop()
                for name in list(sys.modules):
                    if name not in self.known:
                        self.known.add(name)
                        if name not in self.needs:
                            self.needs[name] = []
                            self.aliases.add(name)
                            self.needs[spec.name].append(name)

        return watched_load

    def watched_exit(self, original):
        def register(function, *args, **kwargs):
            if not self.executing:
                return original(function, *args, **kwargs)
            self.exits.setdefault(self.executing[-1], []).append((original, function, args, kwargs))
            return function

        return register

    def watch_thread_exits(self, threading):
        self.thread_exits = getattr(threading, "_register_atexit", None)
        if self.thread_exits is not None:
            threading._register_atexit = self.watched_exit(self.thread_exits)


class Stash:
    """The imported modules that a fresh interpreter does not have. An import of the job gets them from here."""

    def __init__(self, graph):
        self.graph = graph
        self.modules = {name: module for name, module in sys.modules.items() if name not in BASE_MODULES}
        self.modules.pop("__main__", None)
        # A job may have one of them by another name, too.
        self.identities = {id(module) for module in (*self.modules.values(), *BASE_MODULES.values())}
        self.parents = {}
        self.plans = {}
        self.stems = {}
        self.given = set()
        self.meta_path = list(sys.meta_path)
        self.path_hooks = list(sys.path_hooks)
        self.meta_path_list, self.path_hooks_list = sys.meta_path, sys.path_hooks
        library = os.path.dirname(os.__file__)
        dynload = [entry for entry in sys.path if os.path.basename(entry) == "lib-dynload"]
        self.library = [library] + dynload
        self.paths = {name: list(module.__path__) for name, module in self.modules.items() if hasattr(module, "__path__")}
        # Modules that are part of the interpreter are found before any folder is looked at.
        self.inner = set(sys.builtin_module_names)
        for name, module in self.modules.items():
            origin = getattr(getattr(module, "__spec__", None), "origin", None)
            if origin in ("built-in", "frozen"):
                self.inner.add(name)
            parent, _, child = name.rpartition(".")
            if parent and name not in graph.aliases:
                holder = sys.modules.get(parent)
                if holder is not None and vars(holder).get(child) is module:
                    self.parents[name] = (holder, child)
        self.base_tops = {name.partition(".")[0] for name in BASE_MODULES} - self.inner - {"__main__"}
        for name in list(self.modules):
            self.plan(name)

    def plan(self, name):
        """What importing this brings along, in order; the top-level names that folders could have of these; what else it needs."""
        made = self.plans.get(name)
        if made is not None:
            return made
        order, tops, seen, bases = [], set(), set(), []

        def visit(name):
            parent = name.rpartition(".")[0]
            if parent:
                visit(parent)
            if name in seen:
                return
            seen.add(name)
            if name in BASE_MODULES:
                bases.append((name, BASE_MODULES[name]))
                return
            top = name.partition(".")[0]
            if top not in self.inner and top not in BASE_MODULES:
                tops.add(top)
            if name not in self.modules:
                return
            # A module is put at the end of the table when it is complete.
            for need in self.graph.needs.get(name, ()):
                visit(need)
            order.append((name, self.modules[name], *self.parents.get(name, (None, None)), self.graph.exits.get(name, ())))

        visit(name)
        self.plans[name] = made = (order, frozenset(tops), bases)
        return made

    def clear_table(self):
        """Leaves what a fresh interpreter has in the module table."""
        for holder, child in self.parents.values():
            vars(holder).pop(child, None)
        sys.modules.clear()
        sys.modules.update(BASE_MODULES)
        self.given.clear()

    def hand_out(self, name):
        """Puts a module and what it brings along into the table, if an import would find just these."""
        modules = sys.modules
        order, tops, bases = self.plans[name]
        if sys.meta_path is not self.meta_path_list or sys.meta_path != self.meta_path:
            return False
        if sys.path_hooks is not self.path_hooks_list or sys.path_hooks != self.path_hooks:
            return False
        parent = name.rpartition(".")[0]
        if parent and parent in self.paths and modules.get(parent) is self.modules[parent]:
            if list(self.modules[parent].__path__) != self.paths[parent]:
                return False
        given = self.given
        for each, module, *_ in order:
            if modules[each] is not module if each in modules else each in given:
                return False
        for each, module in bases:
            if modules.get(each) is not module:
                return False
        if not self.is_in_front(tops):
            return False
        for each, module, holder, child, exits in order:
            if each not in modules:
                modules[each] = module
                given.add(each)
                if holder is not None:
                    setattr(holder, child, module)
                for register, function, args, kwargs in exits:
                    register(function, *args, **kwargs)
        return True

    def is_in_front(self, tops):
        """Whether no folder that is searched before the standard library has one of these names."""
        library, last = self.library, None
        for entry in sys.path:
            if entry == library[0]:
                break
            # A tool is often in the folder that its runtime has put first.
            if entry == last:
                continue
            last = entry
            if entry in BASE_IMPORTERS and BASE_IMPORTERS[entry] is None:
                continue
            stems = self.stems_of(entry)
            if stems is None or not stems.isdisjoint(tops):
                return False
        else:
            return False
        if len(library) > 1:
            at = sys.path.index(library[0])
            return sys.path[at : at + len(library)] == library
        return True

    def stems_of(self, entry):
        """The names that an entry of the search path may have as modules, or None if one cannot say."""
        importer = external.PathFinder._path_importer_cache(entry)
        if importer is None:
            return frozenset()
        if type(importer) is not external.FileFinder:
            return None
        try:
            # A folder is read again when its time is another one, or when it is gone.
            if last_change(importer.path or ".") != importer._path_mtime:
                importer.find_spec("rye no such module")
        except Exception:
            return None
        names = importer._path_cache
        known = self.stems.get(entry)
        if known is None or known[0] is not names:
            known = self.stems[entry] = (names, frozenset(name.partition(".")[0] for name in names))
        return known[1]

    def install(self):
        """Makes imports look here: the import system's own code runs with our view of the module table."""
        stash, given, hand_out = self.modules, self.given, self.hand_out

        class Table:
            @staticmethod
            def get(name, default=None):
                if name in stash and name not in given and name not in sys.modules:
                    hand_out(name)
                return sys.modules.get(name, default)

        class View:
            modules = Table

        original = bootstrap._find_and_load
        view = dict(vars(bootstrap), sys=View)
        function = type(original)(original.__code__, view, original.__name__, original.__defaults__, original.__closure__)
        function.__module__, function.__qualname__, function.__doc__ = original.__module__, original.__qualname__, original.__doc__
        bootstrap._find_and_load = function


# ---------------------------------------------------------------------------------------------------------------------
# What the start of this interpreter depended on.


def identity(path):
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_ino, found.st_size)


def is_settled(identities):
    """What a folder has is known for as long as its time is the same, unless that has only just passed."""
    settled = time.time_ns() - SETTLING
    return all(known is not None and known[0] < settled for known in identities)


def last_change(path):
    try:
        return os.stat(path).st_mtime
    except OSError:
        return None


def start_dependencies():
    """Files and folders whose change makes a fresh interpreter start otherwise."""
    import site

    paths = {os.path.join(sys.prefix, "pyvenv.cfg"), os.path.join(os.path.dirname(sys.executable), "pyvenv.cfg")}
    folders = set(site.getsitepackages())
    if site.ENABLE_USER_SITE:
        folders.add(site.getusersitepackages())
    for folder in folders:
        paths.add(folder)
        try:
            paths.update(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".pth"))
        except OSError:
            pass
    paths.update(entry for entry in sys.path if entry)
    for name in ("sitecustomize", "usercustomize"):
        if name in sys.modules and getattr(sys.modules[name], "__file__", None):
            paths.add(sys.modules[name].__file__)
    return [(os.fsencode(path), identity(path)) for path in sorted(paths)]


def first_changed(identities):
    """The first of these files and folders that is not what it was."""
    stat, access, path = os.stat, os.access, None
    try:
        for path, known in identities:
            if known is None:
                if access(path, 0):
                    return path
            else:
                found = stat(path)
                if (found.st_mtime_ns, found.st_ino, found.st_size) != known:
                    return path
    except OSError:
        return path
    return None


# Runs in an interpreter that has not processed its site folders, and prints what their code asked the environment.
ASK_SITE = """
import os, sys
asked = set()
class Watched(dict):
    def note(self, name):
        frame = sys._getframe(2)
        # A line of a `.pth` file runs among the names of `site`.
        own = frame.f_globals.get('__name__') in ('site', 'posixpath') and frame.f_code.co_filename != '<string>'
        if not own:
            asked.add(name if isinstance(name, str) else os.fsdecode(name))
    def __getitem__(self, name):
        self.note(name)
        return dict.__getitem__(self, name)
    def __contains__(self, name):
        self.note(name)
        return dict.__contains__(self, name)
    def get(self, name, default=None):
        self.note(name)
        return dict.get(self, name, default)
    def setdefault(self, name, value=''):
        self.note(name)
        return dict.setdefault(self, name, value)
    def pop(self, name, *default):
        self.note(name)
        return dict.pop(self, name, *default)
    def __delitem__(self, name):
        self.note(name)
        dict.__delitem__(self, name)
    def __iter__(self):
        self.note('*')
        return dict.__iter__(self)
    def keys(self):
        self.note('*')
        return dict.keys(self)
    def items(self):
        self.note('*')
        return dict.items(self)
    def copy(self):
        self.note('*')
        return dict.copy(self)
out = os.dup(1)
os.dup2(2, 1)
os.environ = Watched(os.environ)
os.getenv = lambda key, default=None: os.environ.get(key, default)
import site
site.main()
os.write(out, repr(sorted(asked)).encode())
os._exit(0)
"""


def variables_of_site():
    """The variables that code in `.pth` files and `sitecustomize` looks at when an interpreter starts."""
    import ast
    import subprocess

    if not has_site_code():
        return []
    asked = subprocess.run([sys.executable, "-S", "-c", ASK_SITE], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, timeout=30)
    return ast.literal_eval(asked.stdout.decode()) if asked.returncode == 0 else ["*"]


def has_site_code():
    if "sitecustomize" in sys.modules or "usercustomize" in sys.modules:
        return True
    for path, _ in DEPENDENCIES:
        if path.endswith(b".pth"):
            try:
                with open(path, "rb") as file:
                    if any(line.startswith((b"import ", b"import\t")) for line in file):
                        return True
            except OSError:
                return True
    return False


# ---------------------------------------------------------------------------------------------------------------------
# Running a job as if the interpreter had just started. Nothing of ours is on the stack while it runs: the code is
# called from C, when the object that holds it is dropped. An exception that leaves it arrives at the hook for such.


class Guard:
    """Dies when the code of the job is left, and only then sees to it that its exception comes to us."""

    def __init__(self, ending):
        self.ending = ending

    def __del__(self):
        self.ending.expect()


class Ending:
    """How the code of a job ended."""

    def __init__(self):
        self.error = None
        self.hook = None

    def expect(self):
        self.hook = sys.__dict__.get("unraisablehook", self)
        sys.unraisablehook = self.take

    def take(self, unraisable):
        global UNRAISABLE
        UNRAISABLE = type(unraisable)
        self.error = unraisable.exc_value
        if self.error is None:
            self.error = unraisable.exc_type()

    def done(self):
        if self.hook is self:
            sys.__dict__.pop("unraisablehook", None)
        else:
            sys.unraisablehook = self.hook


class Call:
    """One call, of a function with two arguments, that nothing but C code makes."""

    def __init__(self):
        self.ending = Ending()
        self.parts = None

    def __iter__(self):
        (function, first, second), self.parts = self.parts, None
        return map(function, (first,), (second, Guard(self.ending)))

    def frameless(self):
        """An object that makes the call when it is dropped."""
        return type("Frameless", (), {"__del__": staticmethod(partial(deque, self, 0))})()


def fresh_main(**values):
    main = type(sys)("__main__")
    names = vars(main)
    names.clear()
    for name in MAIN_NAMES:
        names[name] = None
    names["__name__"] = "__main__"
    if "__annotations__" in names:
        names["__annotations__"] = {}
    names["__loader__"] = bootstrap.BuiltinImporter
    names["__builtins__"] = builtins
    if not values:
        for name in ("__file__", "__cached__"):
            names.pop(name, None)
    names.update(values)
    return main


class Job:
    """What to run, as JSON, and the environment: variables with a NUL between them."""

    def __init__(self, head, variables):
        self.head, self.variables = head, variables
        self.entries = entries_of(variables)
        head = DECODER.raw_decode(self.head.decode())[0]
        self.program, self.args, self.cwd = head["program"], head["args"], head["cwd"]
        self.env = {name: value for name, _, value in (os.fsdecode(entry).partition("=") for entry in self.entries)}


class Ahead:
    """A job for which everything is ready that depends neither on the moment nor on the rest of the environment."""

    def __init__(self, job, identities, parts):
        self.head, self.cwd, self.identities, self.parts = job.head, job.cwd, identities, parts
        self.meant = meant(job.entries)

    def fits(self, head, entries, is_sure):
        """Whether this is that job, and what was looked at is still the same."""
        return (head == self.head and meant(entries) == self.meant and first_changed(self.identities) is None
                and (is_sure or first_changed(DEPENDENCIES) is None))


def entries_of(variables):
    return variables.split(b"\0") if variables else []


def meant(entries):
    return [entry for entry in entries if entry.startswith(MEANT)]


class Spare:
    """A child of the server: everything that can be done before the job is known, then the job."""

    def __init__(self, job_fd, like):
        self.job_fd = job_fd
        self.like = Job(*self.take_apart(like)) if like else None
        self.is_sure = False
        self.ahead = None
        self.compiled = {}
        self.searched = {}
        self.divided = {}
        self.homes = {}
        self.tool = None

    def life(self):
        """Yields the objects whose end is the rehearsal, and then the job."""
        STASH.clear_table()
        sys.excepthook = SITE_EXCEPTHOOK
        self.set_streams()
        for ahead in (False, True):
            yield from self.rehearse(ahead)
        self.clean()
        call = Call()
        frameless = [call.frameless()]
        gc.freeze()
        try:
            *call.parts, main = self.become(*self.take_apart(self.receive()))
        except Declined as declined:
            self.answer(b"-" + str(declined).encode("utf-8", "replace"))
            os._exit(0)
        except Exception as error:
            self.answer(b"-" + repr(error).encode("utf-8", "replace"))
            os._exit(0)
        sys.modules["__main__"] = main
        del main
        self.ahead = None
        self.answer(b"+" if self.is_sure else LOOKED_AT)
        # The only reference is the one that is given away.
        yield frameless.pop()
        call.ending.done()
        end(call.ending)

    # Before the job is known.

    def set_streams(self):
        for fd, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
            encoding, errors = STREAMS[name]
            buffering = 0 if UNBUFFERED and mode == "w" else -1
            buffer = io.open(fd, mode + "b", buffering, closefd=False)
            raw = buffer.raw if buffering else buffer
            raw.name = f"<{name}>"
            line_buffering = not UNBUFFERED and (raw.isatty() or name == "stderr")
            stream = io.TextIOWrapper(buffer, encoding, errors, "\n", line_buffering, UNBUFFERED)
            stream.mode = mode
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)

    def rehearse(self, ahead):
        """Runs the way of a job once, so that its memory is ours and its code is known to the interpreter."""
        try:
            if ahead:
                self.prepare_ahead()
            if self.like:
                self.become(self.like.head, self.like.variables)
        except Exception:
            pass
        # It keeps no folder from being removed.
        os.chdir("/")
        try:
            call = Call()
            call.parts = (exec, REHEARSAL, vars(fresh_main()))
            yield call.frameless()
            call.ending.done()
        finally:
            LIBC.fflush(None)
            self.clean()

    def clean(self):
        """Takes back what a rehearsal, or another job, has left."""
        self.ahead = None
        STASH.clear_table()
        sys.path_importer_cache.clear()
        sys.path_importer_cache.update(BASE_IMPORTERS)
        sys.path[:] = BASE_PATH
        sys.argv = []
        for name in ("last_type", "last_value", "last_traceback", "last_exc"):
            sys.__dict__.pop(name, None)
        if "linecache" in STASH.modules:
            STASH.modules["linecache"].cache.clear()

    # The job.

    def receive(self):
        waiting = select.poll()
        waiting.register(self.job_fd, select.POLLIN)
        if not waiting.poll(IDLE):
            self.compile_ahead()
            self.prepare_ahead()
            breathe()
            gc.collect()
            gc.freeze()
        text = b""
        while len(text) < 4 or len(text) < 4 + int.from_bytes(text[:4], "big"):
            part = os.read(self.job_fd, 1 << 16)
            if not part:
                os._exit(0)
            text += part
        return text[4:]

    def take_apart(self, text):
        """What to run, and the environment. What is not like a variable ends it if the engine knows that `DEPENDENCIES` have not
        changed."""
        head, _, variables = text.partition(b"\0")
        self.is_sure = variables == b"=" or variables.endswith(b"\0=")
        return head, variables[:-2] if self.is_sure else variables

    def answer(self, text):
        try:
            while text:
                text = text[os.write(self.job_fd, text) :]
        except OSError:
            os._exit(0)
        os.close(self.job_fd)

    def prepare_ahead(self):
        """Becomes what the example needs, as far as that can be known before the job."""
        job = self.like
        if job is None or job.args[:1] != ["-c"] or job.program not in PROGRAMS or "HOME" not in job.env:
            return
        try:
            self.check(job)
            call, code, names, main = self.arrange(job)
            begin, rest, modules = self.divide(job.args[1])
            # Whatever else has one of these names must not run before its time.
            if modules and all(name in sys.modules or STASH.hand_out(name) for name in modules):
                exec(begin, names)
                code = rest
                register_source(code, job.args[1])
                # What the code imports comes before what its tool does.
                of_tool = self.import_ahead()
            else:
                of_tool = []
            given = job.env.get("PYTHONPATH")
            folders = self.searched[(given, job.cwd)][0] if given else []
            identities = dict([*folders, *of_tool, *self.other_homes(job.env)])
            self.ahead = Ahead(job, [(os.fsencode(path), known) for path, known in identities.items()],
                               (call, code, names, main))
        except Exception:
            self.clean()

    def become(self, head, variables):
        """Becomes what the interpreter would be before the first line of a job, and gives the call to make."""
        ahead = self.ahead
        if ahead is not None:
            entries = entries_of(variables)
            if ahead.fits(head, entries, self.is_sure):
                set_environment(entries, variables)
                os.chdir(ahead.cwd)
                return ahead.parts
            self.clean()
        job = Job(head, variables)
        self.check(job)
        set_environment(job.entries, variables)
        os.chdir(job.cwd)
        return self.arrange(job)

    def check(self, job):
        """Declines what this interpreter cannot be."""
        args = job.args
        self.check_program(job.program, job.env)
        if not args or args[0][:1] == "-" and args[0] not in ("-c", "-m") or args[0] == "":
            raise Declined(f"interpreter option {args[0] if args else '(none)'}")
        if args[0] in ("-c", "-m") and len(args) < 2:
            raise Declined(f"{args[0]} needs a value")
        self.check_environment(job.env)
        changed = None if self.is_sure else first_changed(DEPENDENCIES)
        if changed is not None:
            raise Declined(f"!{os.fsdecode(changed)} has changed")

    def arrange(self, job):
        """Sets up the interpreter, and gives the call to make."""
        args, path = job.args, self.search_path(job.env, job.cwd)
        self.set_user_site(job.env)
        if hasattr(sys, "orig_argv"):
            sys.orig_argv[:] = [job.program, *args]
        safe = getattr(sys.flags, "safe_path", False)
        if args[0] == "-c":
            sys.path[:] = path if safe else ["", *path]
            sys.argv = ["-c", *args[2:]]
            main = fresh_main()
            code = self.compile(args[1], "<string>")
            if "__compiled__" in args[1]:
                main.__compiled__ = self.compiled
            register_source(code, args[1])
            return exec, code, vars(main), main
        if args[0] == "-m":
            sys.path[:] = path if safe else [os.getcwd(), *path]
            sys.argv = ["-m", *args[2:]]
            main = sys.modules["__main__"] = fresh_main()
            import runpy

            return runpy._run_module_as_main, args[1], True, main
        script = args[0]
        if not script.startswith("/") or script.endswith(".pyc"):
            raise Declined("a script that is no plain absolute path")
        with open(script, "rb") as file:
            source = file.read()
        if b"PK\x05\x06" in source:
            raise Declined("a script that may be an archive")
        sys.path[:] = path if safe else [os.path.dirname(os.path.realpath(script)), *path]
        sys.argv = list(args)
        sys.path_importer_cache[script] = None
        main = fresh_main(__file__=script, __cached__=None, __loader__=external.SourceFileLoader("__main__", script))
        if "__cached__" not in MAIN_NAMES:
            del main.__cached__
        return exec, self.compile(source, script), vars(main), main

    def check_program(self, program, env):
        if program in PROGRAMS:
            return
        if "/" not in program:
            for folder in env.get("PATH", "").split(":"):
                found = os.path.join(folder, program)
                if os.path.isfile(found) and os.access(found, os.X_OK):
                    if found in PROGRAMS:
                        return
                    break
        raise Declined(f"this is {sys.executable}, not {program}")

    def check_environment(self, env):
        for name, value in env.items():
            if (name.startswith(STARTS_WITH) or name in START_NAMES) and START_ENV.get(name) != value:
                if name != "PYTHONPATH":
                    raise Declined(f"{name} has another value than at the start")
        for name in START_ENV:
            if name not in env and (name.startswith(STARTS_WITH) or name in START_NAMES):
                raise Declined(f"{name} had a value at the start")
        for name in SITE_VARIABLES:
            if name == "*" or START_ENV.get(name) != env.get(name):
                raise Declined(f"the code of a site folder looks at {name}")

    def search_path(self, env, cwd):
        """The search path after the site folders were processed."""
        given = env.get("PYTHONPATH")
        if not given:
            return BASE_PATH
        known = self.searched.get((given, cwd))
        if known is not None and all(identity(folder) == was for folder, was in known[0]):
            _, path, importers = known
            put_first(importers)
            return path
        path, seen, folders = [], set(), []
        for entry in given.split(":"):
            whole = os.path.abspath(os.path.join(cwd, entry))
            if whole not in seen:
                seen.add(whole)
                path.append(whole)
                folders.append((whole, identity(whole)))
                stems = STASH.stems_of(whole)
                if stems is None:
                    raise Declined(f"{whole} on PYTHONPATH is no folder")
                if not stems.isdisjoint(CUSTOM):
                    raise Declined(f"{whole} on PYTHONPATH customises the site")
                if not stems.isdisjoint(STASH.base_tops):
                    raise Declined(f"{whole} on PYTHONPATH replaces modules that the start needs")
        importers = {entry: sys.path_importer_cache[entry] for entry in path if entry in sys.path_importer_cache}
        put_first(importers)
        path += [entry for entry in BASE_PATH if entry not in seen]
        if is_settled([was for _, was in folders]):
            self.searched[(given, cwd)] = (folders, path, importers)
        return path

    def set_user_site(self, env):
        site.USER_BASE, site.USER_SITE = USER_SITE
        if first_changed(self.other_homes(env)) is not None:
            raise Declined("another folder of the user's packages")
        home = home_of(env)
        if home in self.homes and "PYTHONUSERBASE" not in env:
            site.USER_BASE, site.USER_SITE = self.homes[home]

    def other_homes(self, env):
        """Folders of the user's packages that must not be there: of a home that is not the one at the start, and of that one."""
        home = home_of(env)
        if home == HOME or "PYTHONUSERBASE" in env:
            return []
        known = self.homes.get(home)
        if known is None:
            base = os.path.join((home.rstrip("/") or "/"), ".local")
            known = self.homes[home] = (base, site._get_path(base))
        return [(known[1], None), (USER_SITE[1] or "", None)] if site.ENABLE_USER_SITE else []

    def compile(self, source, name):
        """Compiles, or declines: what is wrong with the source is better said by the interpreter itself."""
        code = self.compiled.get((source, name))
        if code is not None:
            return code
        if sys.version_info >= (3, 14) and name == "<string>" and source.lstrip("\n")[:1] in (" ", "\t"):
            raise Declined("indented code")
        categories = (SyntaxWarning, DeprecationWarning) if sys.warnoptions else (SyntaxWarning,)
        strict = [("error", None, category, None, 0) for category in categories]
        filters = _warnings.filters
        filters[:0] = strict
        try:
            code = compile(source, name, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, Warning, RecursionError, MemoryError) as error:
            raise Declined(f"the source does not compile: {error}") from None
        finally:
            del filters[: len(strict)]
        self.compiled[(source, name)] = code
        return code

    def divide(self, source):
        """Code that was given as an argument in two parts: imports of modules that are here already, which change nothing but
        the module table; and the rest. The names of these modules are the third one, and there may be none."""
        if not getattr(sys.flags, "safe_path", False):
            return None, None, []
        made = self.divided.get(source)
        if made is None:
            tree = compile(source, "<string>", "exec", ONLY_AST, dont_inherit=True)
            lines, modules, count = source.split("\n"), [], 0
            for node in tree.body:
                names = [alias.name for alias in node.names] if type(node).__name__ == "Import" else []
                is_known = bool(names) and all(name in BASE_MODULES or name in STASH.modules for name in names)
                if not is_known and lines[node.lineno - 1 : node.end_lineno] != [SAFE_PATH]:
                    # As the first statement, a text would be a docstring.
                    if type(node).__name__ == "Expr" and type(node.value).__name__ == "Constant":
                        modules = []
                    break
                modules += names
                count += 1
            parts = (type(tree)(tree.body[:count], []), type(tree)(tree.body[count:], []))
            made = (*(compile(part, "<string>", "exec", dont_inherit=True) for part in parts), modules)
            self.divided[source] = made
        return made

    def compile_ahead(self):
        """Compiles the tool of the example. Code that speaks of `__compiled__` finds what was compiled among its names, by text
        and name. It is given the path of its tool and a name for it as its first arguments, and makes a module of it, for which
        it searches the folder of the tool first."""
        args = self.like.args if self.like else []
        if args[:1] != ["-c"] or len(args) < 4 or "__compiled__" not in args[1]:
            return
        path, name = args[2:4]
        try:
            if os.path.isfile(path) and os.path.getsize(path) <= LONGEST_AHEAD:
                with open(path, "rb") as file:
                    text = file.read()
                self.compile(text, name)
                self.tool = (path, first_imports(text))
        except (OSError, Declined):
            pass

    def import_ahead(self):
        """Imports what the tool of the example imports first, as far as that is here, and gives what must not change meanwhile."""
        path, imports = self.tool or ("", [])
        folder, _, file = path.rpartition("/")
        folder, name = folder or "/", os.path.splitext(file)[0]
        if not imports or name in sys.modules or name in STASH.modules:
            return []
        was = identity(folder)
        if not is_settled([was]):
            return []
        # The tool has its place in the table before what it imports.
        sys.modules[name] = None
        sys.path.insert(0, folder)
        for module, names in imports:
            if module not in sys.modules and not (module in STASH.modules and STASH.hand_out(module)):
                break
            if not vars(sys.modules[module]).keys() >= names:
                break
        del sys.path[0]
        return [(folder, was)]


def first_imports(text):
    """The modules that a file imports before it does anything else, each with the names that it takes from there."""
    imports = []
    # A runtime may import more for a tool that speaks of this.
    body = [] if b"async" in text else compile(text, "<string>", "exec", ONLY_AST, dont_inherit=True).body
    for node in body:
        kind = type(node).__name__
        if kind == "Import":
            imports += [(alias.name, set()) for alias in node.names]
        elif kind == "ImportFrom" and node.level == 0:
            imports.append((node.module, {alias.name for alias in node.names}))
        elif kind not in ("Assign", "Expr") or not is_plain(node.value):
            break
        elif any(type(target).__name__ != "Name" for target in getattr(node, "targets", ())):
            break
    return imports


def is_plain(node):
    """Whether this is a value that is written out."""
    kind = type(node).__name__
    if kind in ("List", "Tuple"):
        return all(map(is_plain, node.elts))
    if kind == "Dict":
        return all(map(is_plain, chain(node.keys, node.values)))
    return kind == "Constant"


def home_of(env):
    home = env.get("HOME")
    if home is None:
        import pwd

        home = pwd.getpwuid(os.getuid()).pw_dir
    return home


def put_first(importers):
    """These were asked first, when the site folders were processed."""
    cache = sys.path_importer_cache
    both = {**importers, **cache}
    cache.clear()
    cache.update(both)


def breathe():
    """Takes memory of all sizes and lets go of it. The job gets the same, and it is our own then, so no page of it is copied."""
    taken = [[bytes(size) for size in range(0, 480, 8)] for _ in range(12)]
    taken += [({"a": each}, lambda: each) for each in range(40)]


def register_source(code, source):
    """Lets tracebacks show the lines of code that was given as an argument."""
    if sys.version_info < (3, 13):
        return
    import linecache

    if sys.version_info >= (3, 14) and hasattr(linecache, "_register_code"):
        linecache._register_code(code, source, "<string>")
    elif hasattr(linecache, "_register_code"):
        linecache._register_code("<string>", source, "<string>")


def new_block(size):
    """Memory that the interpreter never frees, and where it is."""
    place = LIBC.malloc(size)
    return memoryview((ctypes.c_ubyte * size).from_address(place)).cast("B"), place


def set_environment(entries, variables):
    """Gives the C library a block of its own, and the interpreter the same."""
    pairs = dict(map(NAME_AND_VALUE, entries))
    if COERCED is not None or SITE_REMOVED or SITE_SET:
        if COERCED is not None:
            pairs.setdefault(b"LC_CTYPE", COERCED)
        for name in SITE_REMOVED:
            pairs.pop(name, None)
        pairs.update(SITE_SET)
        entries = [b"=".join(pair) for pair in pairs.items()]
        variables = b"\0".join(entries)
    room = WORD * (len(entries) + 1)
    size = room + len(variables) + 1
    block, place = BLOCK if size <= len(BLOCK[0]) else new_block(size)
    # Each begins behind the end of the one before it.
    table = array("L", map(add, accumulate(map(len, entries), initial=place + room), count()))
    table[-1] = 0
    block[:size] = table.tobytes() + variables + b"\0"
    ENVIRON.value = place
    for table in (os.environ._data, posix.environ):
        table.clear()
        table.update(pairs)


# ---------------------------------------------------------------------------------------------------------------------
# The end of a run, in the order of the interpreter's own.


def end(ending):
    """Reports how the code ended, waits for threads, runs exit handlers, drops the job's modules, and exits."""
    error, ending.error = ending.error, None
    interrupted = isinstance(error, KeyboardInterrupt)
    code = report(error) if error is not None else 0
    error = None
    threading = sys.modules.get("threading")
    if threading is not None:
        try:
            threading._shutdown()
        except BaseException as failed:
            ignored(failed, threading)
    try:
        atexit._run_exitfuncs()
    except BaseException:
        pass
    if not flush() or not drop_modules() or not flush():
        # The interpreter's own end says what is wrong with the streams.
        os.environ.pop("PYTHONINSPECT", None)
        return
    if interrupted:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    LIBC.fflush(None)
    take_leave(code & 0xFF)
    os._exit(code & 0xFF)


def take_leave(code):
    """Tells the init process of our namespace how we end: only the kernel is left with something to do, which takes long."""
    # A copy of us, which the job may have made, has nothing to say. What others may be waiting for, such as a lock or a
    # port, is free from here on.
    if os.getpid() == 2 and LIBC.syscall(CLOSE_RANGE, 3, 0x7FFFFFFF, 0) == 0:
        LIBC.sigqueue(1, FAREWELL, ctypes.c_void_p(code))
        # It ends us soon. Freeing our memory before that would keep a processor from whoever waits for the answer.
        LIBC.poll(None, 0, 50)


def report(error):
    """Prints an error that left the code, and gives the exit code."""
    if isinstance(error, SystemExit):
        return exit_code(error)
    kind, trace = type(error), error.__traceback__
    sys.last_type, sys.last_value, sys.last_traceback = kind, error, trace
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    hook = sys.__dict__.get("excepthook")
    if hook is None:
        sys.stderr.write("sys.excepthook is missing\n")
        hook = sys.__excepthook__
    try:
        hook(kind, error, trace)
    except SystemExit as exits:
        return exit_code(exits)
    except BaseException as failed:
        failed.__traceback__ = failed.__traceback__.tb_next
        failed.__context__ = None
        flush()
        sys.stderr.write("Error in sys.excepthook:\n")
        sys.__excepthook__(type(failed), failed, failed.__traceback__)
        sys.stderr.write("\nOriginal exception was:\n")
        sys.__excepthook__(kind, error, trace)
    return 1


def exit_code(exits):
    try:
        sys.stdout.flush()
    except BaseException:
        pass
    code = exits.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code if -(1 << 63) <= code < 1 << 63 else -1
    try:
        sys.stderr.write(str(code))
        sys.stderr.write("\n")
        sys.stderr.flush()
    except BaseException:
        pass
    return 1


def ignored(error, source):
    trace = error.__traceback__.tb_next
    sys.unraisablehook(UNRAISABLE((type(error), error, trace, None, source)))


def flush():
    for stream in (sys.stdout, sys.stderr):
        if stream is None or getattr(stream, "closed", False):
            continue
        try:
            stream.flush()
        except BaseException:
            return False
    return True


def drop_modules():
    """Ends the life of what the job's modules hold: files are written, finalizers run."""
    try:
        builtins._ = None
        names = sys.__dict__
        names.update(dict.fromkeys(GOING & names.keys()))
        for name in ("stdin", "stdout", "stderr"):
            names[name] = names.get(f"__{name}__")
        # As the interpreter does: what is reachable now is in the order in which it is reached from then on. Otherwise the file
        # below a stream could be closed before the stream has written what it holds.
        if gc.isenabled():
            gc.collect()
        modules, alive = sys.modules, []
        values = list(modules.values())
        is_known = map(STASH.identities.__contains__, map(id, values))
        for module in compress(values, map(not_, is_known)):
            if module is not None:
                try:
                    alive.append(weakref_ref(module))
                except TypeError:
                    pass
        module = values = is_known = None
        modules.update(dict.fromkeys(modules))
        modules.clear()
        gc.collect()
        for reference in reversed(alive):
            module = reference()
            if module is not None and type(module) is MODULE:
                names = vars(module)
                for first in (True, False):
                    for name in list(names):
                        if name != "__builtins__" and (name[:1] == "_" and name[:2] != "__") == first:
                            names[name] = None
            module = names = None
    except BaseException:
        return True
    return True


# ---------------------------------------------------------------------------------------------------------------------
# The server.


class Server:
    """Forks a spare for every packet, and reports how each ended."""

    def __init__(self, fd):
        self.socket = socket.socket(fileno=fd)
        os.set_inheritable(fd, False)
        self.poll = select.poll()
        self.poll.register(fd, select.POLLIN)
        self.children = {}
        self.own_namespace = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)

    def lives(self):
        """Runs for good in the server. In a child it goes on with the life of the spare."""
        # The interpreter makes code faster that has run a few times, and what the server knows its children know.
        head = json.dumps({"program": sys.executable, "args": ["-c", "pass"], "cwd": "/"})
        practice = Spare(None, os.fsencode(f"{head}\0HOME={HOME}"))
        for _ in range(PRACTICE):
            yield from practice.rehearse(ahead=True)
        while True:
            for fd, _ in self.poll.poll():
                if fd in self.children:
                    self.bury(fd)
                    continue
                try:
                    spare = self.serve()
                except Exception as error:
                    complain(error)
                    continue
                if spare is not None:
                    self.socket.detach()
                    yield from spare.life()
                    return

    def bury(self, pidfd):
        pid, status_fd = self.children.pop(pidfd)
        self.poll.unregister(pidfd)
        os.close(pidfd)
        _, status = os.waitpid(pid, 0)
        if status_fd is not None:
            send_status(status_fd, status)

    def serve(self):
        space = socket.CMSG_SPACE(6 * 4)
        text, ancillary, flags, _ = self.socket.recvmsg(1 << 18, space, socket.MSG_CMSG_CLOEXEC)
        fds = []
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                numbers = array("i")
                numbers.frombytes(data[: len(data) - len(data) % numbers.itemsize])
                fds.extend(numbers)
        if not text and not fds:
            os._exit(0)
        try:
            if len(fds) != 6 or flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
                return None
            return self.fork(text.partition(b"\0")[2], fds)
        finally:
            for fd in fds:
                os.close(fd)

    def fork(self, like, fds):
        pidfd, job, *stdio, status = fds
        try:
            setns(pidfd, CLONE_NEWPID)
        except PermissionError:
            return self.fork_below(like, fds)
        pid = os.fork()
        if pid == 0:
            return born(like, job, stdio, fds)
        setns(self.own_namespace, CLONE_NEWPID)
        self.remember(pid, os.dup(status))
        return None

    def fork_below(self, like, fds):
        """For an ordinary user: a process in between enters the namespaces, and stays until the spare has ended."""
        pidfd, job, *stdio, status = fds
        between = os.fork()
        if between:
            self.remember(between, None)
            return None
        try:
            setns(pidfd, CLONE_NEWUSER | CLONE_NEWPID)
            pid = os.fork()
            if pid == 0:
                drop_capabilities()
                return born(like, job, stdio, fds)
        except BaseException as error:
            complain(error)
            os._exit(1)
        close_all_but({0, 1, 2, status})
        _, ended = os.waitpid(pid, 0)
        send_status(status, ended)
        os._exit(0)

    def remember(self, pid, status):
        watched = os.pidfd_open(pid)
        self.children[watched] = (pid, status)
        self.poll.register(watched, select.POLLIN)


def born(like, job, stdio, fds):
    """The first steps of a child: its own session, its own streams, signals as they were, nothing else open."""
    try:
        os.setsid()
        signal.signal(signal.SIGINT, START_SIGINT)
        # A given descriptor may have a number below three when the server was started without streams.
        job = fcntl.fcntl(job, fcntl.F_DUPFD_CLOEXEC, 10)
        stdio = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in stdio]
        for number, fd in enumerate(stdio):
            os.dup2(fd, number)
        fds.clear()
        close_all_but({0, 1, 2, job})
        return Spare(job, like)
    except BaseException as error:
        complain(error)
        os._exit(1)


def close_all_but(kept):
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept:
            try:
                os.close(int(name))
            except OSError:
                pass


def send_status(fd, status):
    try:
        os.write(fd, (status & 0xFFFFFFFF).to_bytes(4, "big"))
    except OSError:
        pass
    os.close(fd)


def setns(fd, kind):
    if LIBC.setns(fd, kind) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def drop_capabilities():
    """A user namespace gives us all capabilities in it. The run has none, as without it."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    nothing = (ctypes.c_uint32 * 6)()
    if LIBC.capset(header, nothing) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def complain(error):
    try:
        os.write(2, f"{type(error).__name__}: {error}\n".encode("utf-8", "replace"))
    except OSError:
        pass


# ---------------------------------------------------------------------------------------------------------------------
# The start.

BASE_PATH = sys.path[:] if getattr(sys.flags, "safe_path", False) else sys.path[1:]
sys.path[:] = BASE_PATH
BASE_IMPORTERS.pop(__file__, None)
sys.path_importer_cache.pop(__file__, None)
# In the C locale the interpreter sets this variable for itself and for what it starts.
COERCED = os.environb.get(b"LC_CTYPE") if "LC_CTYPE" not in START_ENV else None
# Code in `.pth` files and `sitecustomize` may set variables, and a hook, for every run.
SITE_SET = {name: value for name, value in os.environb.items()
            if name not in (b"LC_CTYPE", b"RYE_SERVER_FD") and START_ENV.get(os.fsdecode(name)) != os.fsdecode(value)}
SITE_REMOVED = [os.fsencode(name) for name in START_ENV if name not in os.environ]
SITE_EXCEPTHOOK = sys.excepthook
STREAMS = {name: (stream.encoding, stream.errors)
           for name, stream in (("stdin", sys.stdin), ("stdout", sys.stdout), ("stderr", sys.stderr)) if stream is not None}
UNBUFFERED = bool(START_ENV.get("PYTHONUNBUFFERED"))
CUSTOM = frozenset(("sitecustomize", "usercustomize"))

GRAPH = ImportGraph()
GRAPH.record(COMMON)

import ctypes
import fcntl
import gc
import io
import json
import posix
import select
import signal
import site
import socket
import time
import _warnings
from array import array
from collections import deque
from functools import partial
from itertools import accumulate, chain, compress, count, repeat
from operator import add, is_, methodcaller, not_
from weakref import ref as weakref_ref

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.malloc.restype = ctypes.c_void_p
LIBC.malloc.argtypes = (ctypes.c_size_t,)
ENVIRON = ctypes.c_void_p.in_dll(LIBC, "environ")
WORD = ctypes.sizeof(ctypes.c_void_p)
for name in ("fflush", "malloc", "poll", "sigqueue", "syscall"):
    getattr(LIBC, name)  # It is looked up now, and not by each spare.
DECODER = json.JSONDecoder()
NAME_AND_VALUE = methodcaller("split", b"=", 1)
# How often the server rehearses before it makes spares.
PRACTICE = 10
# A spare that has got no job for so many milliseconds has time for more.
IDLE = 5
# A longer tool is not compiled before it is called, for a call of another one would have to wait for that.
LONGEST_AHEAD = 1 << 16
# The clock of files goes in steps: a folder may change twice in one of them. This is much longer, in nanoseconds.
SETTLING = 2_000_000_000
MODULE = type(sys)
# What the interpreter takes out of `sys` before its modules go.
GOING = {"path", "argv", "ps1", "ps2", "last_exc", "last_type", "last_value", "last_traceback", "path_hooks",
         "path_importer_cache", "meta_path", "__interactivehook__"}
# What `compile` is told that shall not compile.
ONLY_AST = 0x400
# With this line older interpreters are kept from importing what is in the working directory.
SAFE_PATH = "sys.path[:] = [entry for entry in sys.path if entry]"
# The interpreter tidies up a path like `a/../b`, and a job names it as the engine does.
PROGRAMS = {sys.executable, *getattr(sys, "orig_argv", ())[:1]}
START_SIGINT = signal.getsignal(signal.SIGINT)
HOME = os.path.expanduser("~")
USER_SITE = (site.USER_BASE, site.USER_SITE)

REHEARSAL = compile(
    """
import json, os, re, pathlib, sys, datetime, types, importlib.machinery
text = json.dumps(json.loads(b'{"a": [1, 2.5, "x", null, true], "b": {"c": "d"}}'), default=str, ensure_ascii=False)
code = compile(b"import json, re\\n\\ndef execute(params, project):\\n    return {'a': [x for x in params], 'b': f'{project}'}\\n",
               "tool.py", "exec", dont_inherit=True)
module = types.ModuleType("tool")
exec(code, vars(module))
text.encode("utf-8", "backslashreplace").decode("utf-8") + json.dumps(module.execute({"a": 1}, "p"))
re.match(r"(a+)b", "aab")
re.sub(r"[^\\s,;.-]*?(?:x|\\w|[0-9]{1,3})$", lambda found: found[0].upper(), "a b 12")
re.purge()
path = pathlib.Path("/tmp/x") / "y.txt"
path.name, path.suffix, path.exists(), path.resolve(), str(path.parent)
raise SystemExit
""",
    "<string>",
    "exec",
    dont_inherit=True,
)


def start():
    """Warms up, and goes on in C: see `Call`."""
    global STASH, DEPENDENCIES, LOOKED_AT, SITE_VARIABLES, MEANT, BLOCK
    fd = int(os.environ.pop("RYE_SERVER_FD"))
    missing = [name for name in UNUSUAL if START_ENV.get(name)]
    if missing or len(STREAMS) < 3:
        sys.exit(f"cannot keep processes ready with {missing or 'closed streams'}")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    DEPENDENCIES = start_dependencies()
    # What a spare says that has taken a job, and had to see for itself that these are as they were.
    LOOKED_AT = b"+" + b"".join(path + b"\0" for path, _ in DEPENDENCIES)
    SITE_VARIABLES = variables_of_site()
    # How entries of the environment begin that say something to us before the job runs.
    MEANT = tuple(os.fsencode(name) for name in (*STARTS_WITH, *(f"{name}=" for name in (*START_NAMES, "HOME", *SITE_VARIABLES))))
    BLOCK = new_block(1 << 16)
    STASH = Stash(GRAPH)
    STASH.install()
    lives = Server(fd).lives()
    gc.collect()
    gc.freeze()
    # The hook for uncaught exceptions is called when no frame is left. This one looks for an item of `lives` that is None
    # and finds none: it asks for one after the other and drops them, all from C.
    sys.excepthook = partial(max, key=partial(next, chain(filter(partial(is_, None), lives), repeat(0))))


if __name__ == "__main__":
    start()
    raise Exception("over to the hook")
