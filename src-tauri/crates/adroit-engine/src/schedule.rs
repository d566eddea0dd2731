//! Who may start when: the executor's rules without a runtime.
//!
//! A call is queued, executing, completed, yielded, in this order and never back.
//! Calls **start in the order in which they were added**: so a call never overtakes an
//! earlier unsafe one, no later call starts past a waiting unsafe one, and one cursor
//! tells who is next, whatever the number of calls.
//!
//! Everything here is synchronous and pure, so that generated schedules can check it.

/// Where a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallState {
    /// It waits for its turn.
    Queued,
    /// It runs.
    Executing,
    /// Its result is there.
    Completed,
    /// Its result was given out.
    Yielded,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    state: CallState,
    safe: bool,
}

/// The state of all calls of one message.
#[derive(Debug)]
pub struct Schedule {
    entries: Vec<Entry>,
    next_to_start: usize,
    next_to_yield: usize,
    executing: usize,
    unsafe_executing: bool,
    cap: usize,
    closed: bool,
}

impl Schedule {
    /// An empty schedule in which at most `cap` calls run at once (at least one).
    #[must_use]
    pub fn new(cap: usize) -> Self {
        Self {
            entries: Vec::new(),
            next_to_start: 0,
            next_to_yield: 0,
            executing: 0,
            unsafe_executing: false,
            cap: cap.max(1),
            closed: false,
        }
    }

    /// Queues a call. `safe` says that it may run beside others that are safe.
    pub fn add(&mut self, safe: bool) -> usize {
        self.entries.push(Entry {
            state: CallState::Queued,
            safe,
        });
        self.entries.len() - 1
    }

    /// The call that may start now, if it is still to be started.
    pub fn startable(&mut self) -> Option<usize> {
        if self.closed {
            return None;
        }
        while self.entries.get(self.next_to_start)?.state != CallState::Queued {
            self.next_to_start += 1;
        }
        let entry = self.entries.get(self.next_to_start)?;
        let alone = self.executing == 0;
        let beside_safe_ones = entry.safe && !self.unsafe_executing && self.executing < self.cap;
        (alone || beside_safe_ones).then_some(self.next_to_start)
    }

    /// The call that may start now; it is executing from here on. Ask until `None`.
    pub fn start_next(&mut self) -> Option<usize> {
        let index = self.startable()?;
        let entry = self.entries.get_mut(index)?;
        entry.state = CallState::Executing;
        self.executing += 1;
        self.unsafe_executing |= !entry.safe;
        self.next_to_start += 1;
        Some(index)
    }

    /// A call turned out to be `safe` or not: circumstances changed, or it is known only now.
    /// One that runs can only turn safe, and then was alone: others may run beside it now.
    pub fn reclassify(&mut self, index: usize, safe: bool) {
        let Some(entry) = self.entries.get_mut(index) else {
            return;
        };
        match entry.state {
            CallState::Queued => entry.safe = safe,
            CallState::Executing if safe && !entry.safe => {
                entry.safe = true;
                self.unsafe_executing = false;
            }
            CallState::Executing | CallState::Completed | CallState::Yielded => {}
        }
    }

    /// The call's result is there: it ended, or it never began. False where it had one.
    pub fn complete(&mut self, index: usize) -> bool {
        let Some(entry) = self.entries.get_mut(index) else {
            return false;
        };
        match entry.state {
            CallState::Queued => {}
            CallState::Executing => {
                self.executing -= 1;
                self.unsafe_executing &= entry.safe;
            }
            CallState::Completed | CallState::Yielded => return false,
        }
        entry.state = CallState::Completed;
        true
    }

    /// The call whose result may be given out now; it is yielded from here on.
    pub fn yield_next(&mut self) -> Option<usize> {
        let index = self.next_to_yield;
        let entry = self.entries.get_mut(index)?;
        if entry.state != CallState::Completed {
            return None;
        }
        entry.state = CallState::Yielded;
        self.next_to_yield += 1;
        Some(index)
    }

    /// True when all that were added are yielded.
    #[must_use]
    pub fn is_drained(&self) -> bool {
        self.next_to_yield == self.entries.len()
    }

    /// Nothing starts any more.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// True once nothing starts any more.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// How many calls run.
    #[must_use]
    pub fn executing(&self) -> usize {
        self.executing
    }

    /// Where a call is.
    #[must_use]
    pub fn state(&self, index: usize) -> Option<CallState> {
        self.entries.get(index).map(|entry| entry.state)
    }

