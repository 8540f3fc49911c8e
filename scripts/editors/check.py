#!/usr/bin/env python3
"""What an editor shows in a function under `#[resilient(…)]`, beside the same function without it.

Starts rust-analyzer over stdio on `fixture/`, types each shape into `fixture/src/shape.rs` (in the editor, never on
disk), asks, and prints a table. Python's standard library only.

    python3 scripts/editors/check.py [--only WORD] [--verbose]

Exit code 0: every promise is kept. 1: one is not. 77: no rust-analyzer here, nothing was checked.

RUST_ANALYZER      the server; without it the one of the toolchain in `rust-toolchain.toml`
CARGO_TARGET_DIR   where its builds go; without it `target/editors`
"""

import argparse
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
FIXTURE = HERE / "fixture"
SHAPE = FIXTURE / "src" / "shape.rs"
SHOP = FIXTURE / "src" / "shop.rs"

LOADED_WITHIN = 900  # seconds, for the first build of the macro crate and the sysroot's index
ANSWERED_WITHIN = 120  # seconds, for one request


# --- The shapes -------------------------------------------------------------------------------------------------------

# `⟪word⟫` marks the place behind it and is not part of the text.
MARK = re.compile(r"⟪([^⟫]*)⟫")

BODY = """\
amount += 1;
let wanted = ⟪use:sku⟫sku.trim().to_owned();
let ⟪hover:found⟫found = ⟪use:shop⟫shop.FIND(&⟪hover:wanted⟫wanted, ⟪use:amount⟫amount + ⟪use:low⟫low)AWAIT?;
let label = describe(&found, low);
audit(⟪hover:label⟫label.len(), true);
UNFINISHED
Ok(found)"""

# `desk` is a module or an `impl`, so that defaults may stand above it; the function is in it.
FREE = """\
use crate::shop::{Range, Shop, Stock, StockError, audit, describe};
use std::time::Duration;

pub const BRIEF: Duration = Duration::from_millis(60);

GROUP
pub mod desk {
use super::*;

ATTRIBUTES
pub ASYNC fn ⟪def:reserve⟫reserve(⟪def:shop⟫shop: &⟪type:Shop⟫Shop, ⟪def:sku⟫sku: String, mut ⟪def:amount⟫amount: u32, Range { ⟪def:low⟫low, .. }: ⟪type:Range⟫Range) -> RETURNS {
⟪body⟫BODY
⟪end⟫}
}

pub fn worth(_: &StockError) -> resilient::Verdict {
    resilient::Verdict::Transient
}

pub ASYNC fn plan_b(_: &Shop, _: String, _: u32, range: Range) -> Result<Stock, StockError> {
    Ok(Stock { left: range.high })
}

pub ASYNC fn caller(shop: &Shop, range: Range) -> Result<Stock, StockError> {
    desk::⟪use:reserve⟫reserve(shop, String::new(), 1, range)AWAIT
}
"""

# The same with a key, for a write.
KEYED = FREE.replace("Range { ⟪", "⟪def:key⟫key: resilient::IdempotencyKey, Range { ⟪")
KEYED = KEYED.replace("1, range", "1, todo!(), range")

METHOD = """\
use crate::shop::{Range, Shop, Stock, StockError, audit, describe};

pub struct Desk {
    shop: Shop,
}

GROUP
impl Desk {
ATTRIBUTES
pub ASYNC fn ⟪def:reserve⟫reserve(&mut ⟪def:self⟫self, ⟪def:sku⟫sku: String, mut ⟪def:amount⟫amount: u32, Range { ⟪def:low⟫low, .. }: ⟪type:Range⟫Range) -> RETURNS {
⟪body⟫BODY
⟪end⟫}
}

pub ASYNC fn caller(desk: &mut Desk, range: Range) -> Result<Stock, StockError> {
    desk.⟪use:reserve⟫reserve(String::new(), 1, range)AWAIT
}
"""

RESULT = "⟪type:Result⟫Result<⟪type:Stock⟫Stock, ⟪type:StockError⟫StockError>"
FUTURE = f"impl Future<Output = {RESULT}>"
BOXED = f"std::pin::Pin<Box<dyn Future<Output = {RESULT}> + Send + '_>>"



