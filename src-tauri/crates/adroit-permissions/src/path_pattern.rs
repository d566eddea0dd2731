//! The specifier of a Read or Edit rule: a gitignore pattern with one of four anchors.

use std::path::Path;

use crate::facts::WorkspaceFacts;
use crate::lexical;
use crate::path_view::PathView;
use crate::segment::{Segment, Token};
use crate::shell_view::BelowView;

/// More segments than this are refused, so that one machine word holds the state of a match.
const MAX_SEGMENTS: usize = 60;

/// Where a pattern begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// `//p`
    FileSystem,
    /// `~/p`
    Home,
    /// `/p`
    Project,
    /// `p` and `./p`
    Current,
}

/// How far a pattern reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// In an allow list: nothing but what the pattern says at its anchor.
    Narrow,
    /// In a deny or ask list: `dir/**` at any depth, and what lies below a match too.
    Wide,
}

/// A compiled path specifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathPattern {
    anchor: Anchor,
    /// Leading `..`: how many folders above the anchor it begins.
    up: usize,
    /// Without a trailing `**`.
    segments: Vec<Segment>,
    /// It ended in `/**`, or in `/`: the folder with all that lies below it.
    whole_folder: bool,
    /// One name without an anchor: a file of that name at any depth.
    floating_name: bool,
    /// One folder without an anchor (`dir/**`): floats in deny and ask only.
    floating_folder: bool,
}

