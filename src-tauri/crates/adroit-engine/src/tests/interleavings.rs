//! The executor's core under random interleavings of real threads' steps.
//!
//! [`Schedule`] is pure; what could go wrong around it is the order of "look, start, finish,
//! tell". Here every call is a thread, as every call is a task there, and `shuttle` chooses who
//! goes on at each lock and each wait. A wake-up that got lost would be a deadlock, which it
//! reports together with the schedule that leads there.

use shuttle::sync::{Arc, Condvar, Mutex};
use shuttle::thread;

use crate::Schedule;

struct Core {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    schedule: Schedule,
    safe: Vec<bool>,
    running: Vec<usize>,
    started: Vec<usize>,
    cap: usize,
}

impl Core {
    fn new(cap: usize) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                schedule: Schedule::new(cap),
                safe: Vec::new(),
                running: Vec::new(),
                started: Vec::new(),
                cap,
            }),
            changed: Condvar::new(),
        })
    }

    fn add(self: &Arc<Self>, safe: bool) {
        let mut state = self.state.lock().unwrap();
        state.schedule.add(safe);
        state.safe.push(safe);
        drop(state);
        self.advance();
    }

    /// Starts all that may start. Called by whoever changed something, outside of the lock.
    fn advance(self: &Arc<Self>) {
        loop {
            let mut state = self.state.lock().unwrap();
            let Some(index) = state.schedule.start_next() else {
                return;
            };
            state.begin(index);
            drop(state);
            let core = Arc::clone(self);
            thread::spawn(move || core.run(index));
        }
    }

    fn run(self: &Arc<Self>, index: usize) {
        thread::yield_now();
        let mut state = self.state.lock().unwrap();
        state.running.retain(|running| *running != index);
        assert!(state.schedule.complete(index), "it ends once");
        drop(state);
        self.changed.notify_one();
        self.advance();
    }

    /// Takes results until `count` are out, or until nothing more can come.
    fn consume(&self, count: usize) -> Vec<usize> {
        let mut taken = Vec::new();
        let mut state = self.state.lock().unwrap();
        while taken.len() < count {
            match state.schedule.yield_next() {
                Some(index) => taken.push(index),
                None if state.schedule.is_closed() && state.schedule.executing() == 0 => break,
                None => state = self.changed.wait(state).unwrap(),
            }
        }
        taken
    }

    fn close(&self) {
        self.state.lock().unwrap().schedule.close();
        self.changed.notify_one();
    }
}

impl State {
    fn begin(&mut self, index: usize) {
        assert!(!self.schedule.is_closed(), "nothing starts after a discard");
        assert!(
            self.started.last().is_none_or(|last| *last < index),
            "calls start in order"
        );
        self.started.push(index);
        self.running.push(index);
        assert!(self.running.len() <= self.cap, "the cap holds");
        let alone = self.running.len() == 1;
        assert!(
            alone || self.running.iter().all(|running| self.safe[*running]),
            "an unsafe call overlaps with nothing"
        );
    }
}

const CALLS: [bool; 6] = [true, true, false, true, false, true];
const ROUNDS: usize = 400;

#[test]
fn every_call_ends_and_is_given_out_in_order() {
    for cap in [1, 2, 3] {
        shuttle::check_random(
            move || {
                let core = Core::new(cap);
                let producer = {
                    let core = Arc::clone(&core);
                    thread::spawn(move || CALLS.iter().for_each(|safe| core.add(*safe)))
                };
                // Consumes while calls are still added.
                let taken = core.consume(CALLS.len());
                producer.join().unwrap();
                assert_eq!(taken, Vec::from_iter(0..CALLS.len()));
            },
            ROUNDS,
        );
    }
}

#[test]
fn a_discard_at_any_moment_starts_nothing_more_and_waits_for_what_runs() {
    shuttle::check_random(
        || {
            let core = Core::new(2);
            let producer = {
                let core = Arc::clone(&core);
                thread::spawn(move || CALLS.iter().for_each(|safe| core.add(*safe)))
            };
            let closer = {
                let core = Arc::clone(&core);
                thread::spawn(move || core.close())
            };
            let taken = core.consume(CALLS.len());
            producer.join().unwrap();
            closer.join().unwrap();
            let state = core.state.lock().unwrap();
            assert_eq!(taken, Vec::from_iter(0..taken.len()));
            assert!(state.running.is_empty() || !state.schedule.is_closed());
        },
        ROUNDS,
    );
}
