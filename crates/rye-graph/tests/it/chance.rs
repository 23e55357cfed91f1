//! Events in any order: steps that end out of turn, pauses, cancellations, and what nobody asked for.

use proptest::prelude::*;
use rye_graph::conformance::random_graph;
use rye_graph::{Answer, Applied, Command, Event, Graph, Snapshot, StepFailure, StepId, Walker};
use serde_json::json;

/// What the driver does next: it chooses among what is open by a number.
fn event(walker: &Walker, choice: u32) -> Event {
    let failure = StepFailure {
        code: "TOOL_FAILED".to_owned(),
        message: "no".to_owned(),
        retryable: choice.is_multiple_of(2),
    };
    let stale: StepId = "n0#1@1".parse().unwrap();
    let mut open: Vec<Event> = Vec::new();
    for step in walker.open_steps() {
        open.push(Event::StepSucceeded {
            step: step.clone(),
            result: json!({"n": choice % 5, "list": [choice]}),
        });
        open.push(Event::StepFailed { step: step.clone(), failure: failure.clone() });
        open.push(Event::StepInterrupted { step });
    }
    for timer in walker.open_timers() {
        if let Command::StartTimer { timer, .. } = timer {
            open.push(Event::TimerFired { timer });
        }
    }
    for question in walker.questions() {
        let step = question.step;
        open.push(Event::Answered {
            step: step.clone(),
            answer: Answer::Approve { by: None, comment: None },
        });
        open.push(Event::Answered { step: step.clone(), answer: Answer::Retry });
        open.push(Event::Answered { step, answer: Answer::Done { result: json!(1) } });
    }
    open.extend([Event::Pause, Event::Resume, Event::StepSucceeded { step: stale, result: json!(0) }]);
    if choice.is_multiple_of(101) {
        return Event::Cancel { reason: "chance".to_owned() };
    }
    let index = choice as usize % open.len();
    open.swap_remove(index)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_order_of_events_is_survived(seed: u64, choices in prop::collection::vec(any::<u32>(), 0..200)) {
        let graph = Graph::parse(&random_graph(seed)).unwrap();
        let mut walker = Walker::new(graph.clone(), json!({"who": "Ada"}));
        let mut journal = Vec::new();
        let mut commands = walker.commands();
        for choice in choices {
            let before = walker.snapshot().clone();
            let event = event(&walker, choice);
            journal.push(event.clone());
            match walker.apply(event) {
                Applied::Ignored => prop_assert_eq!(walker.snapshot(), &before),
                Applied::Taken => commands.extend(walker.commands()),
            }
            for step in walker.open_steps() {
                prop_assert!(walker.start_of(&step).is_some(), "{}", step);
            }
            let text = serde_json::to_string(walker.snapshot()).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Snapshot>(&text).unwrap(), walker.snapshot());
        }
        let finishes = commands.iter().filter(|command| matches!(command, Command::Finish(_))).count();
        prop_assert_eq!(finishes, usize::from(walker.finish().is_some()));

        // A journal of the same events, read back from text, leads to the same place.
        let mut replayed = Walker::new(graph, json!({"who": "Ada"}));
        let mut again = replayed.commands();
        for event in journal {
            let text = serde_json::to_string(&event).unwrap();
            let _ = replayed.apply(serde_json::from_str(&text).unwrap());
            again.extend(replayed.commands());
        }
        prop_assert_eq!(replayed.snapshot(), walker.snapshot());
        prop_assert_eq!(again, commands);
    }
}