impl PathPattern {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("there is nothing between the parentheses".to_owned());
        }
        if text.starts_with('!') {
            return Err("a rule cannot be negated with `!`; put it in another list".to_owned());
        }
        let (anchor, rest, fixed) = if let Some(rest) = text.strip_prefix("//") {
            (Anchor::FileSystem, rest, true)
        } else if text == "~" {
            (Anchor::Home, "**", true)
        } else if let Some(rest) = text.strip_prefix("~/") {
            (Anchor::Home, rest, true)
        } else if let Some(rest) = text.strip_prefix('/') {
            (Anchor::Project, rest, true)
        } else if let Some(rest) = text.strip_prefix("./") {
            (Anchor::Current, rest, true)
        } else {
            (Anchor::Current, text, false)
        };
        let mut up = 0;
        let mut segments: Vec<Segment> = Vec::new();
        for part in rest.split('/').filter(|part| !matches!(*part, "" | ".")) {
            if part == ".." {
                match segments.last() {
                    None => up += 1,
                    Some(Segment::Literal(_)) => {
                        segments.pop();
                    }
                    Some(_) => return Err("`..` after a wildcard means nothing".to_owned()),
                }
                continue;
            }
            let segment = Segment::parse(part)?;
            if segment == Segment::AnyDepth && segments.last() == Some(&Segment::AnyDepth) {
                continue;
            }
            segments.push(segment);
        }
        if segments.len() > MAX_SEGMENTS {
            return Err(format!("more than {MAX_SEGMENTS} segments"));
        }
        let mut whole_folder = rest.ends_with('/') || segments.is_empty();
        if segments.len() > 1 && segments.last() == Some(&Segment::AnyDepth) {
            segments.pop();
            whole_folder = true;
        }
        let floating = !fixed && up == 0 && segments.len() == 1;
        Ok(Self {
            anchor,
            up,
            floating_name: floating && !whole_folder,
            floating_folder: floating && whole_folder,
            segments,
            whole_folder,
        })
    }

    /// True when the pattern covers the path.
    pub(crate) fn matches(
        &self,
        view: &PathView,
        workspace: &WorkspaceFacts,
        reach: Reach,
    ) -> bool {
        self.any_anchor(view, workspace, reach, |names| {
            self.run(reach, names.len(), |segment, at| {
                names.get(at).is_some_and(|name| segment.matches(name))
            })
        })
    }

    /// True when the pattern may cover a path that the shell makes from the glob of `view`.
    pub(crate) fn may_match_glob(&self, view: &PathView, workspace: &WorkspaceFacts) -> bool {
        self.any_anchor(view, workspace, Reach::Wide, |names| {
            let count = names.len() + view.glob.len();
            self.run(Reach::Wide, count, |segment, at| match names.get(at) {
                Some(name) => segment.matches(name),
                None => view
                    .glob
                    .get(at - names.len())
                    .is_some_and(|name| segment.meets(name)),
            })
        })
    }

    /// True when the pattern may cover a file below the path of `view`.
    pub(crate) fn may_match_below(
        &self,
        view: &PathView,
        workspace: &WorkspaceFacts,
        below: &BelowView,
    ) -> bool {
        if !self.fits_names(below) {
            return false;
        }
        let above = anchor_folder(self.anchor, workspace).starts_with(&view.path);
        above
            || self.any_anchor(view, workspace, Reach::Wide, |names| {
                self.goes_on_below(names)
            })
    }

    /// Whether a file that the command reaches may have the last name of the pattern.
    fn fits_names(&self, below: &BelowView) -> bool {
        let Some(last) = self.segments.last() else {
            return true;
        };
        let starts_hidden = match last {
            Segment::Literal(name) => name.starts_with('.'),
            Segment::Glob(tokens) => tokens.first() == Some(&Token::Character('.')),
            Segment::AnyDepth => false,
        };
        if starts_hidden && !below.hidden {
            return false;
        }
        self.whole_folder
            || below.names.is_empty()
            || below.names.iter().any(|name| match (last, name) {
                // `find -name '*'` takes a leading dot, unlike the shell.
                (Segment::Literal(own), pattern) => pattern.matches(own),
                (own, Segment::Literal(name)) => own.matches(name),
                (own, pattern) => own.meets(pattern),
            })
    }

    /// Whether some names behind `names` may complete the pattern.
    fn goes_on_below(&self, names: &[String]) -> bool {
        if self.floats() || self.segments.is_empty() {
            return true;
        }
        let mut state = self.closure(1);
        for name in names {
            let mut next = 0;
            for (index, segment) in self.segments.iter().enumerate() {
                if state & (1 << index) == 0 {
                    continue;
                }
                if *segment == Segment::AnyDepth {
                    next |= 1 << index;
                } else if segment.matches(name) {
                    next |= 1 << (index + 1);
                }
            }
            state = self.closure(next);
        }
        state != 0
    }

    /// True when this surely covers whatever `inner` covers.
    pub(crate) fn contains(&self, reach: Reach, inner: &Self, inner_reach: Reach) -> bool {
        if self.anchor != inner.anchor || self.up != inner.up {
            return false;
        }
        if self.segments.is_empty() {
            return true;
        }
        let floats = match reach {
            Reach::Narrow => self.floating_name,
            Reach::Wide => self.floating_name || self.floating_folder,
        };
        let inner_floats = match inner_reach {
            Reach::Narrow => inner.floating_name,
            Reach::Wide => inner.floating_name || inner.floating_folder,
        };
        if inner_floats && !floats && self.segments.first() != Some(&Segment::AnyDepth) {
            return false;
        }
        let below = self.whole_folder
            || reach == Reach::Wide
            || self.segments.last() == Some(&Segment::AnyDepth);
        let accept = 1_u64 << self.segments.len();
        let mut state = self.closure(1);
        for name in &inner.segments {
            if below && state & accept != 0 {
                return true;
            }
            let mut next = u64::from(floats);
            for (index, segment) in self.segments.iter().enumerate() {
                if state & (1 << index) == 0 {
                    continue;
                }
                if *segment == Segment::AnyDepth {
                    next |= 1 << index;
                } else if *name != Segment::AnyDepth && segment.contains(name) {
                    next |= 1 << (index + 1);
                }
            }
            state = self.closure(next);
        }
        let goes_on = inner.whole_folder || inner_reach == Reach::Wide;
        state & accept != 0 && (below || !goes_on)
    }

    /// The names that it spells out, from its anchor on.
    pub(crate) fn literal_names(&self) -> impl Iterator<Item = Option<&str>> {
        self.segments.iter().map(|segment| match segment {
            Segment::Literal(name) => Some(name.as_str()),
            _ => None,
        })
    }

    pub(crate) fn anchor(&self) -> Anchor {
        self.anchor
    }

    /// It matches at any depth.
    pub(crate) fn floats(&self) -> bool {
        self.floating_name
            || self.floating_folder
            || self.segments.first() == Some(&Segment::AnyDepth)
    }

    /// True when the pattern is about a folder with all in it, names too.
    pub(crate) fn keeps_folder(&self) -> bool {
        self.whole_folder
    }

    /// True when the pattern holds no wildcard: it names one thing.
    pub(crate) fn is_literal(&self) -> bool {
        self.segments
            .iter()
            .all(|segment| matches!(segment, Segment::Literal(_)))
    }

    /// Tries the names below each folder that the pattern may begin at. A relative
    /// deny or ask rule also holds from the project's root: `cd` must not carry a
    /// call out of its reach.
    fn any_anchor(
        &self,
        view: &PathView,
        workspace: &WorkspaceFacts,
        reach: Reach,
        fits: impl Fn(&[String]) -> bool,
    ) -> bool {
        let also = (self.anchor == Anchor::Current
            && reach == Reach::Wide
            && workspace.cwd != workspace.root)
            .then_some(Anchor::Project);
        [Some(self.anchor), also]
            .into_iter()
            .flatten()
            .any(|anchor| {
                if self.up == 0 {
                    return view.below(anchor).is_some_and(&fits);
                }
                view.below_parent(anchor_folder(anchor, workspace), self.up)
                    .is_some_and(|names| fits(&names))
            })
    }

    /// Runs the segments as a state machine over `count` names: bit `i` says that
    /// the first `i` segments are used up.
    fn run(&self, reach: Reach, count: usize, matches: impl Fn(&Segment, usize) -> bool) -> bool {
        if self.segments.is_empty() {
            // Nothing but an anchor: the anchor and all below.
            return true;
        }
        let floats = match reach {
            Reach::Narrow => self.floating_name,
            Reach::Wide => self.floating_name || self.floating_folder,
        };
        let below = self.whole_folder || reach == Reach::Wide;
        let accept = 1_u64 << self.segments.len();
        let mut state = self.closure(1);
        for at in 0..count {
            if below && at > 0 && state & accept != 0 {
                return true;
            }
            let mut next = u64::from(floats);
            for (index, segment) in self.segments.iter().enumerate() {
                if state & (1 << index) == 0 {
                    continue;
                }
                if *segment == Segment::AnyDepth {
                    next |= 1 << index;
                } else if matches(segment, at) {
                    next |= 1 << (index + 1);
                }
            }
            state = self.closure(next);
            if state == 0 {
                return false;
            }
        }
        state & accept != 0
    }

    fn closure(&self, mut state: u64) -> u64 {
        for (index, segment) in self.segments.iter().enumerate() {
            if *segment == Segment::AnyDepth && state & (1 << index) != 0 {
                state |= 1 << (index + 1);
            }
        }
        state
    }
}

fn anchor_folder(anchor: Anchor, workspace: &WorkspaceFacts) -> &Path {
    match anchor {
        Anchor::FileSystem => Path::new("/"),
        Anchor::Home => &workspace.home,
        Anchor::Project => &workspace.root,
        Anchor::Current => &workspace.cwd,
    }
}

/// `path` as the text of a rule that covers exactly it: the shortest anchor, wildcards escaped.
pub(crate) fn rule_text(path: &Path, workspace: &WorkspaceFacts) -> String {
    let (prefix, rest) = if let Ok(rest) = path.strip_prefix(&workspace.root) {
        ("/", rest)
    } else if let Ok(rest) = path.strip_prefix(&workspace.home) {
        ("~/", rest)
    } else {
        ("//", path.strip_prefix("/").unwrap_or(path))
    };
    let mut text = prefix.to_owned();
    for (index, name) in lexical::segments(rest).iter().enumerate() {
        if index > 0 {
            text.push('/');
        }
        for character in name.chars() {
            if "*?[]\\".contains(character) {
                text.push('\\');
            }
            text.push(character);
        }
    }
    text
}
