//! Text in a link: deflate, then base64url. Whatever a link holds is answered, and nothing grows beyond a limit.

use std::fmt;

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

use crate::base64;

/// Longest text in bytes, as for a scenario file.
pub const MOST: usize = scenario_file::MAX_TEXT;
/// The best of deflate's levels that is worth its time.
const LEVEL: u8 = 9;

/// Why a text could not be unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackError {
    /// A letter that does not belong, or one too many.
    Letters,
    /// No stream of deflate, or one that is cut off.
    Stream,
    /// More than [`MOST`] bytes.
    TooLong,
    /// Bytes that are no text.
    NoText,
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackError::Letters => f.write_str("it has letters that do not belong, or is cut off; expected base64url"),
            PackError::Stream => f.write_str("it is damaged or cut off; expected text packed with deflate"),
            PackError::TooLong => write!(f, "its text is longer than {MOST} bytes, the most that a file may have"),
            PackError::NoText => f.write_str("what is packed in it is no text in UTF-8"),
        }
    }
}

/// Packs a text.
pub fn pack(text: &str) -> String {
    base64::encode(&compress_to_vec(text.as_bytes(), LEVEL))
}

/// Unpacks a text.
///
/// # Errors
///
/// What is wrong with it.
pub fn unpack(packed: &str) -> Result<String, PackError> {
    let bytes = base64::decode(packed).ok_or(PackError::Letters)?;
    let text = decompress_to_vec_with_limit(&bytes, MOST).map_err(|error| match error.status {
        TINFLStatus::HasMoreOutput => PackError::TooLong,
        _ => PackError::Stream,
    })?;
    String::from_utf8(text).map_err(|_| PackError::NoText)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        for text in ["", "{}", "a scenario, a scenario, a scenario", &"é→".repeat(5000)] {
            assert_eq!(unpack(&pack(text)).as_deref(), Ok(text));
        }
        assert!(pack(&"pages ".repeat(1000)).len() < 200);
    }

    #[test]
    fn what_grows_too_far_is_refused() {
        let most = "x".repeat(MOST);
        assert_eq!(unpack(&pack(&most)), Ok(most.clone()));
        let bomb = base64::encode(&compress_to_vec(&vec![b'x'; 64 * MOST], LEVEL));
        assert!(bomb.len() < 60_000, "{}", bomb.len());
        assert_eq!(unpack(&bomb), Err(PackError::TooLong));
    }

    #[test]
    fn damage_is_named() {
        let bytes = compress_to_vec(b"{\"scenario\": \"mine\"}", LEVEL);
        assert_eq!(unpack(&base64::encode(&bytes[..bytes.len() - 6])), Err(PackError::Stream));
        assert_eq!(unpack("not base64!"), Err(PackError::Letters));
        assert_eq!(unpack(&base64::encode(&compress_to_vec(&[0xff, 0xfe], 6))), Err(PackError::NoText));
    }

    #[test]
    fn any_text_gets_an_answer() {
        let (packed, mut seed) = (pack(&"cpus pages run ".repeat(40)), 1_u64);
        for _ in 0..5_000 {
            let mut text = packed.clone().into_bytes();
            for _ in 0..3 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let at = (seed >> 33) as usize % text.len();
                text[at] = b"AZaz09-_!"[(seed >> 20) as usize % 9];
            }
            let _ = unpack(&String::from_utf8(text).unwrap());
        }
    }
}
