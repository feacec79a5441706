//! What the author of the series claimed, and what was found.

use leptos::prelude::*;

use crate::panels::ledger;

/// The tab.
pub fn content() -> AnyView {
    view! { <ledger::Claims /> }.into_any()
}
