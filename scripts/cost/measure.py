#!/usr/bin/env python3
"""What the attribute costs: compile time of 1,000 functions, and the size of one future.

    python3 scripts/cost/measure.py [--functions 1000] [--runs 3] [--keep]

Writes one crate per row below target/cost, builds the dependencies first, and then measures `cargo check` and
`cargo build` (debug) of the crate alone, cold, in processor time: the least of the runs, taken in turns so that a slow
minute of the machine hits every row. Prints a Markdown table; times are of this machine, the ratios are what to look at:
the aim is that the attribute adds at most 0.3 of what `#[tracing::instrument(err)]` adds.
"""

import argparse
import pathlib
import resource
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

ROWS = {
    "plain": "",
    "instrument(err)": "#[tracing::instrument(err)]",
    "timeout": "#[resilient::resilient(timeout_ms = 60)]",
    "timeout, retries": "#[resilient::resilient(read, timeout_ms = 60, deadline_ms = 500, retries = 2)]",
    "every guard": '#[resilient::resilient(read, timeout_ms = 60, deadline_ms = 500, retries = 2, breaker = "stock.f{n}", '
    "bulkhead = 12, fallback = value(0))]",
}

MANIFEST = """[package]
name = "cost"
version = "0.0.0"
edition = "2024"

[dependencies]
resilient = {{ path = "{root}" }}
tokio = {{ version = "1", features = ["rt", "time"] }}
tracing = "0.1"

[workspace]
"""

HEAD = """#![allow(dead_code)]

#[derive(Debug, resilient::Classify)]
pub enum Error {
    #[transient]
    Broken,
    #[rejected]
    Guard(resilient::Rejected),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

async fn step(n: u64) -> Result<u64, Error> {
    tokio::task::yield_now().await;
    if n == 0 { Err(Error::Broken) } else { Ok(n) }
}
"""

# Two awaits, two question marks, three arguments: a small client function.
FUNCTION = """
{attribute}
pub async fn f{n}(id: u64, name: &str, count: usize) -> Result<u64, Error> {{
    let first = step(id).await?;
    let second = step(first + name.len() as u64).await?;
    Ok(second + count as u64)
}}
"""

SIZE = """
#[test]
fn size() {
    println!("size {}", std::mem::size_of_val(&f0(1, "", 1)));
}
"""


def cargo(args, cwd, target):
    command = ["cargo", args[0], "--offline", "--target-dir", str(target), *args[1:]]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


def write(crate, attribute, functions):
    (crate / "src").mkdir(parents=True, exist_ok=True)
    (crate / "Cargo.toml").write_text(MANIFEST.format(root=ROOT))
    shutil.copy(ROOT / "Cargo.lock", crate / "Cargo.lock")
    body = "".join(FUNCTION.format(attribute=attribute.replace("{n}", str(n)), n=n) for n in range(functions))
    (crate / "src" / "lib.rs").write_text(HEAD + body + SIZE)


def cold(crate, target, command):
    """Processor seconds to compile the crate alone: its dependencies are built, its own artefacts are not."""
    cargo(["clean", "--package", "cost"], crate, target)
    before = spent()
    cargo([command], crate, target)
    return spent() - before


def spent():
    """Processor seconds of all commands so far; on a machine that others use, too, the time by the clock says little."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--keep", action="store_true", help="leave the crates in target/cost")
    options = parser.parse_args()

    base = ROOT / "target" / "cost"
    target = base / "target"
    crates = {row: base / str(at) for at, row in enumerate(ROWS)}
    for row, crate in crates.items():
        write(crate, ROWS[row], options.functions)
    some = next(iter(crates.values()))
    subprocess.run(["cargo", "fetch"], cwd=some, check=True, capture_output=True)

    times = {row: {"check": [], "build": []} for row in ROWS}
    for command in ("check", "build"):
        cargo([command], some, target)
        for _ in range(options.runs):
            for row, crate in crates.items():
                times[row][command].append(cold(crate, target, command))

    sizes = {}
    for row, crate in crates.items():
        write(crate, ROWS[row], 1)
        out = cargo(["test", "--lib", "--", "--nocapture"], crate, target)
        sizes[row] = next(line.split()[-1] for line in out.splitlines() if "size " in line)

    def least(row, command):
        return min(times[row][command])

    def added(row, command):
        """What the attribute adds, as a share of what instrument(err) adds."""
        of = least("instrument(err)", command) - least("plain", command)
        return (least(row, command) - least("plain", command)) / of

    print(f"{options.functions} functions, processor time, the least of {options.runs} cold runs of the crate alone.\n")
    print("| functions are | check | added, of instrument | debug build | added, of instrument | one future |")
    print("|---|---|---|---|---|---|")
    for row in ROWS:
        cells = [f"{least(row, 'check'):.1f} s", f"{added(row, 'check'):.2f}"]
        cells += [f"{least(row, 'build'):.1f} s", f"{added(row, 'build'):.2f}", f"{sizes[row]} B"]
        print(f"| {row} | {' | '.join(cells)} |")
    if not options.keep:
        shutil.rmtree(base)


if __name__ == "__main__":
    main()
