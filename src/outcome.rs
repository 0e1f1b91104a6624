//! What was observed of a run, and which one of four outcomes that makes: pure and total.

/// What happened, as a caller sees it (contract section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The command exited 0: trust it.
    Ok,
    /// The command ran and the task itself failed: trust it.
    TaskFailed,
    /// The machinery failed: reason instead of trusting it.
    AutomationBroken,
    /// No fast path here: work it out.
    CapabilityUnavailable,
}

impl Outcome {
    /// The exit code of `cap run`.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::TaskFailed => 1,
            Self::AutomationBroken => 2,
            Self::CapabilityUnavailable => 3,
        }
    }

    /// The outcome's name in envelope, row and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::TaskFailed => "task-failed",
            Self::AutomationBroken => "automation-broken",
            Self::CapabilityUnavailable => "capability-unavailable",
        }
    }
}

/// What was seen of one run, without the texts and paths that only matter for its reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observed {
    /// `cap` itself failed.
    InternalFault,
    /// The manifest could not be read, trusted or understood.
    ManifestInvalid,
    /// No manifest, or no entry with this id.
    Undeclared,
    /// The entry is listed but not to be run.
    Shadow,
    /// An assumption did not hold; the command did not run.
    AssumptionFailed,
    /// The command is such that args behind it would be lost or misread.
    ArgsNotAppendable,
    /// A signal to `cap` came before the command was started.
    InterruptedBefore,
    /// The shell could not be started.
    NotStarted,
    /// The shell ran.
    Ran(Ending),
}

/// How a shell that ran came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The budget passed first, whatever the shell then returned.
    TimedOut,
    /// A signal to `cap` came first, whatever the shell then returned.
    Interrupted,
    /// A signal ended the shell.
    Signalled,
    /// The shell returned this code.
    Exited(u8, Doubts),
}

/// What makes a non-zero exit code unbelievable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doubts {
    /// Whether the shell can parse the command line.
    pub syntax: Syntax,
    /// Whether the command ran long enough to have done its work.
    pub pace: Pace,
}

/// Whether `/bin/sh -n` accepts the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// It parses, or nobody had to ask.
    Valid,
    /// It is a syntax error.
    Broken,
}

/// How a command's duration compares with the entry's `min_duration_ms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// At least as long as that.
    Plausible,
    /// Sooner.
    TooFast,
}

/// The judgement on a run: its outcome, and for an untrustworthy one what made it so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The command passed.
    Ok,
    /// The command failed.
    TaskFailed,
    /// The machinery failed, in this way.
    Broken(Breakage),
    /// Nothing to run, for this lack.
    Unavailable(Lack),
}

impl Verdict {
    /// The outcome that callers see.
    pub fn outcome(self) -> Outcome {
        match self {
            Self::Ok => Outcome::Ok,
            Self::TaskFailed => Outcome::TaskFailed,
            Self::Broken(_) => Outcome::AutomationBroken,
            Self::Unavailable(_) => Outcome::CapabilityUnavailable,
        }
    }
}

/// Why a run is `automation-broken`, in the order in which the reasons apply (contract section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breakage {
    /// A fault inside `cap`.
    InternalError,
    /// The manifest is invalid.
    ManifestInvalid,
    /// An assumption failed.
    AssumptionFailed,
    /// Args can't be appended to this command.
    ArgsNotAppendable,
    /// The command could not be started.
    NotStarted,
    /// The command timed out.
    TimedOut,
    /// `cap` was interrupted.
    Interrupted,
    /// The shell was killed by a signal.
    KilledBySignal,
    /// Exit 126.
    NotExecutable,
    /// Exit 127.
    NotFound,
    /// An exit code above 128: the shell's way to tell of a signal.
    AbnormalExit,
    /// Exit 2 of a command that does not parse.
    SyntaxError,
    /// A failure sooner than `min_duration_ms`.
    TooFast,
}

/// Why a run is `capability-unavailable`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// No entry with this id.
    Undeclared,
    /// The entry is `lifecycle: shadow`.
    Shadow,
}

/// Judges a run (contract section 6).
pub fn judge(observed: Observed) -> Verdict {
    match observed {
        Observed::InternalFault => Verdict::Broken(Breakage::InternalError),
        Observed::ManifestInvalid => Verdict::Broken(Breakage::ManifestInvalid),
        Observed::Undeclared => Verdict::Unavailable(Lack::Undeclared),
        Observed::Shadow => Verdict::Unavailable(Lack::Shadow),
        Observed::AssumptionFailed => Verdict::Broken(Breakage::AssumptionFailed),
        Observed::ArgsNotAppendable => Verdict::Broken(Breakage::ArgsNotAppendable),
        Observed::InterruptedBefore => Verdict::Broken(Breakage::Interrupted),
        Observed::NotStarted => Verdict::Broken(Breakage::NotStarted),
        Observed::Ran(ending) => judge_ending(ending),
    }
}

fn judge_ending(ending: Ending) -> Verdict {
    match ending {
        Ending::TimedOut => Verdict::Broken(Breakage::TimedOut),
        Ending::Interrupted => Verdict::Broken(Breakage::Interrupted),
        Ending::Signalled => Verdict::Broken(Breakage::KilledBySignal),
        Ending::Exited(code, doubts) => judge_exit(code, doubts),
    }
}