def resilient(settings):
    return f"#[resilient::⟪macro⟫resilient({settings})]"


RETRIED = resilient("read, timeout_ms = 60, retries = 2")
ONCE = resilient("timeout_ms = 60")
BLOCKING = resilient("timeout_ms = 60, blocking = cooperative")
DEFAULTS = '#[resilient::defaults(dependency = "stock", timeout_ms = 60, retry_budget = 0.1)]'
INSTRUMENT = "#[tracing::instrument(skip_all)]"


# The fault of an attribute that is not closed: the macro does not even run.
PARSER = "parser"


class Shape:
    """One way to write the function."""

    def __init__(self, name, *attributes, template=FREE, group=None, way="async", fault=None, control=None):
        self.name = name
        self.attributes = attributes  # line by line, as they stand above the function
        self.template = template
        self.group = group  # the line above the `mod` or the `impl`
        self.way = way  # async, sync, future or boxed
        self.fault = fault  # what is to be shown: a text, and the word that it stands at
        self.control = control  # the same without our attribute, where that already takes something away


SHAPES = [
    Shape("async, retries", RETRIED),
    Shape("async, once", ONCE),
    Shape("sync, retries", resilient("read, timeout_ms = 60, blocking = cooperative, retries = 2"), way="sync"),
    Shape("sync, once", BLOCKING, way="sync"),
    Shape("`&mut self`, retries", RETRIED, template=METHOD),
    Shape("`&mut self`, once", ONCE, template=METHOD),
    Shape("`&mut self`, sync", BLOCKING, template=METHOD, way="sync"),
    Shape("`impl Future`, retries", RETRIED, way="future"),
    Shape("`Pin<Box<dyn Future>>`", RETRIED, way="boxed"),
    Shape("a constant, a judge", resilient("read, timeout = ⟪attr:BRIEF⟫BRIEF, retry(on = ⟪attr:worth⟫worth)")),
    Shape(
        "`idempotency_key = key`",
        resilient("write, idempotency_key = ⟪attr:key⟫key, timeout_ms = 60, retries = 1"), template=KEYED,
    ),
    Shape(
        "`fallback = path`",
        resilient("read, timeout_ms = 60, retries = 1, fallback = super::⟪attr:plan_b⟫plan_b"),
    ),
    Shape("`fallback = name`", resilient("read, timeout_ms = 60, retries = 1, fallback = ⟪attr:plan_b⟫plan_b")),
    Shape(
        "`fallback = value(…)`",
        resilient("timeout_ms = 60, fallback = value(⟪attr:Stock⟫Stock { left: ⟪attr:amount⟫amount })"),
    ),
    Shape(
        "`fallback(cached, key = …)`",
        resilient("read, timeout_ms = 60, fallback(cached, key = (⟪attr:sku⟫sku, ⟪attr:amount⟫amount))"),
    ),
    Shape("`defaults` on an impl", resilient("read"), template=METHOD, group=DEFAULTS),
    Shape("`defaults` on a module", resilient("read"), group=DEFAULTS),
    Shape("`defaults`, not annotated", group=DEFAULTS),
    Shape("above `#[instrument]`", RETRIED, INSTRUMENT, control=["//", INSTRUMENT]),
    Shape("below `#[instrument]`", INSTRUMENT, RETRIED, control=[INSTRUMENT, "//"]),
    Shape("wrong: `timout_ms = 60`", resilient("read, timout_ms = 60, retries = 2"), fault=("[R01]", "timout_ms")),
    Shape(
        "wrong, sync",
        resilient("timout_ms = 60, blocking = cooperative"), way="sync", fault=("[R01]", "timout_ms"),
    ),
    Shape("wrong, `&mut self`", resilient("read, timout_ms = 60"), template=METHOD, fault=("[R01]", "timout_ms")),
    Shape(
        "wrong, in `defaults`",
        resilient("read"), template=METHOD, group="#[resilient::defaults(timout_ms = 60)]", fault=("[R01]", "timout_ms"),
    ),
    Shape("half: `(tim)`", resilient("tim"), fault=("[R01]", "tim")),
    Shape("half: `(read, timeout)`", resilient("read, timeout"), fault=("[R", "timeout")),
    Shape("half: `(timeout =)`", resilient("timeout ="), fault=("[R", "timeout")),
    Shape("half: `(timeout = , read)`", resilient("timeout = , read"), fault=("[R", "timeout")),
    Shape(
        "half: `(timeout_ms = 60, retry(ba))`",
        resilient("read, timeout_ms = 60, retry(ba)"), fault=("[R01]", "ba"),
    ),
    Shape(
        "half: `(…, retry(base_ms =))`",
        resilient("read, timeout_ms = 60, retry(base_ms =)"), fault=("[R", "base_ms"),
    ),
    Shape(
        "open: `(…, retry()]`",
        "#[resilient::⟪macro⟫resilient(timeout_ms = 60, retry()]", fault=PARSER, control=["#[allow(unused, clippy()]"],
    ),
    Shape(
        "open: `(…, retry(]`",
        "#[resilient::⟪macro⟫resilient(timeout_ms = 60, retry(]", fault=PARSER, control=["#[allow(unused, clippy(]"],
    ),
    Shape("open: `(timeout =`", "#[resilient::⟪macro⟫resilient(timeout =", fault=PARSER, control=["#[allow(unused"]),
]


