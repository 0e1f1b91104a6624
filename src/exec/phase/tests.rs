//! Tests of a run's course: which event counts first, what is sent when, and that it always ends.

use proptest::prelude::*;

use super::*;

const BUDGET: Duration = Duration::from_secs(10);

fn at(ms: u64) -> Sight {
    Sight {
        now: Duration::from_millis(ms),
        signal: None,
        shell_ended: false,
        group_empty: false,
        output_closed: false,
        last_byte: Duration::ZERO,
    }
}

fn signal(ms: u64, signal: Signal) -> Sight {
    Sight { signal: Some(signal), ..at(ms) }
}

fn ended(ms: u64) -> Sight {
    Sight { shell_ended: true, ..at(ms) }
}

fn gone(ms: u64) -> Sight {
    Sight { group_empty: true, output_closed: true, ..ended(ms) }
}

#[test]
fn an_end_just_in_time_is_no_timeout() {
    let mut course = Course::new(BUDGET);
    assert_eq!(course.step(gone(10_000)), None);
    assert_eq!((course.phase, course.cause), (Phase::Over, None));
}

#[test]
fn an_interrupt_counts_before_an_end_seen_in_the_same_turn() {
    let mut course = Course::new(BUDGET);
    let both = Sight { signal: Some(Signal::SIGINT), ..gone(5) };
    assert_eq!(course.step(both), Some(Order::Send(Signal::SIGINT)));
    assert_eq!(course.cause, Some(Cause::Interrupted(Signal::SIGINT)));
}

#[test]
fn a_timeout_is_term_then_grace_then_kill() {
    let mut course = Course::new(BUDGET);
    assert_eq!(course.step(at(10_000)), Some(Order::Send(Signal::SIGTERM)));
    assert_eq!(course.step(ended(11_999)), None);
    assert_eq!(course.step(ended(12_000)), Some(Order::Kill));
    assert_eq!(course.cause, Some(Cause::TimedOut));
}

#[test]
fn an_interrupt_of_the_draining_hurries_the_verdict_but_does_not_change_it() {
    let mut course = Course::new(BUDGET);
    course.step(ended(5));
    assert!(!course.is_hurried);
    course.step(Sight { signal: Some(Signal::SIGINT), ..ended(6) });
    assert_eq!((course.phase, course.cause, course.is_hurried), (Phase::Over, None, true));
}

#[test]
fn the_grace_is_over_as_soon_as_the_group_is_empty() {
    let mut course = Course::new(BUDGET);
    course.step(at(10_000));
    assert_eq!(course.step(gone(10_010)), Some(Order::Kill));
    course.step(gone(10_011));
    assert_eq!((course.phase, course.cause), (Phase::Over, Some(Cause::TimedOut)));
}

#[test]
fn once_the_shell_is_gone_an_interrupt_tells_the_rest_to_end() {
    let mut course = Course::new(BUDGET);
    course.step(signal(5, Signal::SIGINT));
    assert_eq!(course.step(ended(20)), Some(Order::Send(Signal::SIGTERM)));
    assert_eq!(course.step(ended(30)), None);
    assert_eq!(course.step(ended(2005)), Some(Order::Kill));
}

#[test]
fn the_same_signal_within_a_quarter_second_is_one() {
    let mut course = Course::new(BUDGET);
    course.step(signal(5, Signal::SIGINT));
    assert_eq!(course.step(signal(254, Signal::SIGINT)), None);
    assert_eq!(course.step(signal(255, Signal::SIGINT)), Some(Order::Kill));
}

#[test]
fn another_signal_kills_at_once() {
    let mut course = Course::new(BUDGET);
    course.step(signal(5, Signal::SIGHUP));
    assert_eq!(course.step(signal(6, Signal::SIGTERM)), Some(Order::Kill));
    assert_eq!(course.cause, Some(Cause::Interrupted(Signal::SIGHUP)));
}

#[test]
fn of_a_timeout_and_an_interrupt_the_first_is_the_reason() {
    let mut course = Course::new(BUDGET);
    course.step(at(10_000));
    assert_eq!(course.step(signal(10_001, Signal::SIGINT)), Some(Order::Kill));
    assert_eq!(course.cause, Some(Cause::TimedOut));
}

#[test]
fn a_signal_after_the_end_ends_the_draining_and_nothing_else() {
    let mut course = Course::new(BUDGET);
    course.step(ended(5));
    course.step(signal(6, Signal::SIGINT));
    assert_eq!((course.phase, course.cause, course.has_leftover), (Phase::Over, None, false));
    assert!(course.is_hurried);
}

#[test]
fn a_silent_leftover_is_given_up_after_half_a_second_and_a_chatty_one_after_two() {
    let mut silent = Course::new(BUDGET);
    silent.step(ended(1000));
    silent.step(ended(1499));
    assert_eq!(silent.phase, Phase::Draining { since: Duration::from_secs(1) });
    silent.step(ended(1500));
    assert!(silent.has_leftover && silent.phase == Phase::Over);

    let mut chatty = Course::new(BUDGET);
    chatty.step(ended(1000));
    for ms in 1001..3000 {
        chatty.step(Sight { last_byte: Duration::from_millis(ms), ..ended(ms) });
        assert_ne!(chatty.phase, Phase::Over, "{ms}");
    }
    chatty.step(Sight { last_byte: Duration::from_secs(3), ..ended(3000) });
    assert!(chatty.has_leftover && chatty.phase == Phase::Over);
}

fn sights() -> impl Strategy<Value = Sight> {
    let signals = [None, None, None, Some(Signal::SIGINT), Some(Signal::SIGTERM)];
    let facts = (any::<bool>(), any::<bool>(), any::<bool>());
    (prop::sample::select(signals.to_vec()), facts).prop_map(|(signal, (ended, empty, closed))| {
        Sight { signal, shell_ended: ended, group_empty: empty, output_closed: closed, ..at(0) }
    })
}

proptest! {
    #[test]
    fn once_the_budget_has_passed_every_course_ends_within_2500_ms(
        sights in prop::collection::vec(sights(), 700)
    ) {
        let mut course = Course::new(Duration::from_secs(1));
        let mut ended = false;
        for (turn, sight) in (0_u64..).zip(sights) {
            let now = Duration::from_millis(5 * turn);
            // A shell that has ended stays ended.
            ended |= sight.shell_ended;
            course.step(Sight { now, last_byte: now, shell_ended: ended, ..sight });
        }
        prop_assert_eq!(course.phase, Phase::Over);
    }

    #[test]
    fn the_first_cause_is_never_replaced(sights in prop::collection::vec(sights(), 100)) {
        let mut course = Course::new(Duration::from_millis(50));
        let mut first = None;
        for (turn, sight) in (0_u64..).zip(sights) {
            course.step(Sight { now: Duration::from_millis(5 * turn), ..sight });
            first = first.or(course.cause);
            prop_assert_eq!(course.cause, first);
        }
    }
}
