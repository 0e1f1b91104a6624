//! The command itself: what it writes and where, and what it leaves alone.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::builder::sandbox::MANIFEST;
use crate::builder::verdict::text_of;
use crate::builder::{Test, stranger};

const PACKAGE: &str = r#"{"scripts": {"test": "node --test"}}"#;
const COMPLETE: &str = "capabilities: {typecheck.run: {command: a}, test.focused: {command: b}}\n";

#[test]
fn it_says_what_it_wrote_and_what_it_could_not_find() {
    let test = Test::new().file("package.json", PACKAGE).cap(["init"]);
    let expected = format!(
        "{MANIFEST}: written, with dependencies.install, test.focused, test.full\n\
         a stub is left for what nothing here shows: typecheck.run\n\
         help: review it, then run each entry once with 'cap run ID'\n"
    );
    let ran = test.stdout(&expected).success();
    let metadata = fs::metadata(ran.sandbox.manifest()).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o700, 0o600, "an ordinary file of the repo");
    ran.again().list().stdout_contains("npm test").success();
}

#[test]
fn a_project_that_shows_nothing_gets_stubs_and_is_told_so() {
    let test = Test::new().cap(["init"]);
    let ran = test.stdout_contains("written, without entries").success();
    ran.again().list().stdout_contains("no capabilities").success();
}

#[test]
fn the_manifest_goes_where_it_is_looked_for_and_says_where_its_commands_work() {
    let test = Test::new().directory(".dossier").directory("cli");
    let ran = test.file("cli/package.json", PACKAGE).cap(["init"]).stdout_contains("").success();
    let manifest = text_of(ran.sandbox.manifest());
    assert!(manifest.contains("found in cli and work there"), "{manifest}");
    assert!(manifest.contains("npm test"), "{manifest}");
    assert!(!ran.sandbox.project().join("cli/.dossier").exists());
}

#[test]
fn without_a_dossier_directory_it_goes_into_the_run_directory() {
    let test = Test::new().directory("cli").file("cli/package.json", PACKAGE);
    let ran = test.cap(["init"]).stdout_contains(MANIFEST).success();
    assert!(ran.sandbox.project().join("cli").join(MANIFEST).exists());
}

#[test]
fn what_is_printed_is_what_would_be_written_and_nothing_is_written() {
    let test = Test::new().file("package.json", PACKAGE).cap(["init", "--print"]);
    let printed = test.stdout_contains("npm test").success();
    assert!(!printed.sandbox.project().join(".dossier").exists());
    let manifest = printed.stdout.clone();
    let written = printed.again().cap(["init"]).stdout_contains("written").success();
    assert_eq!(text_of(written.sandbox.manifest()), manifest);
    written.again().cap(["init", "--print"]).stdout(&manifest).success();
}

#[test]
fn a_manifest_that_is_there_stays_as_it_is() {
    let test = Test::new().manifest(COMPLETE).file("package.json", PACKAGE).cap(["init"]);
    let ran = test.stdout(&format!("{MANIFEST} is already there, and stays as it is\n")).success();
    assert_eq!(text_of(ran.sandbox.manifest()), COMPLETE);
}

#[test]
fn of_a_manifest_that_is_there_the_missing_gates_are_named() {
    let told =
        |manifest: &str| Test::new().manifest(manifest).cap(["init"]).stdout_contains("").success();
    let one = told("capabilities: {typecheck.run: {command: a}}\n").stdout;
    assert!(one.contains("test.focused") && !one.contains("typecheck.run"), "{one}");
    let both = told("").stdout;
    assert!(both.contains("typecheck.run, test.focused"), "{both}");
    let none = told("gates: none-declared-on-purpose\ncapabilities: {}\n").stdout;
    assert!(!none.contains("typecheck.run"), "{none}");
}

#[test]
fn an_invalid_manifest_is_an_error_and_stays_as_it_is() {
    let invalid = "capabilities: {a: {}}\n";
    let test = Test::new().manifest(invalid).cap(["init"]).stderr_contains("requires a non-empty");
    assert_eq!(text_of(test.failure(1).sandbox.manifest()), invalid);
}