class Text:
    """A shape as the editor has it, and where its marks are."""

    def __init__(self, shape, attributes, group, unfinished):
        waits = shape.way != "sync"
        shop = "⟪use:self⟫self.shop" if shape.template is METHOD else "⟪use:shop⟫shop"
        body = BODY.replace("⟪use:shop⟫shop", shop).replace("FIND", "fetch" if waits else "find")
        body = body.replace("UNFINISHED", unfinished)
        blocks = {"future": f"async move {{\n{body}\n}}", "boxed": f"Box::pin(async move {{\n{body}\n}})"}
        body = blocks.get(shape.way, body)
        returns = {"future": FUTURE, "boxed": BOXED}.get(shape.way, RESULT)
        written = shape.template.replace("BODY", body).replace("ATTRIBUTES", "\n".join(attributes))
        written = written.replace("GROUP", group).replace("RETURNS", returns)
        if shape.way in ("future", "boxed"):
            written = written.replace("ASYNC fn ⟪def:reserve⟫", "fn ⟪def:reserve⟫")
        written = written.replace("ASYNC ", "async " if waits else "")
        written = written.replace("AWAIT", ".await" if waits else "")
        self.marks = {}
        lines = []
        for number, line in enumerate(written.split("\n")):
            while found := MARK.search(line):
                self.marks[found[1]] = {"line": number, "character": found.start()}
                line = line[: found.start()] + line[found.end() :]
            lines.append(line)
        self.lines = lines
        self.text = "\n".join(lines)

    @classmethod
    def annotated(cls, shape, unfinished=""):
        return cls(shape, shape.attributes, shape.group or "//", unfinished)

    @classmethod
    def baseline(cls, shape, unfinished=""):
        """Empty comments for attributes: every other line keeps its number."""
        return cls(shape, ["//" for _ in shape.attributes], "//", unfinished)

    @classmethod
    def controlled(cls, shape, unfinished=""):
        return cls(shape, shape.control, "//", unfinished)

    def kind(self, kind):
        return {mark: at for mark, at in self.marks.items() if mark.startswith(kind + ":")}


# --- The server -------------------------------------------------------------------------------------------------------


class Missing(Exception):
    """There is no rust-analyzer to ask."""


class Stuck(Exception):
    """It did not answer."""


