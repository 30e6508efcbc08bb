//! A set of variables as bits: 64 to a word, up to 128 variables without an allocation.

use std::fmt;

use smallvec::SmallVec;

const BITS: usize = u64::BITS as usize;

/// How many words hold one bit for each of `nodes` variables.
pub(crate) const fn words_for(nodes: usize) -> usize {
    nodes.div_ceil(BITS)
}

/// The indices of the bits that are set, in ascending order.
pub(crate) fn ones(words: &[u64]) -> Ones<'_> {
    let (&current, later) = words.split_first().unwrap_or((&0, &[]));
    Ones { current, later, offset: 0 }
}

/// Walks over the bits of one word after another.
#[derive(Debug, Clone)]
pub(crate) struct Ones<'a> {
    current: u64,
    later: &'a [u64],
    offset: usize,
}

impl Iterator for Ones<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.current == 0 {
            let (&first, later) = self.later.split_first()?;
            (self.current, self.later) = (first, later);
            self.offset += BITS;
        }
        let bit = self.current.trailing_zeros() as usize;
        self.current &= self.current - 1;
        Some(self.offset + bit)
    }
}

/// A set of variables out of a fixed number of them.
///
/// Sets are compared, hashed and combined word by word, so both sides must come from the same number of variables.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeSet {
    words: SmallVec<[u64; 2]>,
}

impl NodeSet {
    /// No variable out of `nodes`.
    #[must_use]
    pub fn empty(nodes: usize) -> Self {
        Self { words: SmallVec::from_elem(0, words_for(nodes)) }
    }

    /// All of `nodes` variables.
    #[must_use]
    pub fn full(nodes: usize) -> Self {
        let mut set = Self { words: SmallVec::from_elem(u64::MAX, words_for(nodes)) };
        if let Some(last) = set.words.last_mut()
            && !nodes.is_multiple_of(BITS)
        {
            *last = (1 << (nodes % BITS)) - 1;
        }
        set
    }

    /// The given `members` out of `nodes` variables.
    ///
    /// # Panics
    /// If a member is not below `nodes`.
    #[must_use]
    pub fn of(nodes: usize, members: impl IntoIterator<Item = usize>) -> Self {
        let mut set = Self::empty(nodes);
        for node in members {
            assert!(node < nodes, "variable {node} of {nodes}");
            set.insert(node);
        }
        set
    }

    pub(crate) fn from_words(words: &[u64]) -> Self {
        Self { words: SmallVec::from_slice(words) }
    }

    /// The bits, 64 variables to a word, variable 0 lowest.
    #[must_use]
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Whether `node` is in the set.
    #[must_use]
    #[inline]
    pub fn contains(&self, node: usize) -> bool {
        self.words[node / BITS] >> (node % BITS) & 1 == 1
    }

    /// Puts `node` in; says whether it was new.
    #[inline]
    pub fn insert(&mut self, node: usize) -> bool {
        let word = &mut self.words[node / BITS];
        let bit = 1 << (node % BITS);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Takes `node` out; says whether it was in.
    #[inline]
    pub fn remove(&mut self, node: usize) -> bool {
        let word = &mut self.words[node / BITS];
        let bit = 1 << (node % BITS);
        let present = *word & bit != 0;
        *word &= !bit;
        present
    }

    /// This set and `node`.
    #[must_use]
    pub fn with(&self, node: usize) -> Self {
        let mut set = self.clone();
        set.insert(node);
        set
    }

    /// This set without `node`.
    #[must_use]
    pub fn without(&self, node: usize) -> Self {
        let mut set = self.clone();
        set.remove(node);
        set
    }

    /// How many variables are in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no variable is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The smallest member.
    #[must_use]
    pub fn first(&self) -> Option<usize> {
        self.iter().next()
    }

    /// The members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        ones(&self.words)
    }

    /// Takes everything out.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Adds all of `other`.
    pub fn union_with(&mut self, other: &Self) {
        self.combine(other, |mine, theirs| mine | theirs);
    }

    /// Keeps only what is in `other` too.
    pub fn intersect_with(&mut self, other: &Self) {
        self.combine(other, |mine, theirs| mine & theirs);
    }

    /// Takes all of `other` out.
    pub fn subtract(&mut self, other: &Self) {
        self.combine(other, |mine, theirs| mine & !theirs);
    }

    /// Whether every member is in `other`.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(mine, theirs)| mine & !theirs == 0)
    }

    /// Whether no member is in `other`.
    #[must_use]
    pub fn is_disjoint(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(mine, theirs)| mine & theirs == 0)
    }

    /// How many members are in `other` too.
    #[must_use]
    pub fn intersection_len(&self, other: &Self) -> usize {
        self.words.iter().zip(&other.words).map(|(mine, theirs)| (mine & theirs).count_ones() as usize).sum()
    }

    fn combine(&mut self, other: &Self, f: impl Fn(u64, u64) -> u64) {
        debug_assert_eq!(self.words.len(), other.words.len(), "sets of different numbers of variables");
        for (mine, &theirs) in self.words.iter_mut().zip(&other.words) {
            *mine = f(*mine, theirs);
        }
    }
}

impl fmt::Debug for NodeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
