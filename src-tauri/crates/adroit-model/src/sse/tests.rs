use futures::stream;

use super::*;

/// A decoder that keeps the data of each event and finishes at "end".
#[derive(Default)]
struct Keep(VecDeque<StreamEvent>);

impl Decode for Keep {
    fn event(&mut self, _name: Option<&str>, data: &str) -> Result<(), ModelError> {
        self.0.push_back(match data {
            "end" => StreamEvent::Finish {
                stop: adroit_protocol::message::StopReason::EndTurn,
            },
            data => StreamEvent::Text {
                part: 0,
                text: data.into(),
            },
        });
        Ok(())
    }

    fn end_of_stream(&mut self) -> Result<(), ModelError> {
        Err(ModelError::Dropped {
            reason: "early".into(),
        })
    }

    fn pop(&mut self) -> Option<StreamEvent> {
        self.0.pop_front()
    }

    fn is_winding_down(&self) -> bool {
        false
    }
}

/// The answer to chunks that come after a pause each.
async fn play(chunks: Vec<(Duration, Vec<u8>)>, idle: Duration) -> Vec<Result<String, ModelError>> {
    let bytes = stream::iter(chunks)
        .then(|(pause, chunk)| async move {
            tokio::time::sleep(pause).await;
            Ok(Bytes::from(chunk))
        })
        .boxed();
    let opening = async { Ok(Opened::Events(bytes)) };
    answer(
        Box::pin(opening),
        Keep::default(),
        CancellationToken::new(),
        idle,
    )
    .map(|event| {
        event.map(|event| match event {
            StreamEvent::Text { text, .. } => text,
            _ => "finish".into(),
        })
    })
    .collect()
    .await
}

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test(start_paused = true)]
async fn dv_stream_002_pings_reset_the_idle_timer() {
    let mut chunks: Vec<_> = (0..18).map(|_| (MINUTE, b": ping\n\n".to_vec())).collect();
    chunks.push((MINUTE, b"data: a\r\n\r\ndata: end\n\n".to_vec()));
    assert_eq!(
        play(chunks, Duration::from_secs(90)).await,
        [Ok("a".into()), Ok("finish".into())]
    );
}

#[tokio::test(start_paused = true)]
async fn dv_stream_005_silence_ends_the_answer() {
    let begun = Instant::now();
    let chunks = vec![
        (MINUTE, b"data: a\n\n".to_vec()),
        (MINUTE * 10, b"data: end\n\n".to_vec()),
    ];
    let idle = Duration::from_secs(90);
    assert_eq!(
        play(chunks, idle).await,
        [Ok("a".into()), Err(ModelError::Stalled { after: idle })]
    );
    assert_eq!(begun.elapsed().as_secs(), 150);
}

#[tokio::test(start_paused = true)]
async fn cancelling_ends_it_at_once() {
    let cancel = CancellationToken::new();
    let opening = async { Ok(Opened::Events(stream::pending().boxed())) };
    let mut answer = answer(Box::pin(opening), Keep::default(), cancel.clone(), MINUTE);
    let begun = Instant::now();
    let waiting = tokio::spawn(async move { answer.next().await });
    tokio::task::yield_now().await;
    cancel.cancel();
    assert_eq!(waiting.await.unwrap(), Some(Err(ModelError::Cancelled)));
    assert!(begun.elapsed().is_zero());
}

#[tokio::test(start_paused = true)]
async fn an_event_without_end_is_bounded() {
    let chunks = (0..20)
        .map(|_| (Duration::ZERO, vec![b'x'; 1024 * 1024]))
        .collect();
    let events = play(chunks, MINUTE).await;
    assert!(
        matches!(&events[..], [Err(ModelError::Protocol { message })] if message.contains("larger")),
        "{events:?}"
    );
    // As much in many events is fine.
    let mut line = b"data: ".to_vec();
    line.extend(vec![b'x'; 1024 * 1024]);
    line.extend(b"\n\n");
    let mut chunks = vec![(Duration::ZERO, line); 20];
    chunks.push((Duration::ZERO, b"data: end\n\n".to_vec()));
    assert_eq!(play(chunks, MINUTE).await.len(), 21);
}

proptest::proptest! {
    #[test]
    fn chunks_do_not_matter(sizes in proptest::collection::vec(1usize..7, 1..40)) {
        let text = "data: 你好, wörld\r\n\r\n: ping\n\ndata: one\ndata: two\n\nevent: x\ndata: é\n\ndata: end\n\n".as_bytes();
        let mut rest = text;
        let mut chunks = Vec::new();
        let mut sizes = sizes.into_iter().cycle();
        while !rest.is_empty() {
            let (chunk, tail) = rest.split_at(sizes.next().unwrap().min(rest.len()));
            chunks.push((Duration::ZERO, chunk.to_vec()));
            rest = tail;
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let events = runtime.block_on(play(chunks, MINUTE));
        let expected = ["你好, wörld", "one\ntwo", "é", "finish"];
        proptest::prop_assert_eq!(events, expected.map(|text| Ok(text.to_owned())));
    }
}
