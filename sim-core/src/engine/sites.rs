//! Lines of Rust by number: a step says in two bytes which line made it.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::panic::Location;

/// Number of a line of Rust in one run: [`super::Timeline::site`] says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SiteId(u16);

/// Entries of the cache; more than there are lines in a usual run.
const CACHED: usize = 512;

/// The lines of a run, in the order in which they come up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sites {
    all: Vec<&'static Location<'static>>,
    // By address, which decides nothing but how fast a number is found.
    by_address: BTreeMap<usize, SiteId>,
    // The last address that came up for each entry, with its number.
    cache: Vec<(usize, SiteId)>,
}

impl Sites {
    /// The number of a line, a new one where it has none.
    pub fn id(&mut self, site: &'static Location<'static>) -> SiteId {
        let address = core::ptr::from_ref(site) as usize;
        let entry = address / size_of::<Location>() % CACHED;
        if let Some(&(cached, id)) = self.cache.get(entry)
            && cached == address
        {
            return id;
        }
        let id = self.find(address, site);
        // No line has address 0.
        self.cache.resize(CACHED, (0, SiteId(0)));
        self.cache[entry] = (address, id);
        id
    }

    #[inline(never)]
    fn find(&mut self, address: usize, site: &'static Location<'static>) -> SiteId {
        // More lines than numbers would need a kernel hundreds of times as large.
        let next = SiteId(u16::try_from(self.all.len()).unwrap_or(u16::MAX));
        *self.by_address.entry(address).or_insert_with(|| {
            self.all.push(site);
            next
        })
    }

    /// All lines, by number. One line may have several numbers.
    pub fn into_lines(self) -> Vec<&'static Location<'static>> {
        self.all
    }
}

impl SiteId {
    /// Where it stands in the list of lines.
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}
