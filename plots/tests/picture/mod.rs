//! Looks at a picture as a reader of XML does.

use plots::{Frame, Size};
use roxmltree::{Document, Node};

/// Numbers of an attribute.
fn numbers(node: Node, name: &str) -> Vec<f64> {
    let text = node.attribute(name).unwrap_or_default();
    text.split([' ', ',']).filter(|part| !part.is_empty()).map(|part| part.parse().expect("a number")).collect()
}

fn number(node: Node, name: &str) -> f64 {
    numbers(node, name).first().copied().unwrap_or(0.0)
}

/// Everything that must hold of each picture. Gives the texts.
pub fn check(svg: &str, size: Size, frame: Frame) -> Vec<String> {
    let document = Document::parse(svg).expect("well-formed");
    let root = document.root_element();
    assert_eq!(numbers(root, "viewBox"), [0.0, 0.0, size.width.round(), size.height.round()]);
    assert_eq!((root.attribute("width"), root.attribute("role")), (None, Some("img")));
    assert!(root.first_element_child().is_some_and(|child| child.has_tag_name("title")));
    assert!(root.children().any(|child| child.has_tag_name("desc")));
    assert!(!svg.contains("#E000") && !svg.contains("NaN") && !svg.contains("style="));
    let shapes = root
        .descendants()
        .filter(|node| node.is_element() && !node.ancestors().any(|above| above.has_tag_name("pattern")));
    for node in shapes {
        inside(node, size);
    }
    assert!(frame.left < frame.right && frame.top < frame.bottom && frame.x_min < frame.x_max, "{frame:?}");
    assert!(frame.left >= 0.0 && frame.right <= size.width && frame.top >= 0.0 && frame.bottom <= size.height);
    labels_apart(&document, frame);
    texts(&document).map(|node| node.text().expect("a text that is not empty").to_string()).collect()
}

fn texts<'d>(document: &'d Document) -> impl Iterator<Item = Node<'d, 'd>> {
    document.descendants().filter(|node| node.has_tag_name("text"))
}

fn inside(node: Node, size: Size) {
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    for (i, value) in numbers(node, "points").into_iter().enumerate() {
        if i % 2 == 0 { xs.push(value) } else { ys.push(value) }
    }
    let (x, y) = (number(node, "x"), number(node, "y"));
    xs.extend([x, x + number(node, "width") * f64::from(u8::from(node.has_tag_name("rect")))]);
    ys.extend([y, y + number(node, "height") * f64::from(u8::from(node.has_tag_name("rect")))]);
    xs.extend(["cx", "x1", "x2"].map(|name| number(node, name)));
    ys.extend(["cy", "y1", "y2"].map(|name| number(node, name)));
    if node.has_tag_name("text") {
        assert!(number(node, "font-size") >= 14.0);
        assert!(node.text().is_some_and(|text| !text.trim().is_empty()), "{node:?}");
        if node.attribute("transform").is_none() {
            xs.extend(span(node));
        }
    }
    assert!(xs.iter().all(|x| (0.0..=size.width.round()).contains(x)), "{:?} {xs:?}", node.text());
    assert!(ys.iter().all(|y| (0.0..=size.height.round()).contains(y)), "{:?} {ys:?}", node.text());
}

/// From where to where a text goes at least, whatever the font.
fn span(node: Node) -> [f64; 2] {
    let em = number(node, "font-size");
    let ems = |c: char| match c {
        '\u{202f}' => 0.2,
        '.' | ',' | '\'' | 'i' | 'l' | 'j' | ' ' => 0.25,
        't' | 'f' | 'r' | ':' | ';' | '(' | ')' | '/' | '-' => 0.33,
        'a'..='z' => 0.5,
        '⁻' | '\u{2070}'..='\u{2079}' | '¹' | '²' | '³' => 0.4,
        _ => 0.6,
    };
    let wide = node.text().unwrap_or_default().chars().map(ems).sum::<f64>() * em;
    let x = number(node, "x");
    match node.attribute("text-anchor") {
        Some("end") => [x - wide, x],
        Some("middle") => [x - wide / 2.0, x + wide / 2.0],
        _ => [x, x + wide],
    }
}

/// Labels of one line below the frame, and those at its left, do not touch.
fn labels_apart(document: &Document, frame: Frame) {
    let flat = || texts(document).filter(|node| node.attribute("transform").is_none());
    let mut below: Vec<(f64, [f64; 2])> =
        flat().filter(|node| number(*node, "y") > frame.bottom).map(|node| (number(node, "y"), span(node))).collect();
    below.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    for pair in below.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        assert!(pair[0].1[1] < pair[1].1[0], "{pair:?}");
    }
    let beside = flat().filter(|node| node.attribute("text-anchor") == Some("end"));
    let mut ys: Vec<f64> = beside.map(|node| number(node, "y")).collect();
    ys.sort_by(f64::total_cmp);
    assert!(ys.windows(2).all(|pair| pair[1] - pair[0] >= 14.0), "{ys:?}");
}
