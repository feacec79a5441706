//! Bytes in the letters that a link may hold: base64url of RFC 4648 without padding.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Bytes as text.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let three = [chunk[0], chunk.get(1).copied().unwrap_or(0), chunk.get(2).copied().unwrap_or(0)];
        let bits = u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
        for at in 0..=chunk.len() {
            text.push(LETTERS[(bits >> (18 - 6 * at) & 63) as usize] as char);
        }
    }
    text
}

/// Text as bytes; none where a letter does not belong, or where bits are left over.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for chunk in text.as_bytes().chunks(4) {
        let mut bits = 0;
        for (at, letter) in chunk.iter().enumerate() {
            bits |= (value(*letter)?) << (18 - 6 * at);
        }
        let whole = chunk.len() * 6 / 8;
        let rest = bits << (8 * whole) & 0xff_ffff;
        if whole == 0 || rest != 0 {
            return None;
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[1..=whole]);
    }
    Some(bytes)
}

fn value(letter: u8) -> Option<u32> {
    let value = match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    };
    Some(value.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_rfc() {
        for (bytes, text) in [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg")] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(encode(&[0xfb, 0xff]), "-_8");
    }

    #[test]
    fn one_text_for_the_same_bytes() {
        assert_eq!(decode("Zh"), None, "bits are left over");
        assert_eq!(decode("Z"), None);
        assert_eq!(decode("Zg=="), None);
        assert_eq!(decode("Z g"), None);
    }
}
