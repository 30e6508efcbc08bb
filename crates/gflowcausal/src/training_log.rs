//! The course of training as CSV, with every digit, so that what is read is what was written.

use std::io::{self, Write};

use gflowcausal_flow::Progress;

const HEADER: &str = "iteration,loss,mean_log_reward,best_log_reward,temperature,exploration,log_partition";

/// One line for each iteration.
pub(crate) fn write_log(out: &mut dyn Write, history: &[Progress]) -> io::Result<()> {
    writeln!(out, "{HEADER}")?;
    for p in history {
        let numbers =
            [p.loss, p.mean_log_reward, p.best_log_reward, p.temperature, p.exploration, p.log_partition];
        // Rust prints the shortest digits that read back to the same number.
        let cells = numbers.map(|number| number.to_string()).join(",");
        writeln!(out, "{},{cells}", p.iteration)?;
    }
    Ok(())
}

/// The log of training in the bytes of `training.csv`; none if the text is anything else.
pub(crate) fn read_log(bytes: &[u8]) -> Option<Vec<Progress>> {
    // A number that was cut short is a number too: only a whole line counts.
    let mut lines = std::str::from_utf8(bytes.strip_suffix(b"\n")?).ok()?.lines();
    (lines.next()? == HEADER).then_some(())?;
    lines.map(read_line).collect()
}

fn read_line(line: &str) -> Option<Progress> {
    let (iteration, numbers) = line.split_once(',')?;
    let numbers: Vec<f64> = numbers.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [loss, mean_log_reward, best_log_reward, temperature, exploration, log_partition] = numbers[..]
    else {
        return None;
    };
    let iteration = iteration.parse().ok()?;
    Some(Progress {
        iteration,
        loss,
        mean_log_reward,
        best_log_reward,
        temperature,
        exploration,
        log_partition,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digit_survives() {
        let progress = Progress {
            iteration: 3,
            loss: 0.1 + 0.2,
            mean_log_reward: -1.0 / 3.0,
            best_log_reward: -1e-300,
            temperature: 1e17,
            exploration: 0.0,
            log_partition: f64::MIN_POSITIVE,
        };
        let mut text = Vec::new();
        write_log(&mut text, &[progress]).unwrap();
        assert_eq!(read_log(&text), Some(vec![progress]));
        assert_eq!(read_log(&text[..text.len() - 40]), None, "a line cut short is no line");
        assert_eq!(read_log(b"something else"), None);
    }
}
