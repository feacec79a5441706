//! `mmscope list`

use std::fmt::Write;

use serde::Serialize;
use sim_core::scenario::{Kind, Param, SCENARIOS, Scenario};

use crate::Report;

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
    };
    ParamJson { name: param.name, kind, default: param.print(param.default), min, max, doc: param.doc }
}

fn plain() -> String {
    let mut text = String::new();
    for scenario in SCENARIOS {
        let _ = writeln!(text, "{}: {}\n  {}", scenario.name, scenario.title, scenario.summary);
        let _ = writeln!(text, "  Watch: {}", scenario.watch);
        let _ = writeln!(text, "  Variants (--variant, --old, --new):");
        for variant in scenario.variants {
            let _ = writeln!(text, "    {:8} {}", variant.name, variant.title);
        }
        let _ = writeln!(text, "  Parameters (--set):");
        for param in scenario.params {
            let _ = writeln!(text, "    {:18} {:>6}  {}", param.name, param.print(param.default), param.doc);
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}
