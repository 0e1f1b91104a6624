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
    /// The manager that `packageManager` names, else the one whose lock file is there, else npm.
    pub fn of(survey: &mut Survey<'_>, package: &Package) -> Self {
        let stated = package.content.get("packageManager").and_then(|value| value.as_str());
        let (name, version) = stated.and_then(|text| text.split_once('@')).unwrap_or_default();
        match name {
            "pnpm" => Self::Pnpm,
            "yarn" if version.starts_with("1.") => Self::ClassicYarn,
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

    /// The command that runs a script in all members of the workspace that have it, where there is one.
    pub fn run_in_members(self, script: &str) -> Option<String> {
        match self {
            Self::Npm => Some(format!("npm run {script} --workspaces --if-present --")),
            Self::Pnpm => Some(format!("pnpm --recursive run {script}")),
            // Those of yarn and bun depend on the version, or fail where a member lacks the script.
            Self::Yarn | Self::ClassicYarn | Self::Bun => None,
        }
    }
}