#[test]
fn a_link_that_leads_nowhere_is_not_replaced() {
    let test = Test::new().directory(".dossier/automation").directory("");
    let test = test.given(|sandbox| symlink("nowhere", sandbox.manifest()).unwrap());
    let ran = test.cap(["init"]).stderr_contains(MANIFEST).failure(1);
    assert!(ran.sandbox.manifest().is_symlink());
    assert!(!ran.sandbox.project().join(".dossier/automation/nowhere").exists());
}

#[test]
fn a_link_in_the_place_of_a_directory_that_leads_nowhere_is_an_error() {
    let test = Test::new().given(|sandbox| {
        symlink("nowhere", sandbox.project().join(".dossier")).unwrap();
    });
    test.cap(["init"]).stderr_contains("cannot write").failure(1);
    let test = Test::new().directory(".dossier").directory("").given(|sandbox| {
        symlink("nowhere", sandbox.project().join(".dossier/automation")).unwrap();
    });
    test.cap(["init"]).stderr_contains("cannot write").failure(1);
}

#[test]
fn a_manifest_with_the_other_ending_is_pointed_out() {
    let test = Test::new().file(".dossier/automation/manifest.yml", COMPLETE).cap(["init"]);
    let ran = test.stderr_contains("manifest.yml").stderr_contains("help: rename it").failure(1);
    assert!(!ran.sandbox.manifest().exists());
}

#[test]
fn a_directory_that_cannot_be_written_is_an_error_with_a_way_out() {
    let test = Test::new().file("package.json", PACKAGE).given(|sandbox| {
        let directory = sandbox.project().join(".dossier/automation");
        fs::create_dir_all(&directory).unwrap();
        fs::set_permissions(directory, fs::Permissions::from_mode(0o500)).unwrap();
    });
    let Some(test) = test.powerless() else { return };
    let test = test.cap(["init"]).stderr_contains("Permission denied");
    test.stderr_contains("cap init --print").failure(1);
}

#[test]
fn a_file_in_the_place_of_a_directory_is_an_error() {
    let test = Test::new().file(".dossier/automation", "a file").cap(["init"]);
    let ran = test.stderr_contains(MANIFEST).failure(1);
    assert_eq!(text_of(ran.sandbox.project().join(".dossier/automation")), "a file");
}

#[test]
fn nothing_is_written_below_what_belongs_to_a_stranger() {
    let Some(uid) = stranger() else { return };
    let test = Test::new().directory(".dossier").directory("").given(|sandbox| {
        std::os::unix::fs::chown(sandbox.project().join(".dossier"), Some(uid), None).unwrap();
    });
    let ran = test.cap(["init"]).stderr_contains("belongs to").failure(1);
    assert!(!ran.sandbox.manifest().exists());
}

#[test]
fn of_two_at_once_one_writes_and_the_other_finds_it_there() {
    for _ in 0..20 {
        let first = Test::new().file("package.json", PACKAGE).cap(["init"]).stdout_contains("");
        let project = first.sandbox.project();
        let second = Test::new().cap(["-C", project.to_str().unwrap(), "init"]).stdout_contains("");
        let (first, second) = (first.start(), second.start());
        let (first, second) = (first.success(), second.success());
        let has = |text: &str| {
            [&first.stdout, &second.stdout].iter().filter(|it| it.contains(text)).count()
        };
        assert_eq!(
            (has("written"), has("already there")),
            (1, 1),
            "{}{}",
            first.stdout,
            second.stdout
        );
        let names = fs::read_dir(project.join(".dossier/automation")).unwrap().count();
        assert_eq!(names, 1, "a temporary file is left");
        first.again().list().stdout_contains("npm test").success();
    }
}

#[test]
fn a_full_disk_behind_stdout_does_not_lose_the_manifest() {
    let test = Test::new().file("package.json", PACKAGE).before("exec >/dev/full").cap(["init"]);
    let ran = test.stderr_contains("cannot write to stdout").failure(1);
    assert!(text_of(ran.sandbox.manifest()).contains("npm test"));
}
