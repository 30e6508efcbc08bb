//! Cancellation: a flag that ends work wherever the work checks it, and leaves no result that was cut short.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that is set once, by whoever keeps the time, and never cleared. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct StopFlag {
    own: Arc<AtomicBool>,
    parent: Option<Arc<StopFlag>>,
}

impl StopFlag {
    /// A flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag that is set with this one, or alone.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { own: Arc::default(), parent: Some(Arc::new(self.clone())) }
    }

    /// Sets the flag, and with it those of its children.
    pub fn set(&self) {
        self.own.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is set.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.own.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_set())
    }

    /// The flag without its parent, for work that takes a plain one.
    #[must_use]
    pub fn as_atomic(&self) -> &AtomicBool {
        &self.own
    }
}

/// The flags that may end the work of a thread, the innermost first.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    flag: StopFlag,
    outer: Option<Arc<Scope>>,
}

thread_local! {
    static SCOPE: RefCell<Option<Arc<Scope>>> = const { RefCell::new(None) };
}

/// What unwinds the stack of work that was cancelled.
struct Cancelled;

/// The result of `work`; none if `work` met a [`cancellation_point`] while `flag` was set.
///
/// The work is then abandoned there, on all threads that [`map`](crate::map) gave it. Whatever it was changing in place is
/// to be thrown away. Work that meets no such point in time is completed.
///
/// ```
/// use gflowcausal_determinism::{StopFlag, cancellation_point, interruptible};
/// let flag = StopFlag::new();
/// assert_eq!(interruptible(&flag, || { cancellation_point(); 1 }), Some(1));
/// flag.set();
/// assert_eq!(interruptible(&flag, || { cancellation_point(); 1 }), None);
/// ```
pub fn interruptible<T>(flag: &StopFlag, work: impl FnOnce() -> T) -> Option<T> {
    let outer = current();
    let scope = Some(Arc::new(Scope { flag: flag.clone(), outer }));
    match catch_unwind(AssertUnwindSafe(|| within(&scope, work))) {
        Ok(done) => Some(done),
        // One that was set for outer work alone is for whoever waits for that.
        Err(payload) if payload.is::<Cancelled>() && flag.is_set() => None,
        Err(payload) => resume_unwind(payload),
    }
}

/// Abandons the present work if the flag of an [`interruptible`] around it is set.
///
/// It costs a few nanoseconds; wherever half a second can pass, one should be met. Without unwinding it does nothing.
pub fn cancellation_point() {
    let is_cancelled = SCOPE.with_borrow(|scope| {
        let mut next = scope.as_ref();
        while let Some(scope) = next {
            if scope.flag.is_set() {
                return true;
            }
            next = scope.outer.as_ref();
        }
        false
    });
    if is_cancelled && cfg!(panic = "unwind") {
        // Not a panic: no hook is called and nothing is printed.
        resume_unwind(Box::new(Cancelled));
    }
}

/// `work` to the end, whatever flag is set around it: for steps that must not be left half done.
pub fn uninterrupted<T>(work: impl FnOnce() -> T) -> T {
    within(&None, work)
}

/// The flags that end the work of this thread, to hand on to others.
pub(crate) fn current() -> Inherited {
    SCOPE.with_borrow(Clone::clone)
}

/// Flags that one thread hands on to another.
pub(crate) type Inherited = Option<Arc<Scope>>;

/// `work` under the flags of another thread.
pub(crate) fn within<T>(scope: &Inherited, work: impl FnOnce() -> T) -> T {
    /// Puts the thread's own flags back, also when the stack unwinds.
    struct Restore(Inherited);
    impl Drop for Restore {
        fn drop(&mut self) {
            SCOPE.with_borrow_mut(|scope| *scope = self.0.take());
        }
    }
    let _restore = Restore(SCOPE.with_borrow_mut(|own| std::mem::replace(own, scope.clone())));
    work()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{map, with_threads};

    #[test]
    fn work_on_other_threads_is_abandoned_too() {
        let flag = StopFlag::new();
        let sums = |flag: &StopFlag| interruptible(flag, || map(100, |i| map(10, |j| i * j).len()));
        let whole = with_threads(3, || sums(&flag));
        assert_eq!(whole.map(|lengths| lengths.len()), Some(100));
        flag.set();
        assert_eq!(with_threads(3, || sums(&flag)), None);
        assert_eq!(map(3, |i| i), [0, 1, 2], "nothing outside is touched");
    }

    #[test]
    fn an_outer_flag_is_not_taken_for_an_inner_one() {
        let (outer, inner) = (StopFlag::new(), StopFlag::new());
        outer.set();
        let mut was_reached = false;
        let nothing = interruptible(&outer, || {
            let _ = interruptible(&inner, cancellation_point);
            was_reached = true;
        });
        assert!(nothing.is_none() && !was_reached);
    }

    #[test]
    fn a_child_is_set_with_its_parent_and_not_the_other_way_round() {
        let parent = StopFlag::new();
        let (child, other) = (parent.child(), parent.child());
        child.set();
        assert!(child.is_set() && !parent.is_set() && !other.is_set());
        parent.set();
        assert!(other.is_set());
    }

    #[test]
    fn a_step_that_must_not_be_left_half_done_is_completed() {
        let flag = StopFlag::new();
        flag.set();
        assert_eq!(interruptible(&flag, || uninterrupted(|| map(2, |i| i))), Some(vec![0, 1]));
    }

    #[test]
    #[should_panic(expected = "a real one")]
    fn a_panic_stays_a_panic() {
        let flag = StopFlag::new();
        flag.set();
        let _ = interruptible(&flag, || panic!("a real one"));
    }
}
