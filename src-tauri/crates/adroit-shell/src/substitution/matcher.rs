//! The leftmost of the longest matches, and what its groups hold.

use super::pattern::{Atom, Boundary, Pattern, is_word};

/// A match, as indices of characters.
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) groups: Vec<(usize, usize)>,
}

/// Steps that one edit may take: no expression is slow.
pub(super) struct Budget(u64);

impl Default for Budget {
    fn default() -> Self {
        Self(20_000_000)
    }
}

impl Budget {
    fn spend(&mut self) -> Option<()> {
        self.0 = self.0.checked_sub(1)?;
        Some(())
    }
}

/// The first match at or after `from`. The outer `None`: it takes too long.
pub(super) fn find(
    pattern: &Pattern,
    text: &[char],
    from: usize,
    budget: &mut Budget,
) -> Option<Option<Found>> {
    let starts = if pattern.starts_line {
        if from > 0 {
            return Some(None);
        }
        0..=0
    } else {
        from..=text.len()
    };
    for start in starts {
        let mut search = Search {
            pattern,
            text,
            budget,
            known: Vec::new(),
            start,
        };
        if let Some(end) = search.longest(0, start)? {
            let groups = search.groups(start, end)?;
            return Some(Some(Found { start, end, groups }));
        }
    }
    Some(None)
}

struct Search<'p, 'b> {
    pattern: &'p Pattern,
    text: &'p [char],
    budget: &'b mut Budget,
    /// For an atom and a place the furthest end that can be reached, where it is known.
    known: Vec<Option<Option<usize>>>,
    start: usize,
}

impl Search<'_, '_> {
    fn slot(&mut self, atom: usize, at: usize) -> usize {
        let width = self.text.len() - self.start + 1;
        if self.known.is_empty() && self.pattern.atoms.len() > 1 {
            self.known = vec![None; (self.pattern.atoms.len() + 1) * width];
        }
        atom * width + (at - self.start)
    }

    /// The furthest end of a match of the atoms from `atom` on, begun at `at`.
    fn longest(&mut self, atom: usize, at: usize) -> Option<Option<usize>> {
        self.budget.spend()?;
        let Some(one) = self.pattern.atoms.get(atom) else {
            let fits = !self.pattern.ends_line || at == self.text.len();
            return Some(fits.then_some(at));
        };
        match one {
            Atom::Boundary(boundary) => {
                if self.is_boundary(*boundary, at) {
                    self.longest(atom + 1, at)
                } else {
                    Some(None)
                }
            }
            Atom::Repeat { set, least, most } => {
                // The first character decides most places at once.
                if *least > 0 && !self.text.get(at).is_some_and(|first| set.takes(*first)) {
                    return Some(None);
                }
                let slot = self.slot(atom, at);
                if let Some(Some(known)) = self.known.get(slot) {
                    return Some(*known);
                }
                let run = self.run(atom, at, *most)?;
                let mut best: Option<usize> = None;
                for taken in *least..=run {
                    let end = self.longest(atom + 1, at + taken)?;
                    best = best.max(end);
                }
                if let Some(known) = self.known.get_mut(slot) {
                    *known = Some(best);
                }
                Some(best)
            }
        }
    }

    /// How many characters from `at` on the atom takes at most.
    fn run(&mut self, atom: usize, at: usize, most: usize) -> Option<usize> {
        let Some(Atom::Repeat { set, .. }) = self.pattern.atoms.get(atom) else {
            return Some(0);
        };
        let mut run = 0;
        while run < most && self.text.get(at + run).is_some_and(|next| set.takes(*next)) {
            self.budget.spend()?;
            run += 1;
        }
        Some(run)
    }

    /// From left to right each part takes as much as the whole match leaves it.
    fn groups(&mut self, start: usize, end: usize) -> Option<Vec<(usize, usize)>> {
        let count = self.pattern.atoms.len();
        let mut places = Vec::with_capacity(count + 1);
        let mut at = start;
        for atom in 0..count {
            places.push(at);
            let (least, most) = match self.pattern.atoms.get(atom)? {
                Atom::Boundary(_) => continue,
                Atom::Repeat { least, most, .. } => (*least, *most),
            };
            let run = self.run(atom, at, most)?;
            let mut taken = None;
            for length in (least..=run).rev() {
                if self.longest(atom + 1, at + length)? == Some(end) {
                    taken = Some(length);
                    break;
                }
            }
            at += taken?;
        }
        places.push(at);
        self.pattern
            .groups
            .iter()
            .map(|(from, to)| Some((*places.get(*from)?, *places.get(*to)?)))
            .collect()
    }

    fn is_boundary(&self, boundary: Boundary, at: usize) -> bool {
        let before = at
            .checked_sub(1)
            .and_then(|before| self.text.get(before))
            .is_some_and(|character| is_word(*character));
        let after = self
            .text
            .get(at)
            .is_some_and(|character| is_word(*character));
        match boundary {
            Boundary::Word => before != after,
            Boundary::Start => !before && after,
            Boundary::End => before && !after,
        }
    }
}
