//! `mmscope list`

use serde::Serialize;
use sim_core::scenario::{Kind, Param, SCENARIOS, Scenario};

use crate::Report;
use crate::table::wrapped;

#[derive(Serialize)]
struct ScenarioJson {
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    watch: &'static str,
    old: &'static str,
    new: &'static str,
    variants: Vec<VariantJson>,
    params: Vec<ParamJson>,
}

#[derive(Serialize)]
struct VariantJson {
    name: &'static str,
    label: &'static str,
    title: &'static str,
}

/// A parameter; `min` and `max` are those of a number.
#[derive(Serialize)]
struct ParamJson {
    name: &'static str,
    kind: &'static str,
    default: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<u32>,
    doc: &'static str,
}

/// All scenarios.
pub fn list(json: bool) -> Report {
    let text = if json { crate::json::print(&SCENARIOS.iter().map(scenario).collect::<Vec<_>>()) } else { plain() };
    Report { text, holds: true }
}

fn scenario(scenario: &Scenario) -> ScenarioJson {
    ScenarioJson {
        name: scenario.name,
        title: scenario.title,
        summary: scenario.summary,
        watch: scenario.watch,
        old: scenario.sides.0,
        new: scenario.sides.1,
        variants: scenario
            .variants
            .iter()
            .map(|variant| VariantJson { name: variant.name, label: variant.label, title: variant.title })
            .collect(),
        params: scenario.params.iter().map(param).collect(),
    }
}

fn param(param: &Param) -> ParamJson {
    let (kind, min, max) = match param.kind {
        Kind::Number { min, max } => ("number", Some(min), Some(max)),
        Kind::Flag => ("flag", None, None),
        Kind::Choice(_) => ("choice", None, None),
        Kind::Maybe { max } => ("number or none", Some(0), Some(max)),
        Kind::List { max } => ("list", Some(0), Some(max)),
    };
    ParamJson { name: param.name, kind, default: param.print(&param.initial()), min, max, doc: param.doc }
}

fn plain() -> String {
    let mut text = String::new();
    for scenario in SCENARIOS {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&wrapped(&format!("{}: {}", scenario.name, scenario.title), ""));
        text.push_str(&wrapped(scenario.summary, "  "));
        text.push_str(&wrapped(&format!("Watch: {}", scenario.watch), "  "));
        text.push_str("  Variants (--variant, --old, --new):\n");
        for variant in scenario.variants {
            text.push_str(&wrapped(&format!("{:8} {}", variant.name, variant.title), "    "));
        }
        text.push_str("  Parameters (--set):\n");
        for param in scenario.params {
            let default = param.print(&param.initial());
            text.push_str(&wrapped(&format!("{:18} {default:>6}  {}", param.name, param.doc), "    "));
        }
    }
    text
}
