//! The package managers of Node: which one a project uses, and what each is called with.

use super::super::survey::Survey;
use super::Package;

/// A package manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manager {
    /// pnpm.
    Pnpm,
    /// yarn 2 and later.
    Yarn,
    /// yarn 1.
    ClassicYarn,
    /// bun.
    Bun,
    /// npm, which comes with Node.
    Npm,
}

/// How the lock file of yarn 1 begins; later ones have `__metadata:` instead.
const CLASSIC_LOCK: &str = "# yarn lockfile v1";

impl Manager {
    /// The manager that the package states, else the one whose lock file is there, else npm.
    pub fn of(survey: &mut Survey<'_>, package: &Package) -> Self {
        let (name, version) = package.manager().unwrap_or_default();
        match name {
            "pnpm" => Self::Pnpm,
            "yarn" if version.is_empty() => Self::by_lock(survey),
            "yarn" if major(version) == Some(1) => Self::ClassicYarn,
            "yarn" => Self::Yarn,
            "bun" => Self::Bun,
            "npm" => Self::Npm,
            _ => Self::by_lock(survey),
        }
    }

    fn by_lock(survey: &mut Survey<'_>) -> Self {
        for manager in [Self::Pnpm, Self::Yarn, Self::Bun] {
            if manager.lock(survey).is_some() {
                let is_classic = manager == Self::Yarn && !survey.has_file(".yarnrc.yml") && {
                    let lock = survey.head("yarn.lock");
                    lock.contains(CLASSIC_LOCK)
                };
                return if is_classic { Self::ClassicYarn } else { manager };
            }
        }
        Self::Npm
    }

    /// The name of its program.
    pub fn program(self) -> &'static str {
        match self {
            Self::Pnpm => "pnpm",
            Self::Yarn | Self::ClassicYarn => "yarn",
            Self::Bun => "bun",
            Self::Npm => "npm",
        }
    }

    /// Its lock file, if that is there.
    pub fn lock(self, survey: &Survey<'_>) -> Option<&'static str> {
        survey.first_file(match self {
            Self::Pnpm => &["pnpm-lock.yaml"],
            Self::Yarn | Self::ClassicYarn => &["yarn.lock"],
            Self::Bun => &["bun.lock", "bun.lockb"],
            Self::Npm => &["package-lock.json", "npm-shrinkwrap.json"],
        })
    }

    /// The command that installs the dependencies; with a lock file, exactly those in it.
    pub fn install(self, has_lock: bool) -> &'static str {
        match (self, has_lock) {
            (Self::Pnpm, true) => "pnpm install --frozen-lockfile",
            (Self::Pnpm, false) => "pnpm install",
            (Self::Yarn, true) => "yarn install --immutable",
            (Self::ClassicYarn, true) => "yarn install --frozen-lockfile",
            (Self::Yarn | Self::ClassicYarn, false) => "yarn install",
            (Self::Bun, true) => "bun install --frozen-lockfile",
            (Self::Bun, false) => "bun install",
            (Self::Npm, true) => "npm ci",
            (Self::Npm, false) => "npm install",
        }
    }

    /// The command that runs a script, so that args behind it reach the script.
    pub fn run(self, script: &str) -> String {
        match (self, script) {
            // npm keeps what looks like an option to itself, unless it stands behind `--`.
            (Self::Npm, "test") => "npm test --".to_owned(),
            (Self::Npm, _) => format!("npm run {script} --"),
            (Self::Pnpm | Self::Yarn | Self::ClassicYarn | Self::Bun, _) => {
                format!("{} run {script}", self.program())
            }
        }
    }

    /// The command that runs a script in all members of the workspace that have it, where there is one that is
    /// sure to work. With some managers, that takes the top for a member, too.
    pub fn run_in_members(
        self,
        script: &str,
        survey: &Survey<'_>,
        top: &Package,
    ) -> Option<String> {
        let has_top = top.script(script).is_some();
        match self {
            Self::Npm => Some(format!("npm run {script} --workspaces --if-present --")),
            Self::Pnpm => Some(format!("pnpm --recursive run {script}")),
            // Before 4, that is a plugin.
            Self::Yarn if !has_top => {
                let version = top.manager().and_then(|(_, version)| major(version))?;
                (version >= 4).then(|| format!("yarn workspaces foreach --all run {script}"))
            }
            // As old as its lock file in JSON.
            Self::Bun if !has_top && self.lock(survey) == Some("bun.lock") => {
                Some(format!("bun run --filter '*' {script}"))
            }
            // That of yarn 1 fails where a member lacks the script.
            Self::Yarn | Self::ClassicYarn | Self::Bun => None,
        }
    }
}

/// The first number in a version, or a range of versions: `4.5.0`, `^4`, `1.x`.
fn major(version: &str) -> Option<u64> {
    let digits = version.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