def server_path():
    """The server, or `Missing`."""
    written = os.environ.get("RUST_ANALYZER")
    if written:
        if not shutil.which(written):
            raise Missing(f"RUST_ANALYZER is `{written}`, which is no program")
        return written
    if shutil.which("rustup"):
        asked = subprocess.run(["rustup", "which", "rust-analyzer"], cwd=FIXTURE, capture_output=True, text=True)
        path = asked.stdout.strip()
        if asked.returncode == 0 and os.access(path, os.X_OK):
            return path
    path = shutil.which("rust-analyzer")
    # The proxy of rustup is there without the component, and only says so when it runs.
    if path and subprocess.run([path, "--version"], cwd=FIXTURE, capture_output=True).returncode == 0:
        return path
    raise Missing("no rust-analyzer; `rustup component add rust-analyzer rust-src` brings it")


def check_sources():
    """Without the sources of std, hints about std's types are missing with and without us."""
    if not shutil.which("rustc"):
        raise Missing("no rustc, which rust-analyzer needs to load the fixture")
    asked = subprocess.run(["rustc", "--print", "sysroot"], cwd=FIXTURE, capture_output=True, text=True)
    if not (Path(asked.stdout.strip()) / "lib/rustlib/src/rust/library/std").is_dir():
        raise Missing("no sources of std; `rustup component add rust-src` brings them")