    /// The calls that wait, in order.
    pub fn queued(&self) -> impl Iterator<Item = usize> + '_ {
        (self.next_to_start..self.entries.len())
            .filter(|index| self.entries[*index].state == CallState::Queued)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_unsafe_call_waits_for_earlier_ones_and_holds_later_ones_back() {
        let mut schedule = Schedule::new(10);
        for safe in [true, true, false, true] {
            schedule.add(safe);
        }
        assert_eq!(schedule.start_next(), Some(0));
        assert_eq!(schedule.start_next(), Some(1));
        assert_eq!(schedule.start_next(), None);
        assert!(schedule.complete(1));
        assert_eq!(schedule.start_next(), None);
        assert!(schedule.complete(0));
        assert_eq!(schedule.start_next(), Some(2));
        assert_eq!(schedule.start_next(), None);
        assert!(schedule.complete(2));
        assert_eq!(schedule.start_next(), Some(3));
    }

    #[test]
    fn a_call_that_turned_unsafe_while_it_waited_runs_alone() {
        let mut schedule = Schedule::new(10);
        for _ in 0..3 {
            schedule.add(true);
        }
        assert_eq!(schedule.start_next(), Some(0));
        assert_eq!(schedule.startable(), Some(1));
        schedule.reclassify(1, false);
        assert_eq!(schedule.start_next(), None);
        schedule.complete(0);
        assert_eq!(schedule.start_next(), Some(1));
        assert_eq!(schedule.start_next(), None);
    }

    #[derive(Clone, Debug)]
    enum Step {
        Add(bool),
        Start,
        Complete(prop::sample::Index),
        Yield,
        Reclassify(prop::sample::Index, bool),
        Close,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => any::<bool>().prop_map(Step::Add),
            4 => Just(Step::Start),
            4 => any::<prop::sample::Index>().prop_map(Step::Complete),
            2 => Just(Step::Yield),
            2 => (any::<prop::sample::Index>(), any::<bool>()).prop_map(|(which, safe)| Step::Reclassify(which, safe)),
            1 => Just(Step::Close),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn the_rules_hold_whatever_comes(cap in 0usize..4, steps in prop::collection::vec(step(), 0..80)) {
            let mut schedule = Schedule::new(cap);
            let mut safe = Vec::new();
            let mut yielded = 0;
            let mut closed = false;
            for step in steps {
                match step {
                    Step::Add(is_safe) => {
                        prop_assert_eq!(schedule.add(is_safe), safe.len());
                        safe.push(is_safe);
                    }
                    Step::Start => {
                        if let Some(index) = schedule.start_next() {
                            prop_assert!(!closed, "nothing starts after it was closed");
                            for earlier in 0..index {
                                let state = schedule.state(earlier).unwrap();
                                prop_assert_ne!(state, CallState::Queued, "calls start in order");
                                if !safe[earlier] || !safe[index] {
                                    prop_assert_ne!(state, CallState::Executing);
                                }
                            }
                        }
                    }
                    Step::Complete(which) if !safe.is_empty() => {
                        let index = which.index(safe.len());
                        let before = schedule.state(index).unwrap();
                        let first = schedule.complete(index);
                        prop_assert_eq!(first, matches!(before, CallState::Queued | CallState::Executing));
                    }
                    Step::Complete(_) => {}
                    Step::Yield => {
                        if let Some(index) = schedule.yield_next() {
                            prop_assert_eq!(index, yielded, "results leave in call order");
                            yielded += 1;
                        }
                    }
                    Step::Reclassify(which, is_safe) if !safe.is_empty() => {
                        let index = which.index(safe.len());
                        schedule.reclassify(index, is_safe);
                        safe[index] = match schedule.state(index).unwrap() {
                            CallState::Queued => is_safe,
                            // What runs beside others must not turn unsafe under their feet.
                            _ => safe[index] || is_safe,
                        };
                    }
                    Step::Reclassify(..) => {}
                    Step::Close => {
                        schedule.close();
                        closed = true;
                    }
                }
                let executing: Vec<usize> = (0..safe.len())
                    .filter(|index| schedule.state(*index) == Some(CallState::Executing))
                    .collect();
                prop_assert_eq!(executing.len(), schedule.executing());
                prop_assert!(executing.len() <= cap.max(1), "the cap holds");
                prop_assert!(executing.len() <= 1 || executing.iter().all(|index| safe[*index]), "an unsafe call is alone");
            }
            // No lost wake-up: completing what runs and starting what may run ends everything.
            if !closed {
                while !schedule.is_drained() {
                    while schedule.start_next().is_some() {}
                    for index in 0..safe.len() {
                        if schedule.state(index) == Some(CallState::Executing) {
                            schedule.complete(index);
                        }
                    }
                    prop_assert!(schedule.yield_next().is_some(), "something is always on its way");
                }
            }
        }
    }
}
