//! One process, watched to its end: what it printed, its CPU time and its memory.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::runs::RunFailure;

/// How often a process and its memory are polled: ten times in its running time so far.
const POLL: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(20)];

/// From this share of a run's life on, a measurement of its memory counts.
const LATE_MEASUREMENT: f64 = 0.7;

/// How many times its CPU seconds a run may take by the clock, on a machine that is busy.
const PATIENCE: u32 = 10;

/// The unit of the CPU times in `/proc`, which Linux shows as hundredths of a second on every machine.
const TICKS_A_SECOND: f64 = 100.0;

/// What enforces the limit on CPU time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Watch {
    /// This program, from the start of the process on.
    Ours,
    /// The process itself, which knows when its work begins.
    Its,
}

/// A process that came to its end.
pub(super) struct Ended {
    pub(super) success: bool,
    pub(super) printed: String,
    pub(super) complaint: String,
    pub(super) peak_megabytes: Option<f64>,
}

/// What a process printed, unless it takes more than `limit` of CPU time, or far more by the clock.
pub(super) fn wait(
    mut command: Command,
    limit: Duration,
    watch: Watch,
    stop: &AtomicBool,
) -> Result<Ended, RunFailure> {
    // The input stays open as long as this program lives.
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |error: std::io::Error| RunFailure::of(&error);
    let mut child: Child = command.spawn().map_err(failed)?;
    let [out, err] = [child.stdout.take().map(collect), child.stderr.take().map(collect)];
    let start = Instant::now();
    let mut peak = None;
    let status = loop {
        peak = peak_of(child.id()).map(|megabytes| (megabytes, start.elapsed())).or(peak);
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        let has_used = |seconds: f64| watch == Watch::Ours && seconds > limit.as_secs_f64();
        let is_late = start.elapsed() > limit * PATIENCE || cpu_seconds_of(child.id()).is_some_and(has_used);
        if is_late || stop.load(Ordering::Relaxed) {
            child.kill().and_then(|()| child.wait()).map_err(failed)?;
            let late = RunFailure::TooLong { seconds: limit.as_secs() };
            return Err(if is_late { late } else { RunFailure::of(&"interrupted") });
        }
        thread::sleep((start.elapsed() / 10).clamp(POLL[0], POLL[1]));
    };
    // What was seen long before the end says little of a short run.
    let ended = start.elapsed();
    let peak_megabytes =
        peak.filter(|(_, seen)| *seen > ended.mul_f64(LATE_MEASUREMENT)).map(|(megabytes, _)| megabytes);
    let text = |reader: Option<thread::JoinHandle<String>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    Ok(Ended { success: status.success(), printed: text(out), complaint: text(err), peak_megabytes })
}

/// The most memory that a process held at a time up to now, as Linux reports it.
fn peak_of(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = kilobytes.trim().strip_suffix("kB")?.trim().parse().ok()?;
    // Before a new process becomes the program it has next to nothing.
    Some(kilobytes / 1024.0).filter(|&megabytes| megabytes > 1.0)
}

/// The CPU time of a process up to now, as Linux reports it.
fn cpu_seconds_of(process: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may hold anything; user and system time are the 12th and 13th field after it.
    let fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11).take(2);
    let ticks = fields.map(|field| field.parse::<f64>().ok()).sum::<Option<f64>>()?;
    Some(ticks / TICKS_A_SECOND)
}

/// Reads a pipe to its end while the process writes.
fn collect(mut pipe: impl std::io::Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        // What came before an error is all there is to show.
        drop(pipe.read_to_string(&mut text));
        text
    })
}
