//! Numbers as text that can be read back, and rows as CSV.

/// A number in the fewest digits that give the same number again.
pub fn exact(value: f64) -> String {
    let size = value.abs();
    if value.is_finite() && size != 0.0 && !(1e-6..1e16).contains(&size) {
        return format!("{value:e}");
    }
    format!("{value}")
}

/// Rows as RFC 4180 has them: CRLF after each, quotes where they are needed.
pub fn csv(rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    for row in rows {
        for (i, field) in row.iter().enumerate() {
            if i > 0 {
                text.push(',');
            }
            // A lone empty field would be an empty line.
            if field.contains([',', '"', '\r', '\n']) || (row.len() == 1 && field.is_empty()) {
                text.push('"');
                text.push_str(&field.replace('"', "\"\""));
                text.push('"');
            } else {
                text.push_str(field);
            }
        }
        text.push_str("\r\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_can_be_read_back() {
        for value in [0.0, 1.0, -2.5, 0.1, 1e300, -4e-320, 123_456_789.0, f64::MAX, f64::INFINITY] {
            assert_eq!(exact(value).parse::<f64>(), Ok(value));
            assert!(exact(value).len() < 25);
        }
        assert_eq!(exact(f64::NAN), "NaN");
    }

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let rows = vec![vec!["a,b".to_string(), "say \"x\"".into(), "plain".into()], vec![String::new()]];
        assert_eq!(csv(&rows), "\"a,b\",\"say \"\"x\"\"\",plain\r\n\"\"\r\n");
    }
}
