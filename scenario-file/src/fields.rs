//! What may stand in a scenario file: every field with its kind, unit, bounds and default.

use sim_core::scenario::program::{
    MAX_BATCH, MAX_CALLS, MAX_CPUS, MAX_FILES, MAX_HIGH, MAX_PAGES, MAX_PROCESSES, MAX_SLICE, MAX_SLOTS, MAX_START,
    MAX_TICKS, MAX_ZONES,
};

/// What a value is.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A whole number.
    Number {
        /// Least.
        min: u32,
        /// Greatest.
        max: u32,
    },
    /// `true` or `false`.
    Flag,
    /// Text.
    Text {
        /// Most characters.
        max: usize,
    },
    /// A name: letters, digits, `-`, `_` and `.`, up to [`NAME`] of them.
    Name,
    /// One of some words.
    Choice(&'static [&'static str]),
    /// An object.
    Object(&'static Shape),
    /// A list.
    List {
        /// Fewest items.
        min: u32,
        /// Most items.
        max: u32,
        /// What the items are.
        of: &'static Kind,
    },
    /// A call: an object whose field `call` says which fields it has. `cpu`: it says too which CPU makes it.
    Call {
        /// It has a field `cpu`.
        cpu: bool,
    },
}

/// Most characters of a name.
pub const NAME: usize = 40;

/// An object: its name in the documentation, and its fields.
#[derive(Debug)]
pub struct Shape {
    /// Name.
    pub name: &'static str,
    /// Fields.
    pub fields: &'static [Field],
}

/// One field.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What stands for it where it is left out; none where it has to be there.
    pub default: Option<&'static str>,
    /// What it is, with its unit.
    pub doc: &'static str,
}

/// A call with its own fields.
#[derive(Debug)]
pub struct CallShape {
    /// Name.
    pub name: &'static str,
    /// Fields beside `call`.
    pub fields: &'static [Field],
    /// What it does.
    pub doc: &'static str,
}

const fn required(name: &'static str, kind: Kind, doc: &'static str) -> Field {
    Field { name, kind, default: None, doc }
}

