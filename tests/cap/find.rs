//! Which manifest counts, where commands run, and whose files are trusted (contract section 1).

use std::fs;
use std::os::unix::fs::{chown, lchown, symlink};

use serde_json::json;

use crate::builder::sandbox::Sandbox;
use crate::builder::{Test, stranger};

const HERE: &str = "capabilities: {a: {command: pwd -P}}\n";

#[test]
fn the_nearest_dossier_directory_wins_and_the_command_runs_where_cap_was_started() {
    let test = Test::new().manifest(HERE).directory("deep/down").run("a");
    let directory = test.sandbox.project().join("deep/down");
    let directory = directory.to_str().unwrap();
    test.stdout(&format!("{directory}\n")).row(json!({"cwd": directory})).ok();
}

#[test]
fn a_nearer_manifest_hides_the_one_above() {
    let nearer = "capabilities: {a: {command: echo nearer}}\n";
    let test = Test::new().manifest(HERE).file("deep/.dossier/automation/manifest.yaml", nearer);
    test.directory("deep/down").run("a").stdout("nearer\n").ok();
}

#[test]
fn a_nearer_dossier_directory_wins_even_if_it_is_empty() {
    let test = Test::new().manifest(HERE).directory("deep/.dossier").directory("deep");
    let ran = test.run("a").unavailable("'a'");
    ran.again().directory("deep").list().stdout_contains("(none)").stderr_contains("").success();
}

#[test]
fn a_file_named_dossier_does_not_count() {
    let test = Test::new()
        .manifest("capabilities: {a: {command: echo above}}\n")
        .file("deep/.dossier", "");
    test.directory("deep").run("a").stdout("above\n").ok();
}

#[test]
fn a_symlink_to_a_directory_counts() {
    let test = Test::new()
        .manifest(HERE)
        .file("elsewhere/automation/manifest.yaml", "capabilities: {a: {command: echo linked}}\n");
    let test = test.directory("deep").given(|sandbox| {
        symlink("../elsewhere", sandbox.project().join("deep/.dossier")).unwrap();
    });
    test.run("a").stdout("linked\n").ok();
}

#[test]
fn a_dangling_symlink_does_not_count() {
    let test = Test::new().manifest("capabilities: {a: {command: echo above}}\n").directory("deep");
    let test =
        test.given(|sandbox| symlink("nowhere", sandbox.project().join("deep/.dossier")).unwrap());
    test.run("a").stdout("above\n").ok();
}

#[test]
fn a_git_directory_does_not_end_the_search() {
    let test = Test::new()
        .manifest("capabilities: {a: {command: echo above}}\n")
        .file("deep/.git/HEAD", "");
    test.directory("deep").run("a").stdout("above\n").ok();
}

#[test]
fn the_search_ends_before_the_home_directory() {
    let manifest = "capabilities: {a: {command: echo never}}\n";
    let test = Test::new().file("../.dossier/automation/manifest.yaml", manifest);
    let test = test.file("../../.dossier/automation/manifest.yaml", manifest);
    let ran = test.run("a").unavailable("'a'");
    ran.again()
        .cap(["list", "--json"])
        .stdout("{\"manifest\":null,\"capabilities\":[]}\n")
        .success();
}

#[test]
fn a_home_directory_behind_a_symlink_ends_the_search_too() {
    let test = Test::new()
        .file("../.dossier/automation/manifest.yaml", "capabilities: {a: {command: echo never}}\n");
    let link = test.sandbox.root().join("link");
    symlink(test.sandbox.home(), &link).unwrap();
    test.env("HOME", link).run("a").unavailable("'a'");
}

#[test]
fn running_in_the_home_directory_still_works() {
    let test = Test::new()
        .file("../.dossier/automation/manifest.yaml", "capabilities: {a: {command: echo home}}\n");
    test.directory("..").run("a").stdout("home\n").ok();
}

#[test]
fn the_run_directory_is_the_physical_one_whatever_pwd_says() {
    let test = Test::new().manifest("capabilities: {a: {command: echo logical}}\n");
    let test =
        test.file("../other/.dossier/automation/manifest.yaml", HERE).directory("../other/deep");
    let physical = test.sandbox.home().join("other/deep");
    let logical = test.sandbox.project().join("link");
    symlink(&physical, &logical).unwrap();
    let physical = physical.to_str().unwrap();
    let test = test.directory("link").env("PWD", logical).run("a");
    test.stdout(&format!("{physical}\n")).row(json!({"cwd": physical})).ok();
}

#[test]
fn no_manifest_is_a_normal_state() {
    Test::new().list().stdout_contains("(none)").stderr_contains("cap init").success();
    Test::new().run("test.focused").unavailable("'test.focused'");
}

