//! A set of small numbers: chunks of a segment, files of a generation.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    pub fn none(length: usize) -> Bits {
        Bits { words: vec![0; length.div_ceil(64)] }
    }

    /// The positions of `column` that `admit` accepts.
    pub fn of_column(column: &[u8], admit: &[bool; 256]) -> Bits {
        let words = column.chunks(64).map(|values| {
            values
                .iter()
                .enumerate()
                .fold(0, |word, (at, value)| word | u64::from(admit[*value as usize]) << at)
        });
        Bits { words: words.collect() }
    }

    #[inline]
    pub fn contains(&self, at: u32) -> bool {
        self.words.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    pub fn insert(&mut self, at: u32) {
        if let Some(word) = self.words.get_mut(at as usize / 64) {
            *word |= 1 << (at % 64);
        }
    }

    pub fn remove(&mut self, at: u32) {
        if let Some(word) = self.words.get_mut(at as usize / 64) {
            *word &= !(1 << (at % 64));
        }
    }

    pub fn add(&mut self, other: &Bits) {
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    pub fn keep_only(&mut self, other: &Bits) {
        for (at, word) in self.words.iter_mut().enumerate() {
            *word &= other.words.get(at).copied().unwrap_or_default();
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let at = index as u32 * 64 + rest.trailing_zeros();
                    rest &= rest - 1;
                    at
                })
            })
        })
    }
}
