//! The link that was meant, where the one in the address cannot be followed.

use leptos::prelude::*;

use crate::app::App;
use crate::dom::{Node, live};

/// "Did you mean", under the message that says what is wrong.
#[component]
pub fn Meant() -> impl IntoView {
    let app = App::get();
    live(move || {
        // It goes with its message.
        let wrong = app.banner.with(Option::is_some);
        let meant = wrong.then(|| app.meant()).flatten();
        let line = meant.map(|link| {
            let address = Node::html("a").with("href", link.clone()).text(link);
            Node::html("p").class("banner note meant").children([Node::html("span").text("Did you mean "), address])
        });
        Node::html("div").children(line)
    })
}