const fn optional(name: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> Field {
    Field { name, kind, default: Some(default), doc }
}

const fn number(min: u32, max: u32) -> Kind {
    Kind::Number { min, max }
}

const PROCESS: Field = optional("process", number(0, MAX_PROCESSES - 1), "0", "number of the process, from 0");
const VMA: Field = optional("vma", number(0, MAX_PROCESSES - 1), "0", "number of the VMA in its process, from 0");
const FIRST: Field = optional("first", number(0, MAX_PAGES - 1), "0", "first page, counted from the start of the VMA");
const PAGES: Field = optional("pages", number(1, MAX_PAGES), "to the end of the VMA", "number of pages");
const ZONE: Field = optional("zone", number(0, MAX_ZONES - 1), "0", "number of the zone, from 0");
const BLOCK: Field = optional("block", number(0, 255), "0", "number that `alloc` and `free` know the block by");
const RANGE: &[Field] = &[PROCESS, VMA, FIRST, PAGES];

/// Every call.
pub const CALLS: &[CallShape] = &[
    CallShape {
        name: "mmap",
        fields: &[
            PROCESS,
            VMA,
            optional("locked", Kind::Flag, "false", "MAP_LOCKED: the VMA is locked and its pages are faulted in"),
            optional("populate", Kind::Flag, "false", "MAP_POPULATE: its pages are faulted in"),
        ],
        doc: "Maps a VMA. Its addresses are reserved from the start; without either flag nothing is left to do.",
    },
    CallShape { name: "touch", fields: RANGE, doc: "Stores to each page; faults in what is not there." },
    CallShape { name: "read", fields: RANGE, doc: "Loads from each page; anonymous memory gets the zero page." },
    CallShape { name: "mlock", fields: &[PROCESS, VMA], doc: "mlock(2) of a whole VMA." },
    CallShape { name: "munlock", fields: &[PROCESS, VMA], doc: "munlock(2) of a whole VMA." },
    CallShape { name: "mlockall", fields: &[PROCESS], doc: "mlockall(2) with MCL_CURRENT: every VMA of a process." },
    CallShape {
        name: "munmap",
        fields: &[PROCESS, VMA],
        doc: "munmap(2) of a whole VMA; its addresses stay reserved.",
    },
    CallShape {
        name: "madvise",
        fields: &[
            required("advice", Kind::Choice(&["FREE", "DONTNEED", "PAGEOUT"]), "MADV_FREE and so on"),
            PROCESS,
            VMA,
            FIRST,
            PAGES,
        ],
        doc: "madvise(2).",
    },
    CallShape {
        name: "fork",
        fields: &[
            PROCESS,
            required("child", number(0, MAX_PROCESSES - 1), "number of the child, a process with `child_of`"),
        ],
        doc: "fork(2): the child maps what the process maps; its VMAs are not locked.",
    },
    CallShape {
        name: "drain",
        fields: &[optional("all", Kind::Flag, "false", "lru_add_drain_all: the pagevecs of all CPUs")],
        doc: "lru_add_drain: the pagevecs of this CPU go to their LRU lists.",
    },
    CallShape {
        name: "reclaim",
        fields: &[ZONE, required("pages", number(1, MAX_PAGES), "number of pages to get back")],
        doc: "Reclaim of a zone, as an allocation that finds no memory does it.",
    },
    CallShape {
        name: "alloc",
        fields: &[ZONE, optional("order", number(0, 10), "0", "order of the block: 2^order pages"), BLOCK],
        doc: "Allocates a block from the page allocator.",
    },
    CallShape { name: "free", fields: &[BLOCK], doc: "Frees a block." },
    CallShape {
        name: "isolate",
        fields: RANGE,
        doc: "Isolates the pages from their LRU lists and puts them back, as migration and reclaim do.",
    },
    CallShape {
        name: "unmap",
        fields: &[PROCESS, VMA],
        doc: "Reclaim of the folios of a whole VMA: isolates them, unmaps them from every process, and frees what it can. \
              Patches `WholeFolios` and `UnmapFirst` say how, as in the scenario `rmap-unmap`.",
    },
    CallShape {
        name: "exit",
        fields: &[PROCESS],
        doc: "The process gives all its pages and swap entries back, at once after the call before.",
    },
    CallShape {
        name: "drain-pcp",
        fields: &[ZONE],
        doc: "The pages on this CPU's lists go to the free lists of the zone.",
    },
    CallShape {
        name: "isolate-block",
        fields: &[
            ZONE,
            optional("range", number(0, MAX_PAGES / 1024 - 1), "0", "number of the range of 1024 pages in the zone"),
            optional("undo", Kind::Flag, "false", "gives the pageblocks back"),
        ],
        doc: "Isolates the two pageblocks of a range from the page allocator, as memory hotplug does: nobody gets their pages.",
    },
];

/// The CPU that makes a call of the set-up.
pub const CPU: Field = optional("cpu", number(0, MAX_CPUS - 1), "0", "number of the CPU that makes the call, from 0");

const MACHINE: Shape = Shape {
    name: "machine",
    fields: &[
        optional("cpus", number(1, MAX_CPUS), "1", "number of CPUs"),
        required(
            "zones",
            Kind::List { min: 1, max: MAX_ZONES, of: &number(1, MAX_PAGES) },
            "size of each zone in pages of 4 KiB",
        ),
        optional(
            "stat_threshold",
            number(1, 125),
            "125",
            "how far a counter of a CPU goes, in counts, before it is added to the zone's",
        ),
        optional(
            "kworkers",
            Kind::Flag,
            "false",
            "each CPU has a kworker, and mlock drains the pagevecs of all CPUs as its kernel does",
        ),
        optional("pcp", Kind::Object(&PCP), "none", "page allocator with per-CPU lists; for kernels of pcp-free"),
        optional("swap", Kind::Object(&SWAP), "none", "swap device, and clocks; for kernels of madvise-free"),
    ],
};

const PCP: Shape = Shape {
    name: "pcp",
    fields: &[
        required("batch", number(1, MAX_BATCH), "pages of one refill or drain"),
        required("high", number(1, MAX_HIGH), "pages on a CPU's lists at which a drain starts; `batch` or more"),
        optional("high_max", number(1, MAX_HIGH), "high", "how far high grows by itself, in kernels that tune it"),
    ],
};

const SWAP: Shape = Shape {
    name: "swap",
    fields: &[
        required("slots", number(1, MAX_SLOTS), "slots of the device, a page each"),
        optional("min", number(1, MAX_PAGES), "6", "lowest watermark in pages: below it, who allocates reclaims"),
        optional("low", number(1, MAX_PAGES), "8", "watermark in pages that wakes kswapd"),
        optional("high", number(1, MAX_PAGES), "10", "watermark in pages at which kswapd stops"),
        optional("slice", number(1, MAX_SLICE), "8", "pages that reclaim takes at a time"),
        optional(
            "ratio",
            number(1, 100),
            "1",
            "the active list gives up pages when it is longer than the inactive one times this",
        ),
        optional("write_time", number(1, MAX_TICKS), "40", "ticks that a write to the device takes"),
    ],
};

const PATCHES: Kind = Kind::List { min: 0, max: 32, of: &Kind::Name };

const CONFIG: Shape = Shape {
    name: "config",
    fields: &[
        required("series", Kind::Name, "series of patches, as `mmscope list` names it"),
        required("variant", Kind::Name, "variant of the series, as `mmscope list` names it"),
        optional("compare", Kind::Name, "the series' other side", "variant that stands beside it"),
        optional("on", PATCHES, "[]", "patches that are added to the variants"),
        optional("off", PATCHES, "[]", "patches that are taken away from the variants"),
        optional("pagevec", number(1, 31), "that of the variant", "slots of a pagevec"),
    ],
};

const VMA_SHAPE: Shape = Shape {
    name: "VMA",
    fields: &[
        required("pages", number(1, MAX_PAGES), "size in pages of 4 KiB"),
        optional("start", number(0, MAX_START), "behind the VMA before", "page number of its first address"),
        optional("file", number(0, MAX_FILES - 1), "anonymous memory", "number of the file that it maps"),
        optional("offset", number(0, MAX_PAGES - 1), "0", "offset in the file in pages"),
        optional("huge", Kind::Flag, "false", "transparent huge pages: start and pages are multiples of 512"),
        optional(
            "zones",
            Kind::List { min: 1, max: MAX_ZONES, of: &number(0, MAX_ZONES - 1) },
            "[0]",
            "numbers of the zones that its pages come from, in turn",
        ),
        optional("split", Kind::Flag, "false", "it was split from the VMA before it, and shares its anon_vma"),
        optional(
            "folios",
            Kind::Object(&FOLIOS),
            "none",
            "folios that it and the children of its process map from the start; the only VMA, on a machine with nothing else",
        ),
    ],
};

/// Orders of folios.
pub const ORDERS: &[&str] = &["mix", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
/// What folios are.
pub const KINDS: &[&str] = &["file", "anon", "lazyfree"];

const FOLIOS: Shape = Shape {
    name: "folios",
    fields: &[
        optional("orders", Kind::Choice(ORDERS), "mix", "orders: as readahead makes them (mix), or all of one order"),
        optional("kind", Kind::Choice(KINDS), "file", "page cache, swapped out, or of MADV_FREE"),
    ],
};

const PROCESS_SHAPE: Shape = Shape {
    name: "process",
    fields: &[
        optional(
            "vmas",
            Kind::List { min: 1, max: MAX_PROCESSES, of: &Kind::Object(&VMA_SHAPE) },
            "none",
            "its VMAs, in address order",
        ),
        optional(
            "child_of",
            number(0, MAX_PROCESSES - 1),
            "no child",
            "number of the process that forks it; it has the same VMAs and `vmas` is left out",
        ),
    ],
};

const CPU_SHAPE: Shape = Shape {
    name: "CPU",
    fields: &[
        required(
            "run",
            Kind::List { min: 0, max: MAX_CALLS, of: &Kind::Call { cpu: false } },
            "calls that the CPU makes, one after the other",
        ),
        optional("starts", number(0, MAX_TICKS), "0", "tick at which its clock starts, on a machine with `swap`"),
    ],
};

/// What the ledger can be asked to count.
pub const MEASURES: &[&str] = &["everything", "munlock-range", "try-to-unmap"];

/// The file.
pub const FILE: Shape = Shape {
    name: "file",
    fields: &[
        optional("$schema", Kind::Text { max: 200 }, "none", "address of the JSON Schema, for editors"),
        required("name", Kind::Name, "name of the scenario"),
        optional("title", Kind::Text { max: 100 }, "the name", "title"),
        optional("summary", Kind::Text { max: 400 }, "none", "what happens, in one sentence"),
        optional("watch", Kind::Text { max: 400 }, "none", "what to watch for"),
        required("machine", Kind::Object(&MACHINE), "the machine"),
        required("config", Kind::Object(&CONFIG), "the kernel"),
        required(
            "processes",
            Kind::List { min: 1, max: MAX_PROCESSES, of: &Kind::Object(&PROCESS_SHAPE) },
            "processes; calls name them by their place in this list, from 0",
        ),
        optional(
            "setup",
            Kind::List { min: 0, max: MAX_CALLS, of: &Kind::Call { cpu: true } },
            "[]",
            "calls that are made before the run, one after the other; they are not recorded and not counted",
        ),
        required(
            "cpus",
            Kind::List { min: 1, max: MAX_CPUS, of: &Kind::Object(&CPU_SHAPE) },
            "what each CPU runs, CPU 0 first; CPUs that are not listed have nothing to do",
        ),
        optional("measure", Kind::Choice(MEASURES), "everything", "what the ledger counts"),
        optional(
            "schedule",
            Kind::Text { max: 4000 },
            "round-robin",
            "who goes next: round-robin, turns, timed (by the clocks, with `swap`), seed:N or choices:LIST",
        ),
    ],
};

/// The objects of a file, the outermost first.
pub const SHAPES: &[&Shape] = &[&FILE, &MACHINE, &PCP, &SWAP, &CONFIG, &PROCESS_SHAPE, &VMA_SHAPE, &FOLIOS, &CPU_SHAPE];