fn judge_exit(code: u8, doubts: Doubts) -> Verdict {
    match (code, doubts.syntax, doubts.pace) {
        (0, _, _) => Verdict::Ok,
        (126, _, _) => Verdict::Broken(Breakage::NotExecutable),
        (127, _, _) => Verdict::Broken(Breakage::NotFound),
        (129..=255, _, _) => Verdict::Broken(Breakage::AbnormalExit),
        (2, Syntax::Broken, _) => Verdict::Broken(Breakage::SyntaxError),
        (1..=125 | 128, _, Pace::TooFast) => Verdict::Broken(Breakage::TooFast),
        (1..=125 | 128, _, Pace::Plausible) => Verdict::TaskFailed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_doubt() -> impl Iterator<Item = Doubts> {
        [Syntax::Valid, Syntax::Broken]
            .into_iter()
            .flat_map(|syntax| [Pace::Plausible, Pace::TooFast].map(|pace| Doubts { syntax, pace }))
    }

    fn every_exit() -> impl Iterator<Item = (u8, Doubts)> {
        (0..=255).flat_map(|code| every_doubt().map(move |doubts| (code, doubts)))
    }

    fn exited(code: u8, doubts: Doubts) -> Verdict {
        judge(Observed::Ran(Ending::Exited(code, doubts)))
    }

    const BEFORE_THE_COMMAND: [Observed; 8] = [
        Observed::InternalFault,
        Observed::ManifestInvalid,
        Observed::Undeclared,
        Observed::Shadow,
        Observed::AssumptionFailed,
        Observed::ArgsNotAppendable,
        Observed::InterruptedBefore,
        Observed::NotStarted,
    ];

    #[test]
    fn only_exit_0_is_ok_and_it_always_is() {
        for (code, doubts) in every_exit() {
            assert_eq!(exited(code, doubts) == Verdict::Ok, code == 0, "exit {code}, {doubts:?}");
        }
        for ending in [Ending::TimedOut, Ending::Interrupted, Ending::Signalled] {
            assert_ne!(judge(Observed::Ran(ending)), Verdict::Ok);
        }
    }

    #[test]
    fn a_task_fails_only_by_a_believable_code_that_no_shell_reserves() {
        for (code, doubts) in every_exit() {
            let reserved = code == 126 || code == 127 || code > 128;
            let believable =
                doubts.pace == Pace::Plausible && !(code == 2 && doubts.syntax == Syntax::Broken);
            assert_eq!(
                exited(code, doubts) == Verdict::TaskFailed,
                code != 0 && !reserved && believable,
                "exit {code}, {doubts:?}"
            );
        }
    }

    #[test]
    fn nothing_that_kept_the_command_from_running_is_a_verdict_on_the_task() {
        for observed in BEFORE_THE_COMMAND {
            let outcome = judge(observed).outcome();
            assert!(
                matches!(outcome, Outcome::AutomationBroken | Outcome::CapabilityUnavailable),
                "{observed:?}"
            );
        }
    }

    #[test]
    fn doubts_never_turn_a_distrusted_exit_into_a_trusted_one() {
        let sure = Doubts { syntax: Syntax::Valid, pace: Pace::Plausible };
        for (code, doubts) in every_exit() {
            if exited(code, sure).outcome() == Outcome::AutomationBroken {
                assert_eq!(exited(code, doubts), exited(code, sure), "exit {code}, {doubts:?}");
            }
        }
    }

    #[test]
    fn each_outcome_has_an_exit_code_and_a_name_of_its_own() {
        let all = [
            Outcome::Ok,
            Outcome::TaskFailed,
            Outcome::AutomationBroken,
            Outcome::CapabilityUnavailable,
        ];
        assert_eq!(all.map(Outcome::exit_code), [0, 1, 2, 3]);
        let names: std::collections::HashSet<_> = all.map(Outcome::name).into_iter().collect();
        assert_eq!(names.len(), all.len());
    }

    /// One line per kind, as in `tests/outcomes.txt`.
    fn table() -> String {
        let sure = Doubts { syntax: Syntax::Valid, pace: Pace::Plausible };
        let unparsable = Doubts { syntax: Syntax::Broken, ..sure };
        let fast = Doubts { pace: Pace::TooFast, ..sure };
        let mut rows: Vec<(String, Observed)> = BEFORE_THE_COMMAND
            .iter()
            .map(|observed| (format!("{observed:?}"), *observed))
            .collect();
        for ending in [Ending::TimedOut, Ending::Interrupted, Ending::Signalled] {
            rows.push((format!("{ending:?}"), Observed::Ran(ending)));
        }
        for code in [0, 1, 2, 3, 125, 126, 127, 128, 129, 130, 137, 143, 255] {
            for (note, doubts) in [("", sure), (" unparsable", unparsable), (" too fast", fast)] {
                let observed = Observed::Ran(Ending::Exited(code, doubts));
                rows.push((format!("Exited {code}{note}"), observed));
            }
        }
        rows.into_iter().fold(String::new(), |table, (name, observed)| {
            let verdict = judge(observed);
            let outcome = verdict.outcome();
            let (word, code) = (outcome.name(), outcome.exit_code());
            table + &format!("{name:<22} {code} {word:<22} {verdict:?}\n")
        })
    }

    #[test]
    fn the_golden_table_changes_only_on_purpose() {
        let golden = include_str!("../tests/outcomes.txt");
        let rows: Vec<_> = golden.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(rows, table().lines().collect::<Vec<_>>());
    }
}
