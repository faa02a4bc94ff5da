use crate::tokmark;

#[test]
fn help_is_a_snapshot() {
    for command in [
        "",
        "run",
        "probe",
        "show",
        "compare",
        "verify",
        "import",
        "calc",
        "sim",
        "demo",
        "serve",
        "machine",
        "machine-agent",
    ] {
        let arguments: &[&str] = if command.is_empty() {
            &["--help"]
        } else {
            &[command, "-h"]
        };
        let output = tokmark(arguments);
        assert!(output.status.success(), "{command}");
        let name = match command {
            "" => "tokmark".to_owned(),
            command => command.replace('-', "_"),
        };
        let text = String::from_utf8(output.stdout).unwrap();
        insta::assert_snapshot!(format!("help_{name}"), text);
    }
}

#[test]
fn help_of_seeding_is_a_snapshot() {
    let output = tokmark(&["site", "seed", "-h"]);
    let text = String::from_utf8(output.stdout).unwrap();
    insta::assert_snapshot!("help_site_seed", text);
}

#[test]
fn help_of_a_fit_is_a_snapshot() {
    let output = tokmark(&["calc", "fit", "-h"]);
    let text = String::from_utf8(output.stdout).unwrap();
    insta::assert_snapshot!("help_calc_fit", text);
}

#[test]
fn the_schema_and_the_completions_are_printed() {
    let schema = tokmark(&["schema"]);
    let value: serde_json::Value = serde_json::from_slice(&schema.stdout).unwrap();
    assert!(value["properties"]["decode"].is_object());
    let completions = tokmark(&["completions", "bash"]);
    assert!(String::from_utf8_lossy(&completions.stdout).contains("_tokmark"));
}

#[test]
fn every_fault_is_explained() {
    let output = tokmark(&["sim", "--list-faults"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    insta::assert_snapshot!("list_faults", text);
}

#[test]
fn every_parameter_and_every_preset_is_explained() {
    let set = "cost.prefill_ns_per_token=12500.5";
    let output = tokmark(&["sim", "--list-parameters", "--set", set]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(set), "{text}");
    insta::assert_snapshot!("list_parameters", text);
    let output = tokmark(&["sim", "--list"]);
    insta::assert_snapshot!("list_presets", String::from_utf8(output.stdout).unwrap());
}
