//! Recognises escape sequences (ECMA-48 and xterm's additions) in a byte
//! stream that may be cut anywhere.

/// Longest parameter text of a control sequence; longer ones are passed over.
const MAX_PARAMETERS: usize = 64;

/// A complete sequence that matters for the text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sequence {
    /// `ESC [ parameters final`.
    Control {
        /// The parameters began with `?`.
        private: bool,
        parameters: Parameters,
        command: u8,
    },
    /// `ESC D`: one line down.
    Index,
    /// `ESC E`: to the start of the next line.
    NextLine,
    /// `ESC M`: one line up.
    ReverseIndex,
    /// `ESC 7`.
    SaveCursor,
    /// `ESC 8`.
    RestoreCursor,
    /// `ESC c`.
    Reset,
}

/// Numbers that a sequence may have; further ones concern colours only.
const MAX_NUMBERS: usize = 8;

/// The numbers of a control sequence; an absent one is 0.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Parameters([u16; MAX_NUMBERS]);

impl Parameters {
    fn parse(text: &[u8]) -> Self {
        let mut numbers = [0; MAX_NUMBERS];
        for (number, digits) in numbers.iter_mut().zip(text.split(|&byte| byte == b';')) {
            *number = std::str::from_utf8(digits)
                .ok()
                .and_then(|digits| digits.parse().ok())
                .unwrap_or(0);
        }
        Self(numbers)
    }

    /// The parameter at `index`, 0 when absent.
    pub(crate) fn number(&self, index: usize) -> usize {
        self.0.get(index).copied().unwrap_or(0).into()
    }

    /// The parameter at `index` where 0 or nothing means 1.
    pub(crate) fn count(&self, index: usize) -> usize {
        self.number(index).max(1)
    }

    pub(crate) fn contains_any(&self, modes: &[u16]) -> bool {
        self.0.iter().any(|mode| modes.contains(mode))
    }
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Ground,
    Escape,
    /// After `ESC` and an intermediate byte such as `(`: one more byte follows.
    Intermediate,
    Control,
    /// OSC, DCS, SOS, PM or APC: text up to BEL or ST.
    Text,
    /// An ESC inside such text: `\` ends it.
    TextEscape,
}

/// The state between two bytes.
#[derive(Debug, Default)]
pub(crate) struct EscapeParser {
    state: State,
    parameters: Vec<u8>,
}

impl EscapeParser {
    /// Whether the next printable byte is text.
    pub(crate) fn is_ground(&self) -> bool {
        matches!(self.state, State::Ground)
    }

    /// Starts a sequence: the byte ESC was seen.
    pub(crate) fn begin(&mut self) {
        self.state = State::Escape;
        self.parameters.clear();
    }

    /// The length of a colour sequence (`ESC [ … m`) at the start of `bytes`,
    /// by far the most frequent one, so that it can be skipped in one step.
    pub(crate) fn colour(bytes: &[u8]) -> Option<usize> {
        let parameters = bytes.strip_prefix(b"\x1b[")?;
        let length = parameters
            .iter()
            .position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'))?;
        (parameters[length] == b'm').then_some(length + 3)
    }

    /// Takes one byte of a sequence. The caller handles C0 controls inside of
    /// control sequences itself: [`Self::takes`] says which bytes belong here.
    pub(crate) fn advance(&mut self, byte: u8) -> Option<Sequence> {
        match self.state {
            State::Ground => None,
            State::Escape => self.after_escape(byte),
            State::Intermediate => {
                self.state = State::Ground;
                None
            }
            State::Control => self.in_control(byte),
            State::Text => {
                match byte {
                    0x07 | 0x18 | 0x1A => self.state = State::Ground,
                    0x1B => self.state = State::TextEscape,
                    _ => {}
                }
                None
            }
            State::TextEscape => {
                if byte == b'\\' {
                    self.state = State::Ground;
                    None
                } else {
                    self.begin();
                    self.after_escape(byte)
                }
            }
        }
    }

    /// Whether a C0 control byte is part of the sequence (inside of OSC text)
    /// rather than executed at once (inside of CSI), as terminals do.
    pub(crate) fn takes(&self, byte: u8) -> bool {
        byte >= 0x20 || matches!(self.state, State::Text | State::TextEscape)
    }

    /// A line break ends text strings that nobody terminated: some programs
    /// print a stray introducer, and all further output must not vanish.
    pub(crate) fn abandon(&mut self) {
        self.state = State::Ground;
    }

    fn after_escape(&mut self, byte: u8) -> Option<Sequence> {
        self.state = State::Ground;
        match byte {
            b'[' => self.state = State::Control,
            b']' | b'P' | b'X' | b'^' | b'_' => self.state = State::Text,
            0x20..=0x2F => self.state = State::Intermediate,
            b'D' => return Some(Sequence::Index),
            b'E' => return Some(Sequence::NextLine),
            b'M' => return Some(Sequence::ReverseIndex),
            b'7' => return Some(Sequence::SaveCursor),
            b'8' => return Some(Sequence::RestoreCursor),
            b'c' => return Some(Sequence::Reset),
            _ => {}
        }
        None
    }

    fn in_control(&mut self, byte: u8) -> Option<Sequence> {
        if !(0x40..=0x7E).contains(&byte) {
            if self.parameters.len() < MAX_PARAMETERS {
                self.parameters.push(byte);
            }
            return None;
        }
        self.state = State::Ground;
        let (private, text) = match self.parameters.as_slice() {
            [b'?', rest @ ..] => (true, rest),
            // `>`, `=`, `<` and intermediates belong to queries and key modes.
            [b'<'..=b'>', ..] => return None,
            rest => (false, rest),
        };
        if text.iter().any(|byte| (0x20..=0x2F).contains(byte)) {
            return None;
        }
        Some(Sequence::Control {
            private,
            parameters: Parameters::parse(text),
            command: byte,
        })
    }
}
