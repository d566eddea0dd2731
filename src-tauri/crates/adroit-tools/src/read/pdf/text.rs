//! From placed characters to lines of text.

use std::panic::resume_unwind;

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::kurbo::{Affine, BezPath, Point};
use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask,
};

use super::DocumentPage;

/// Parts of a page; one with more is drawn, not written.
const MAX_FRAGMENTS: usize = 100_000;
/// A gap of this many ems between characters is a space.
const SPACE: f64 = 0.18;
/// A line is the same as long as the baseline moves by less than this many ems.
const SAME_LINE: f64 = 0.45;
/// From this many ems between baselines on, a blank line stands between.
const PARAGRAPH: f64 = 1.9;

/// Says that reading was to stop.
struct Stopped;

/// Text on one baseline.
#[derive(Clone, Debug)]
struct Fragment {
    text: String,
    start: f64,
    end: f64,
    baseline: f64,
    size: f64,
}

/// Gathers the text of one page.
pub(super) struct PageText<'s> {
    stop: &'s (dyn Fn() -> bool + Sync),
    room: usize,
    fragments: Vec<Fragment>,
    full: bool,
    characters: usize,
    images: u32,
    unknown: u32,
    /// The last run, because some are drawn twice: filled and stroked, or moved a little to look bold.
    last_run: Option<(String, Point)>,
}

impl<'s> PageText<'s> {
    pub(super) fn new(stop: &'s (dyn Fn() -> bool + Sync), room: usize) -> Self {
        Self {
            stop,
            room,
            fragments: Vec::new(),
            full: false,
            characters: 0,
            images: 0,
            unknown: 0,
            last_run: None,
        }
    }

    /// The page, and whether there was more text than room.
    pub(super) fn finish(self, number: usize) -> (DocumentPage, bool) {
        let page = DocumentPage {
            number,
            text: lines(self.fragments),
            images: self.images,
            unknown: self.unknown,
        };
        (page, self.full)
    }

    /// The interpreter knows no cancelling, so it is left by unwinding, which the reading thread
    /// catches. Without a panic nothing is reported.
    fn check(&self) {
        if (self.stop)() {
            resume_unwind(Box::new(Stopped));
        }
    }

    fn put(&mut self, text: &str, start: Point, end: Point, size: f64) {
        if self.full {
            return;
        }
        self.characters += text.chars().count();
        if self.characters > self.room || self.fragments.len() >= MAX_FRAGMENTS {
            self.full = true;
            return;
        }
        if let Some(last) = self.fragments.last_mut() {
            let em = last.size.max(size);
            let gap = start.x - last.end;
            // Backwards by less than a character is kerning, or an accent put over a letter.
            if (start.y - last.baseline).abs() < SAME_LINE * em
                && gap > -0.5 * em
                && gap < 12.0 * em
            {
                if gap > SPACE * em && !last.text.ends_with(' ') && !text.starts_with(' ') {
                    last.text.push(' ');
                }
                last.text.push_str(text);
                last.end = end.x.max(last.end);
                return;
            }
        }
        self.fragments.push(Fragment {
            text: text.to_owned(),
            start: start.x,
            end: end.x,
            baseline: start.y,
            size,
        });
    }
}

/// What one glyph says, without control characters.
fn meaning(glyph: &Glyph<'_>) -> Option<String> {
    let text = match glyph.as_unicode()? {
        BfString::Char(character) => character.to_string(),
        BfString::String(text) => text,
    };
    let text: String = text
        .chars()
        .map(|character| match character {
            '\t' | '\n' | '\r' | '\u{a0}' => ' ',
            '\u{ad}' => '-',
            other => other,
        })
        .filter(|character| !character.is_control())
        .collect();
    Some(text)
}

fn advance(glyph: &Glyph<'_>) -> f64 {
    let width = match glyph {
        Glyph::Outline(glyph) => glyph.advance_width(),
        Glyph::Type3(glyph) => glyph.advance_width(),
    };
    f64::from(width.unwrap_or(500.0))
}

/// The fragments as lines. In the order of drawing, which keeps columns apart, unless the page was drawn
/// in no order at all; then from top to bottom.
fn lines(mut fragments: Vec<Fragment>) -> String {
    let backwards = fragments
        .windows(2)
        .filter(|pair| pair[1].baseline < pair[0].baseline - pair[0].size)
        .count();
    if backwards > 3 && backwards * 4 > fragments.len() {
        fragments.sort_by(|one, other| {
            one.baseline
                .total_cmp(&other.baseline)
                .then(one.start.total_cmp(&other.start))
        });
    }
    let mut text = String::new();
    let mut last: Option<&Fragment> = None;
    for fragment in &fragments {
        if let Some(last) = last {
            let em = last.size.max(fragment.size);
            let down = fragment.baseline - last.baseline;
            if down.abs() < SAME_LINE * em && fragment.start >= last.end - em {
                // Far apart on one line: the columns of a table.
                text.push_str("  ");
            } else {
                trim_end(&mut text);
                text.push('\n');
                if !(-0.1 * em..PARAGRAPH * em).contains(&down) {
                    text.push('\n');
                }
            }
        }
        text.push_str(&fragment.text);
        last = Some(fragment);
    }
    text.trim().to_owned()
}

fn trim_end(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
}

impl<'a> Device<'a> for PageText<'_> {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        self.check();
        let meanings: Vec<Option<String>> =
            run.glyphs().iter().map(|glyph| meaning(glyph)).collect();
        let whole: String = meanings.iter().flatten().map(String::as_str).collect();
        let Some(first) = run.glyphs().first() else {
            return;
        };
        let place = |transform: Affine| (props.transform * transform) * Point::ZERO;
        let at = place(first.transform());
        if let Some((text, before)) = &self.last_run
            && *text == whole
            && before.distance(at) < 1.5
            && !whole.trim().is_empty()
        {
            return;
        }
        for (glyph, meaning) in run.glyphs().iter().zip(meanings) {
            let transform = props.transform * glyph.transform();
            let start = transform * Point::ZERO;
            let end = transform * Point::new(advance(glyph), 0.0);
            let size = (transform * Point::new(0.0, 1000.0)).distance(start);
            if !(start.is_finite() && end.is_finite() && size.is_finite()) {
                continue;
            }
            match meaning {
                Some(text) if text.is_empty() => {}
                Some(text) => self.put(&text, start, end, size),
                None => {
                    self.unknown += 1;
                    self.put("\u{fffd}", start, end, size);
                }
            }
        }
        self.last_run = Some((whole, at));
    }

    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {
        self.check();
        self.images = self.images.saturating_add(1);
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {
        self.check();
    }

    fn push_clip_path(&mut self, _: &ClipPath) {
        self.check();
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {
        self.check();
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}