#[test]
fn a_manifest_under_the_other_ending_gets_a_hint() {
    let test = Test::new().file(".dossier/automation/manifest.yml", HERE);
    let ran = test.list().stdout_contains("(none)").stderr_contains("").success();
    assert!(format!("{}{}", ran.stdout, ran.stderr).contains("manifest.yml"), "{}", ran.stdout);
    let ran = ran.again().run("a").stderr_contains("").unavailable("'a'");
    let reason = ran.envelope["reason"].as_str().unwrap();
    assert!(format!("{reason}{}", ran.stderr).contains("manifest.yml"), "{reason}");
}

#[test]
fn a_manifest_beside_one_with_the_other_ending_needs_no_hint() {
    let test = Test::new().manifest("capabilities: {a: {command: echo ran}}\n");
    test.file(".dossier/automation/manifest.yml", "").run("a").stdout("ran\n").ok();
}

/// As root: something at the manifest belongs to somebody else, so nothing of it is believed.
fn refused(plant: impl Fn(&Sandbox, u32)) {
    let Some(uid) = stranger() else { return };
    let test = Test::new()
        .manifest("capabilities: {a: {command: touch ran}}\n")
        .given(|sandbox| plant(sandbox, uid));
    let owner = uid.to_string();
    let ran = test.run("a").stderr_contains(&owner).automation_broken("manifest invalid: ");
    let reason = ran.envelope["reason"].as_str().unwrap();
    assert!(
        reason.contains(&owner) && reason.contains(".dossier"),
        "names the path and its owner: {reason}"
    );
    assert!(!ran.sandbox.project().join("ran").exists());
    ran.again().list().stderr_contains("error: ").stderr_contains(&owner).failure(1);
}

#[test]
fn a_strangers_manifest_is_refused_in_the_run_directory_too() {
    refused(|sandbox, uid| chown(sandbox.manifest(), Some(uid), None).unwrap());
}

#[test]
fn a_strangers_automation_directory_is_refused() {
    refused(|sandbox, uid| chown(sandbox.manifest().parent().unwrap(), Some(uid), None).unwrap());
}

#[test]
fn a_strangers_dossier_directory_is_refused() {
    refused(|sandbox, uid| chown(sandbox.project().join(".dossier"), Some(uid), None).unwrap());
}

#[test]
fn a_strangers_link_to_a_trusted_manifest_is_refused() {
    refused(|sandbox, uid| {
        fs::rename(sandbox.manifest(), sandbox.project().join("real")).unwrap();
        symlink("../../real", sandbox.manifest()).unwrap();
        lchown(sandbox.manifest(), Some(uid), None).unwrap();
    });
}

#[test]
fn a_strangers_link_in_the_middle_of_a_chain_is_refused() {
    refused(|sandbox, uid| {
        let project = sandbox.project();
        fs::rename(sandbox.manifest(), project.join("real")).unwrap();
        symlink("real", project.join("middle")).unwrap();
        lchown(project.join("middle"), Some(uid), None).unwrap();
        symlink("../../middle", sandbox.manifest()).unwrap();
    });
}

#[test]
fn links_in_a_circle_are_no_hang() {
    let test = Test::new().manifest(HERE).given(|sandbox| {
        fs::remove_file(sandbox.manifest()).unwrap();
        symlink("manifest.yaml", sandbox.manifest()).unwrap();
    });
    test.run("a")
        .stderr_contains("too many symbolic links")
        .automation_broken("manifest invalid: ");
}

#[test]
fn a_trusted_link_to_a_strangers_manifest_is_refused() {
    refused(|sandbox, uid| {
        fs::rename(sandbox.project().join(".dossier"), sandbox.project().join("real")).unwrap();
        symlink("real", sandbox.project().join(".dossier")).unwrap();
        chown(sandbox.project().join("real"), Some(uid), None).unwrap();
    });
}

#[test]
fn a_strangers_manifest_above_the_run_directory_is_refused() {
    let Some(uid) = stranger() else { return };
    let test = Test::new().manifest(HERE).directory("deep").given(|sandbox| {
        chown(sandbox.project(), Some(uid), None).unwrap();
        chown(sandbox.manifest(), Some(uid), None).unwrap();
    });
    test.run("a").stderr_contains(&uid.to_string()).automation_broken(&uid.to_string());
}

#[test]
fn whoever_owns_the_run_directory_is_trusted() {
    let Some(uid) = stranger() else { return };
    let test = Test::new().manifest("capabilities: {a: {command: echo ran}}\n");
    let test = test.given(|sandbox| assert!(sandbox.give_to(uid)));
    test.run("a").stdout("ran\n").ok();
}

#[test]
fn root_is_trusted_by_everybody() {
    let Some(uid) = stranger() else { return };
    let test = Test::new().manifest("capabilities: {a: {command: echo ran}}\n").with_user(uid);
    let test = test.given(|sandbox| chown(sandbox.manifest(), Some(0), None).unwrap());
    test.run("a").stdout("ran\n").ok();
}

#[test]
fn a_file_named_dossier_in_the_run_directory_is_no_manifest_at_all() {
    let test = Test::new().file(".dossier", "").list().stderr_contains("");
    let ran = test.stdout_contains("(none)").success();
    ran.again().run("a").unavailable("'a'");
}
