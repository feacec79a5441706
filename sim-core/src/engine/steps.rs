//! Lists of step counts, of which a step is in two or three: in each, the first count and then the distances, seven bits
//! a byte, since most steps come soon after the one before in their list.

use alloc::vec;
use alloc::vec::Vec;

/// One in so many entries says where it stands and from which step count it starts.
const BETWEEN: u32 = 64;

/// Step counts by key, from 0; each list ascends.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepLists {
    /// List `key` is `bytes[starts[key].byte..starts[key + 1].byte]`, with its posts likewise.
    starts: Vec<Start>,
    bytes: Vec<u8>,
    posts: Vec<Post>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Start {
    byte: u32,
    post: u32,
}

/// Where the reading of a list may start.
#[derive(Clone, Copy, Debug, Default)]
struct Post {
    /// Step count of the entry before.
    step: u32,
    /// Bytes of the list before the entry.
    byte: u32,
}

/// What is known of a list while it is written.
#[derive(Clone, Copy, Debug, Default)]
struct End {
    byte: u32,
    entries: u32,
    last: u32,
}

impl StepLists {
    /// Lists of places: pairs of a key below `keys` and a step count, in the order of the step counts.
    pub fn new(keys: usize, places: impl Iterator<Item = (usize, u32)> + Clone) -> StepLists {
        let mut ends = vec![End::default(); keys];
        for (key, step) in places.clone() {
            ends[key].add(step);
        }
        let mut starts = vec![Start::default(); keys + 1];
        for (at, end) in ends.iter().enumerate() {
            let Start { byte, post } = starts[at];
            starts[at + 1] = Start { byte: byte + end.byte, post: post + end.entries.saturating_sub(1) / BETWEEN };
        }
        let mut bytes = vec![0; starts[keys].byte as usize];
        let mut posts = vec![Post::default(); starts[keys].post as usize];
        ends.fill(End::default());
        for (key, step) in places {
            let (start, before) = (starts[key], ends[key]);
            if before.entries > 0 && before.entries.is_multiple_of(BETWEEN) {
                let post = start.post + before.entries / BETWEEN - 1;
                posts[post as usize] = Post { step: before.last, byte: before.byte };
            }
            write(&mut bytes[(start.byte + before.byte) as usize..], step - before.last);
            ends[key].add(step);
        }
        StepLists { starts, bytes, posts }
    }

    /// The list of a key; empty where there is no such key.
    pub fn of(&self, key: usize) -> Steps<'_> {
        match self.starts.get(key..).and_then(|rest| rest.first_chunk()) {
            Some(&[start, end]) => Steps {
                bytes: &self.bytes[start.byte as usize..end.byte as usize],
                posts: &self.posts[start.post as usize..end.post as usize],
            },
            None => Steps::default(),
        }
    }

    /// Bytes that they take.
    pub fn weight(&self) -> usize {
        size_of_val(&*self.starts) + size_of_val(&*self.bytes) + size_of_val(&*self.posts)
    }
}

impl End {
    fn add(&mut self, step: u32) {
        self.byte += length(step - self.last);
        self.entries += 1;
        self.last = step;
    }
}

// Bytes that a distance takes.
fn length(distance: u32) -> u32 {
    (38 - (distance | 1).leading_zeros()) / 7
}

fn write(bytes: &mut [u8], mut distance: u32) {
    for byte in bytes {
        *byte = distance as u8 & 0x7f;
        distance >>= 7;
        if distance == 0 {
            return;
        }
        *byte |= 0x80;
    }
}

/// Step counts, in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Steps<'a> {
    bytes: &'a [u8],
    posts: &'a [Post],
}

impl<'a> Steps<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        let from = self.posts.last().map_or(0, |post| post.byte as usize);
        // One byte of each has no bit that says that more follow.
        self.posts.len() * BETWEEN as usize + self.bytes[from..].iter().filter(|&&byte| byte < 0x80).count()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// How many of them are not above a step count.
    pub fn until(&self, step: u32) -> usize {
        // The entry before a post is the last of which the post knows.
        let passed = self.posts.partition_point(|post| post.step <= step);
        let from = passed.checked_sub(1).map_or(Post::default(), |at| self.posts[at]);
        passed * BETWEEN as usize + self.from(from).take_while(|&at| at <= step).count()
    }

    /// All, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + Clone + use<'a> {
        self.from(Post::default())
    }

    fn from(&self, post: Post) -> Iter<'a> {
        Iter { bytes: &self.bytes[post.byte as usize..], last: post.step }
    }
}

#[derive(Clone)]
struct Iter<'a> {
    bytes: &'a [u8],
    last: u32,
}

impl Iterator for Iter<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let mut distance = 0;
        let mut shift = 0;
        while let Some((&byte, rest)) = self.bytes.split_first() {
            self.bytes = rest;
            distance |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                self.last += distance;
                return Some(self.last);
            }
            shift += 7;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_give_back_what_they_were_made_of() {
        // Distances of one to four bytes: each list gets every third step, every 700th, and so on.
        let strides = [3, 700, 70_000, 2_100_000, u32::MAX];
        let mut places = Vec::new();
        for (key, stride) in strides.into_iter().enumerate() {
            places.extend((1..=200).map_while(|n: u32| Some((key, n.checked_mul(stride).filter(|&at| at < 1 << 28)?))));
        }
        places.sort_by_key(|&(_, step)| step);
        let lists = StepLists::new(strides.len(), places.iter().copied());
        for key in 0..=strides.len() {
            let expected: Vec<u32> = places.iter().filter(|place| place.0 == key).map(|place| place.1).collect();
            let list = lists.of(key);
            assert_eq!(list.iter().collect::<Vec<u32>>(), expected, "list {key}");
            assert_eq!((list.len(), list.is_empty()), (expected.len(), expected.is_empty()), "list {key}");
            for step in expected.iter().flat_map(|&at| [at - 1, at, at + 1]) {
                let until = expected.partition_point(|&at| at <= step);
                assert_eq!(list.until(step), until, "list {key} until {step}");
            }
        }
    }

    #[test]
    fn a_step_count_may_come_twice_and_be_0() {
        let lists = StepLists::new(1, [0, 0, 5, 5].into_iter().map(|step| (0, step)));
        let list = lists.of(0);
        assert_eq!(list.iter().collect::<Vec<u32>>(), [0, 0, 5, 5]);
        assert_eq!([0, 4, 5].map(|step| list.until(step)), [2, 2, 4]);
    }
}