class Server:
    """rust-analyzer on the fixture."""

    def __init__(self, path, target):
        self.environment = dict(os.environ, CARGO_TARGET_DIR=str(target))
        self.config = {
            "cachePriming": {"enable": False},
            "cargo": {"targetDir": str(target), "buildScripts": {"enable": True}},
            "checkOnSave": False,
            "procMacro": {"enable": True},
            "inlayHints": {"typeHints": {"enable": True}, "parameterHints": {"enable": True}},
        }
        self.log = (target / "rust-analyzer.log").open("wb")
        self.process = subprocess.Popen(
            [path], cwd=FIXTURE, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log
        )
        self.inbox = queue.Queue()
        self.last = 0
        self.version = 0
        self.status = None
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        stream = self.process.stdout
        while True:
            length = None
            while line := stream.readline().strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if length is None:
                self.inbox.put(None)
                return
            self.inbox.put(json.loads(stream.read(length)))

    def _send(self, message):
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        self.process.stdin.flush()

    def _next(self, until, waiting_for):
        """The next message that is for us; what the server asks is answered on the way."""
        try:
            message = self.inbox.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise Stuck(f"rust-analyzer took too long: {waiting_for}; its log is {self.log.name}") from None
        if message is None:
            raise Stuck(f"rust-analyzer ended: {waiting_for}; its log is {self.log.name}")
        if "method" in message and "id" in message:
            result = None
            if message["method"] == "workspace/configuration":
                result = [self.config for _ in message["params"]["items"]]
            self._send({"id": message["id"], "result": result})
        elif message.get("method") == "experimental/serverStatus":
            self.status = message["params"]
        return message

    def notify(self, method, params):
        self._send({"method": method, "params": params})

    def ask(self, method, params, within=ANSWERED_WITHIN):
        until = time.monotonic() + within
        while True:
            self.last += 1
            self._send({"id": self.last, "method": method, "params": params})
            while True:
                message = self._next(until, method)
                if message.get("id") == self.last and "method" not in message:
                    break
            error = message.get("error")
            if error is None:
                return message["result"]
            # The text changed, or the server gave up because of it: ask again.
            if error["code"] not in (-32801, -32802, -32800):
                raise Stuck(f"{method}: {error['message']}")

    def start(self):
        """Until everything is loaded, the macro crate built and its server running."""
        self.ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": FIXTURE.as_uri(),
                "workspaceFolders": [{"uri": FIXTURE.as_uri(), "name": "fixture"}],
                "initializationOptions": self.config,
                "capabilities": {
                    "experimental": {"serverStatusNotification": True},
                    "general": {"positionEncodings": ["utf-16"]},
                    "workspace": {"configuration": True},
                    "window": {"workDoneProgress": True},
                    "textDocument": {
                        "definition": {"linkSupport": True},
                        "hover": {"contentFormat": ["markdown"]},
                        "diagnostic": {"relatedDocumentSupport": True},
                        "completion": {"completionItem": {"labelDetailsSupport": True}},
                    },
                },
            },
        )
        self.notify("initialized", {})
        document = {"uri": SHAPE.as_uri(), "languageId": "rust", "version": 0, "text": SHAPE.read_text()}
        self.notify("textDocument/didOpen", {"textDocument": document})
        self.settle(LOADED_WITHIN)
        if self.status["health"] == "error":
            raise Stuck(f"rust-analyzer cannot load the fixture: {self.status.get('message')}")
        if self.status["health"] != "ok":
            print(f"rust-analyzer says: {self.status.get('message')}", file=sys.stderr)

    def settle(self, within):
        until = time.monotonic() + within
        while not (self.status and self.status["quiescent"]):
            self._next(until, "loading the fixture")

    def type(self, text):
        self.version += 1
        document = {"uri": SHAPE.as_uri(), "version": self.version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def stop(self):
        try:
            self.ask("shutdown", None, within=20)
            self.notify("exit", None)
            self.process.wait(20)
        except (Stuck, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


# --- The questions ----------------------------------------------------------------------------------------------------

DOCUMENT = {"uri": SHAPE.as_uri()}


def span(range_):
    start, end = range_["start"], range_["end"]
    return (start["line"], start["character"], end["line"], end["character"])


def place(uri, range_):
    line, character, *_ = span(range_)
    name = uri.rsplit("/src/", 1)[-1]
    return f"{name}:{line + 1}:{character + 1}"


def hover(server, at):
    answer = server.ask("textDocument/hover", {"textDocument": DOCUMENT, "position": at})
    return answer and answer["contents"]["value"]


def targets(server, at):
    """Where go-to-definition leads: the places that an editor puts the cursor at."""
    found = server.ask("textDocument/definition", {"textDocument": DOCUMENT, "position": at}) or []
    return [place(link["targetUri"], link["targetSelectionRange"]) for link in found]


def hints(server, text):
    """Type and parameter hints between the braces, as (line, column, label)."""
    within = {"start": text.marks["body"], "end": text.marks["end"]}
    found = server.ask("textDocument/inlayHint", {"textDocument": DOCUMENT, "range": within}) or []
    kept = []
    for hint in found:
        if hint.get("kind") not in (1, 2):
            continue
        label = hint["label"]
        label = label if isinstance(label, str) else "".join(part["value"] for part in label)
        at = hint["position"]
        if text.marks["body"]["line"] <= at["line"] < text.marks["end"]["line"]:
            kept.append((at["line"] + 1, at["character"] + 1, label))
    return kept


def items(server, at):
    answer = server.ask(
        "textDocument/completion", {"textDocument": DOCUMENT, "position": at, "context": {"triggerKind": 1}}
    )
    found = answer["items"] if isinstance(answer, dict) else answer or []
    return [item["label"] for item in found]


def diagnostics(server):
    answer = server.ask("textDocument/diagnostic", {"textDocument": DOCUMENT}) or {}
    return [(span(found["range"]), found["message"]) for found in answer.get("items", [])]


def expansion(server, at):
    answer = server.ask("rust-analyzer/expandMacro", {"textDocument": DOCUMENT, "position": at})
    return answer["expansion"] if answer else ""


def own_places(text):
    """What is defined where: the function and its arguments here, its types in the shop."""
    def here(at):
        return f"{SHAPE.name}:{at['line'] + 1}:{at['character'] + 1}"

    places = {mark.split(":")[1]: here(at) for mark, at in text.kind("def").items()}
    for number, line in enumerate(SHOP.read_text().split("\n")):
        if found := re.match(r"pub (?:struct|enum) (\w+)", line):
            places[found[1]] = f"{SHOP.name}:{number + 1}:{found.start(1) + 1}"
    for number, line in enumerate(text.lines):
        if found := re.search(r"(?:fn|const) (plan_b|worth|BRIEF)\b", line):
            places[found[1]] = f"{SHAPE.name}:{number + 1}:{found.start(1) + 1}"
    return places


MEMBERS, NAMES = "RECEIVER.⟪complete⟫", "⟪complete⟫"


def look(server, shape, make):
    """Everything that is asked about one text."""
    seen = {}
    text = make(shape)
    server.type(text.text)
    seen["text"] = text
    seen["diagnostics"] = diagnostics(server)
    seen["hover"] = {mark: hover(server, at) for mark, at in text.kind("hover").items()}
    points = {mark: at for kind in GO for mark, at in text.kind(kind).items()}
    seen["definition"] = {mark: targets(server, at) for mark, at in points.items()}
    seen["hints"] = hints(server, text)
    if "macro" in text.marks:
        seen["expansion"] = expansion(server, text.marks["macro"])
    for name, line in (("`value.`", MEMBERS), ("names", NAMES)):
        unfinished = make(shape, line.replace("RECEIVER", "self.shop" if shape.template is METHOD else "shop"))
        server.type(unfinished.text)
        seen[name] = items(server, unfinished.marks["complete"])
    return seen


# --- The table --------------------------------------------------------------------------------------------------------

# From where go-to-definition is asked: the name itself, a use of it, a type in the signature, a word in the attribute.
GO = {"def": "argument", "use": "argument", "type": "type", "attr": "setting"}
COLUMNS = ["hover", "function", "argument", "type", "setting", "hints", "`value.`", "names", "shown"]


class Cell:
    """How many of the answers are as without us, and what is not."""

    def __init__(self, right, of, wrong=()):
        self.text = f"{right}/{of}" if of else "–"
        self.wrong = list(wrong)


def several(places):
    return ", ".join(places) or "nowhere"


def same(got, wanted):
    """Counts what both have; says what is missing and what is too much."""
    rest, missing = list(got), []
    for one in wanted:
        if one in rest:
            rest.remove(one)
        else:
            missing.append(one)
    cell = Cell(len(wanted) - len(missing), len(wanted))
    cell.text += f" +{len(rest)}" if rest else ""
    cell.wrong = [f"without {one}" for one in missing] + [f"more: {one}" for one in rest]
    return cell


def compare(plain, seen):
    """The cells of one text beside the bare function."""
    cells = {}
    texts = plain["hover"].items()
    wrong = [mark.split(":")[1] for mark, text in texts if not text or seen["hover"].get(mark) != text]
    cells["hover"] = Cell(len(plain["hover"]) - len(wrong), len(plain["hover"]), wrong)

    own = own_places(seen["text"])
    groups = {"function": [], "argument": [], "type": [], "setting": []}
    for mark in seen["definition"]:
        kind, word = mark.split(":")
        groups["function" if word == "reserve" else GO[kind]].append((mark, word))
    for column, marks in groups.items():
        wrong = []
        for mark, word in marks:
            led = seen["definition"][mark]
            # The name in `Range { low, .. }` is a field, too; `Result` is std's: wherever they lead without us.
            wanted = [own[word]] if word in own and not mark.startswith("def:") else plain["definition"][mark]
            if mark.startswith("def:"):
                # At the parameter itself, the same place twice is no other place.
                led = list(dict.fromkeys(led))
            before = plain["definition"].get(mark, wanted)
            if led != wanted or before != wanted or not wanted:
                wrong.append(f"`{word}` leads to {several(led)} instead of {several(wanted)}")
        cells[column] = Cell(len(marks) - len(wrong), len(marks), wrong)

    for column in ("hints", "`value.`", "names"):
        cells[column] = same(seen[column], plain[column])
        if not plain[column]:
            cells[column].wrong.append("nothing in the baseline")
    # Locals of the expansion: rust-analyzer offers them whatever their hygiene. They are told, and no fault.
    # Locals of the expansion, and the words that rust-analyzer offers in any block that stands in a loop.
    extra = ("more: __", "more: break", "more: continue")
    cells["names"].wrong = [one for one in cells["names"].wrong if not one.startswith(extra)]
    return cells


def shown(shape, plain, seen):
    """Our text at the setting, and nothing but texts of ours; or nothing, where nothing is wrong."""
    more = [found for found in seen["diagnostics"] if found not in plain["diagnostics"]]
    cell = Cell(0, 0)
    cell.text = f"{len(more)} more" if more else "nothing"
    cell.wrong = [f"{at[0] + 1}:{at[1] + 1} {message}" for at, message in more]
    if shape.fault is PARSER:
        cell.text, cell.wrong = ("by the parser", []) if more else ("nothing", ["the fault is not shown"])
    elif shape.fault:
        said, word = shape.fault
        lines = seen["text"].lines
        here = [message for at, message in more if said in message and lines[at[0]][at[1] : at[3]] == word]
        if here and all(message.startswith("[R") for _, message in more):
            cell.text, cell.wrong = "at the setting", []
        elif not more:
            cell.wrong = ["the fault is not shown"]
    return cell


class Row:
    def __init__(self, shape, plain, seen, controlled):
        self.shape = shape
        cells = compare(plain, seen)
        cells["shown"] = shown(shape, plain, seen)
        control = compare(plain, controlled) if controlled else {}
        self.texts, self.remarks, self.kept = [shape.name], [], True
        for column in COLUMNS:
            cell, excused = cells[column], control[column].wrong if column in control else []
            ours = [one for one in cell.wrong if one not in excused]
            mark = " ✗" if ours else " °" if cell.wrong else ""
            self.texts.append(cell.text + mark)
            self.kept &= not ours
            if ours:
                self.remarks.append(f"{column}: " + "; ".join(ours[:10]))
        self.said = [found[1] for found in seen["diagnostics"] if shape.fault and found not in plain["diagnostics"]]
        # Without an expansion everything would look as without us.
        wanted = "compile_error" if shape.fault and not shape.group else "__RESILIENT_SITE"
        if "expansion" in seen and shape.fault is not PARSER and wanted not in seen["expansion"]:
            self.kept = False
            self.remarks.append(f"the attribute did not run: there is no `{wanted}` in {seen['expansion'][:200]!r}")


def table(rows):
    lines = [["shape", *COLUMNS]] + [row.texts for row in rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    padded = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines]
    padded.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(padded)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", help="shapes with this in their name")
    parser.add_argument("--verbose", action="store_true", help="every answer")
    arguments = parser.parse_args()
    shapes = [shape for shape in SHAPES if not arguments.only or arguments.only in shape.name]

    try:
        path = server_path()
        check_sources()
    except Missing as missing:
        print(f"skipped: {missing}", file=sys.stderr)
        return 77
    target = Path(os.environ.get("CARGO_TARGET_DIR") or HERE.parent.parent / "target" / "editors").resolve()
    target.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([path, "--version"], cwd=FIXTURE, capture_output=True, text=True).stdout.strip()
    print(f"{version}: loading {FIXTURE} …", file=sys.stderr)

    server = Server(path, target)
    rows = []
    try:
        begun = time.monotonic()
        server.start()
        print(f"loaded in {time.monotonic() - begun:.0f} s", file=sys.stderr)
        for shape in shapes:
            plain, seen = look(server, shape, Text.baseline), look(server, shape, Text.annotated)
            controlled = look(server, shape, Text.controlled) if shape.control else None
            if arguments.verbose:
                for name, one in (("baseline", plain), ("annotated", seen), ("control", controlled or {})):
                    answers = {key: value for key, value in one.items() if key != "text"}
                    text = one["text"].text if one else ""
                    print(f"--- {shape.name}, {name}\n{text}\n{json.dumps(answers, indent=1)}", file=sys.stderr)
            rows.append(Row(shape, plain, seen, controlled))
    except Stuck as stuck:
        print(f"failed: {stuck}", file=sys.stderr)
        return 1
    finally:
        server.stop()

    print(table(rows))
    print("\n✗ not as without the attribute")
    print("° the same difference without ours: with `#[instrument]` alone, or with a built-in attribute left open\n")
    for row in rows:
        for remark in row.remarks:
            print(f"✗ {row.shape.name}: {remark}")
    for row in rows:
        for said in row.said:
            print(f"  {row.shape.name} says: {said}")
    broken = [row.shape.name for row in rows if not row.kept]
    print(f"\n{len(rows)} shapes, {len(broken)} not as promised" + (": " + "; ".join(broken) if broken else ""))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
