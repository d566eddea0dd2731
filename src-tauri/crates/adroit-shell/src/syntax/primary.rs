//! The first parser (brush-parser), turned into our tree. A node kind that is
//! not named here is refused.

use std::ops::Range;

use brush_parser::ast;
use brush_parser::{ParserOptions, SourceSpan, Token, TokenizerOptions};

use super::Refusal;
use super::source::{Region, Source};
use super::tree::{
    Assign, Command, Compound, CompoundKind, Connector, Item, List, Piece, Pipeline, Redirection,
    Simple, Word,
};
use super::word::{self, Mode};
use crate::limits;
use crate::types::{ReasonCode, RedirectOperator};

/// A tree, and whether something in it is valid but not on the allow list.
pub(crate) struct Tree {
    pub list: List,
    pub refusal: Option<Refusal>,
}

/// Parses the whole text of `source`.
pub(crate) fn parse(source: &Source<'_>) -> Result<Tree, Refusal> {
    let mut converter = Converter { refusal: None };
    let list = converter.region(&source.region(0..source.text.len()), 0)?;
    Ok(Tree {
        list,
        refusal: converter.refusal,
    })
}

pub(super) struct Converter {
    /// The first thing that keeps the tree from being trusted.
    pub(super) refusal: Option<Refusal>,
}

impl Converter {
    pub(super) fn distrust(&mut self, span: Range<usize>, message: &str) {
        self.refusal
            .get_or_insert_with(|| Refusal::new(ReasonCode::NotUnderstood, span, message));
    }

    /// Parses one region: the whole text, or what stands in a substitution.
    pub(super) fn region(
        &mut self,
        region: &Region<'_, '_>,
        depth: usize,
    ) -> Result<List, Refusal> {
        let whole = region.start..region.start + region.text.len();
        if depth > limits::NESTING || !region.source.spend(region.text.len()) {
            return Err(Refusal::new(
                ReasonCode::Limit,
                whole,
                "the command is nested too deeply",
            ));
        }
        let program = parse_region(region.text, whole)?;
        let mut list = List::default();
        for complete in program.complete_commands {
            list.0.extend(self.list(region, complete, depth)?.0);
        }
        Ok(list)
    }

    pub(super) fn list(
        &mut self,
        region: &Region<'_, '_>,
        list: ast::CompoundList,
        depth: usize,
    ) -> Result<List, Refusal> {
        if depth > limits::NESTING {
            return Err(Refusal::new(
                ReasonCode::Limit,
                region.start..region.start + region.text.len(),
                "the command is nested too deeply",
            ));
        }
        let mut items = Vec::with_capacity(list.0.len());
        for ast::CompoundListItem(chain, separator) in list.0 {
            let first = self.pipeline(region, chain.first, depth)?;
            let mut rest = Vec::with_capacity(chain.additional.len());
            for additional in chain.additional {
                let (connector, pipeline) = match additional {
                    ast::AndOr::And(pipeline) => (Connector::And, pipeline),
                    ast::AndOr::Or(pipeline) => (Connector::Or, pipeline),
                };
                rest.push((connector, self.pipeline(region, pipeline, depth)?));
            }
            items.push(Item {
                first,
                rest,
                background: matches!(separator, ast::SeparatorOperator::Async),
            });
        }
        Ok(List(items))
    }

    fn pipeline(
        &mut self,
        region: &Region<'_, '_>,
        pipeline: ast::Pipeline,
        depth: usize,
    ) -> Result<Pipeline, Refusal> {
        let mut commands = Vec::with_capacity(pipeline.seq.len());
        for command in pipeline.seq {
            commands.push(self.command(region, command, depth)?);
        }
        Ok(Pipeline {
            negated: pipeline.bang,
            commands,
        })
    }

    pub(super) fn command(
        &mut self,
        region: &Region<'_, '_>,
        command: ast::Command,
        depth: usize,
    ) -> Result<Command, Refusal> {
        match command {
            ast::Command::Simple(simple) => {
                Ok(Command::Simple(self.simple(region, simple, depth)?))
            }
            ast::Command::Compound(compound, redirects) => Ok(Command::Compound(Box::new(
                self.compound(region, compound, redirects, depth)?,
            ))),
            ast::Command::Function(function) => {
                let span = span_of(region, function.fname.loc.as_ref());
                let ast::FunctionBody(body, redirects) = function.body;
                let body = self.compound(region, body, redirects, depth + 1)?;
                Ok(Command::Compound(Box::new(Compound {
                    kind: CompoundKind::Function(Box::new(body)),
                    redirects: Vec::new(),
                    span,
                })))
            }
            ast::Command::ExtendedTest(test, redirects) => {
                let span = span_of(region, Some(&test.loc));
                let mut terms = Vec::new();
                self.test(region, test.expr, depth, &mut terms)?;
                Ok(Command::Compound(Box::new(Compound {
                    kind: CompoundKind::Test(terms),
                    redirects: self.redirects(region, redirects, depth)?,
                    span,
                })))
            }
        }
    }

    fn simple(
        &mut self,
        region: &Region<'_, '_>,
        simple: ast::SimpleCommand,
        depth: usize,
    ) -> Result<Simple, Refusal> {
        let mut result = Simple {
            assignments: Vec::new(),
            words: Vec::new(),
            redirects: Vec::new(),
            span: 0..0,
        };
        for item in simple.prefix.map(|prefix| prefix.0).unwrap_or_default() {
            match item {
                ast::CommandPrefixOrSuffixItem::AssignmentWord(assignment, word) => {
                    let assign = self.assignment(region, assignment, &word, depth)?;
                    result.assignments.push(assign);
                }
                other => self.item(region, other, depth, &mut result)?,
            }
        }
        if let Some(word) = simple.word_or_name {
            result.words.push(self.word(region, &word, depth)?);
        }
        for item in simple.suffix.map(|suffix| suffix.0).unwrap_or_default() {
            self.item(region, item, depth, &mut result)?;
        }
        let spans = || {
            let words = result.words.iter().map(|word| &word.span);
            words.chain(result.assignments.iter().map(|assign| &assign.span))
        };
        let start = spans().map(|span| span.start).min();
        let end = spans().map(|span| span.end).max();
        result.span = match (start, end) {
            (Some(start), Some(end)) => start..end,
            _ => result
                .redirects
                .first()
                .map_or(region.start..region.start, |redirect| match redirect {
                    Redirection::File { target, .. }
                    | Redirection::Duplicate { target, .. }
                    | Redirection::Text(target) => target.span.clone(),
                }),
        };
        Ok(result)
    }

    fn item(
        &mut self,
        region: &Region<'_, '_>,
        item: ast::CommandPrefixOrSuffixItem,
        depth: usize,
        result: &mut Simple,
    ) -> Result<(), Refusal> {
        match item {
            ast::CommandPrefixOrSuffixItem::IoRedirect(redirect) => {
                let redirect = self.redirect(region, redirect, depth)?;
                result.redirects.extend(redirect);
            }
            // After the command word, `a=b` is an argument like any other.
            ast::CommandPrefixOrSuffixItem::Word(word)
            | ast::CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                result.words.push(self.word(region, &word, depth)?);
            }
            ast::CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => {
                result
                    .words
                    .push(self.process_word(region, subshell, depth)?);
            }
        }
        Ok(())
    }

    fn process_word(
        &mut self,
        region: &Region<'_, '_>,
        subshell: ast::SubshellCommand,
        depth: usize,
    ) -> Result<Word, Refusal> {
        let inner = span_of(region, Some(&subshell.loc));
        // The location begins at the parenthesis; `<` or `>` stands before it.
        let span = inner.start.saturating_sub(1)..inner.end;
        let list = self.list(region, subshell.list, depth + 1)?;
        Ok(Word {
            raw: region.source.slice(span.clone()).to_owned(),
            span,
            pieces: vec![Piece::Process { list }],
        })
    }

    fn assignment(
        &mut self,
        region: &Region<'_, '_>,
        assignment: ast::Assignment,
        word: &ast::Word,
        depth: usize,
    ) -> Result<Assign, Refusal> {
        let span = span_of(region, Some(&assignment.loc));
        let (name, subscript) = match assignment.name {
            ast::AssignmentName::VariableName(name) => (name, false),
            ast::AssignmentName::ArrayElementName(name, index) => {
                (format!("{name}[{index}]"), true)
            }
        };
        let array = matches!(assignment.value, ast::AssignmentValue::Array(_));
        if array || subscript {
            // Array values keep no place in the text: nothing in them can be checked.
            if word.value.contains(['$', '`']) || subscript {
                self.distrust(span.clone(), "an array is assigned from expansions");
            }
            return Ok(Assign {
                name,
                append: assignment.append,
                compound: true,
                value: Word {
                    raw: region.source.slice(span.clone()).to_owned(),
                    span: span.clone(),
                    pieces: Vec::new(),
                },
                span,
            });
        }
        let text = region.source.slice(span.clone());
        let skip = name.len() + usize::from(assignment.append) + 1;
        let value_span = (span.start + skip).min(span.end)..span.end;
        if !text.starts_with(&name) {
            self.distrust(span.clone(), "an assignment is not where the parser says");
        }
        let value = word::read(self, region, value_span, Mode::Assignment, depth)?;
        Ok(Assign {
            name,
            append: assignment.append,
            compound: false,
            value,
            span,
        })
    }

    pub(super) fn redirects(
        &mut self,
        region: &Region<'_, '_>,
        redirects: Option<ast::RedirectList>,
        depth: usize,
    ) -> Result<Vec<Redirection>, Refusal> {
        let mut result = Vec::new();
        for redirect in redirects.map(|list| list.0).unwrap_or_default() {
            result.extend(self.redirect(region, redirect, depth)?);
        }
        Ok(result)
    }

    fn redirect(
        &mut self,
        region: &Region<'_, '_>,
        redirect: ast::IoRedirect,
        depth: usize,
    ) -> Result<Option<Redirection>, Refusal> {
        use ast::{IoFileRedirectKind as Kind, IoFileRedirectTarget as Target};
        Ok(Some(match redirect {
            ast::IoRedirect::OutputAndError(word, append) => Redirection::File {
                operator: if append {
                    RedirectOperator::AppendOutputAndError
                } else {
                    RedirectOperator::OutputAndError
                },
                stdout: true,
                target: self.word(region, &word, depth)?,
            },
            ast::IoRedirect::HereString(_, word) => {
                Redirection::Text(self.word(region, &word, depth)?)
            }
            ast::IoRedirect::HereDocument(_, document) => {
                let delimiter = span_of(region, document.here_end.loc.as_ref());
                if region.source.slice(delimiter.clone()) != document.here_end.value {
                    self.distrust(delimiter, "the end of a here-document is written oddly");
                }
                if document.requires_expansion && document.doc.value.contains("\\\n") {
                    // Bash joins the lines before it looks for the end: `EO\` and `F`
                    // end a document at `EOF`, and what follows are commands.
                    self.distrust(
                        bytes_of(region, document.doc.loc.as_ref()),
                        "a continued line in a here-document",
                    );
                }
                if !document.requires_expansion {
                    // Kept for what may run it as a script.
                    let start = bytes_of(region, document.doc.loc.as_ref()).start;
                    return Ok(Some(Redirection::Text(Word {
                        raw: document.doc.value.clone(),
                        span: start..start + document.doc.value.len(),
                        pieces: vec![Piece::Literal {
                            text: document.doc.value,
                            quoted: true,
                        }],
                    })));
                }
                let start = bytes_of(region, document.doc.loc.as_ref()).start;
                let mut span = start..start + document.doc.value.len();
                // `<<-` takes the tabs before each line away.
                let written = bytes_of(region, document.doc.loc.as_ref());
                let lines = document.doc.value.split_inclusive('\n');
                let raw = region.source.slice(written).split_inclusive('\n');
                let raw: Vec<&str> = raw.take(lines.clone().count()).collect();
                let tabs = document.remove_tabs
                    && raw
                        .iter()
                        .map(|line| line.trim_start_matches('\t'))
                        .eq(lines);
                if tabs {
                    span.end = start + raw.iter().map(|line| line.len()).sum::<usize>();
                }
                let has_expansion = document.doc.value.contains(['$', '`', '\\']);
                if has_expansion && !tabs && region.source.slice(span.clone()) != document.doc.value
                {
                    self.distrust(span.clone(), "a here-document is not where the parser says");
                }
                Redirection::Text(word::read(self, region, span, Mode::Document, depth)?)
            }
            ast::IoRedirect::File(descriptor, kind, target) => {
                let operator = match kind {
                    Kind::Read | Kind::DuplicateInput => RedirectOperator::Read,
                    Kind::Write => RedirectOperator::Write,
                    Kind::Append => RedirectOperator::Append,
                    Kind::ReadAndWrite => RedirectOperator::ReadAndWrite,
                    Kind::Clobber => RedirectOperator::Clobber,
                    Kind::DuplicateOutput => RedirectOperator::OutputAndError,
                };
                let output =
                    !matches!(kind, Kind::Read | Kind::DuplicateInput | Kind::ReadAndWrite);
                let stdout = descriptor.map_or(output, |descriptor| descriptor == 1);
                match target {
                    Target::Filename(word) => Redirection::File {
                        operator,
                        stdout,
                        target: self.word(region, &word, depth)?,
                    },
                    Target::Duplicate(word) => {
                        let target = self.word(region, &word, depth)?;
                        if is_descriptor(&target.raw) {
                            Redirection::Duplicate { stdout, target }
                        } else {
                            Redirection::File {
                                operator,
                                stdout: true,
                                target,
                            }
                        }
                    }
                    Target::ProcessSubstitution(_, subshell) => {
                        Redirection::Text(self.process_word(region, subshell, depth)?)
                    }
                    Target::Fd(_) => return Ok(None),
                }
            }
        }))
    }

    pub(super) fn words(
        &mut self,
        region: &Region<'_, '_>,
        words: Vec<ast::Word>,
        depth: usize,
    ) -> Result<Vec<Word>, Refusal> {
        words
            .iter()
            .map(|word| self.word(region, word, depth))
            .collect()
    }

    pub(super) fn word(
        &mut self,
        region: &Region<'_, '_>,
        word: &ast::Word,
        depth: usize,
    ) -> Result<Word, Refusal> {
        let span = span_of(region, word.loc.as_ref());
        // Continued lines are gone from the value.
        let text = region.source.slice(span.clone());
        if text != word.value && text.replace("\\\n", "") != word.value {
            self.distrust(span.clone(), "a word is not where the parser says");
        }
        word::read(self, region, span, Mode::Word, depth)
    }
}

fn parse_region(text: &str, span: Range<usize>) -> Result<ast::Program, Refusal> {
    let not_parsed =
        |message: String| Refusal::new(ReasonCode::NotUnderstood, span.clone(), message);
    // The parser is other people's code: a panic in it must not be ours.
    let parsed = std::panic::catch_unwind(|| {
        let tokens = brush_parser::uncached_tokenize_str(
            text,
            &TokenizerOptions {
                enable_extended_globbing: true,
                posix_mode: false,
                sh_mode: false,
            },
        )
        .map_err(|error| not_parsed(format!("the command cannot be read: {error}")))?;
        if tokens.len() > limits::TOKENS || is_exponential(&tokens) {
            return Err(Refusal::new(
                ReasonCode::Limit,
                span.clone(),
                "the command has too many words to be analysed",
            ));
        }
        brush_parser::parse_tokens(&tokens, &ParserOptions::default())
            .map_err(|error| not_parsed(format!("the command cannot be parsed: {error}")))
    });
    parsed.unwrap_or_else(|_| Err(not_parsed("the command cannot be parsed".to_owned())))
}

/// Two parentheses together make the parser try every group below as arithmetic first.
fn is_exponential(tokens: &[Token]) -> bool {
    let is_open = |token: &Token| matches!(token, Token::Operator(text, _) if text == "(");
    let double = tokens
        .windows(2)
        .any(|pair| is_open(&pair[0]) && is_open(&pair[1]));
    double && tokens.iter().filter(|token| is_open(token)).count() > limits::PARENTHESES_WITH_DOUBLE
}

/// The bytes of a token. Its location may begin at blanks or a continued line before it.
pub(super) fn span_of(region: &Region<'_, '_>, location: Option<&SourceSpan>) -> Range<usize> {
    let mut span = bytes_of(region, location);
    loop {
        let text = region.source.slice(span.clone());
        let skip = if text.starts_with("\\\n") {
            2
        } else if text.starts_with([' ', '\t', '\n']) {
            1
        } else {
            return span;
        };
        span.start += skip;
    }
}

fn bytes_of(region: &Region<'_, '_>, location: Option<&SourceSpan>) -> Range<usize> {
    match location {
        None => region.start..region.start,
        Some(location) => region.byte(location.start.index)..region.byte(location.end.index),
    }
}

/// `1`, `2-`, `-`: what follows `>&` without naming a file.
fn is_descriptor(raw: &str) -> bool {
    let digits = raw.strip_suffix('-').unwrap_or(raw);
    digits.bytes().all(|byte| byte.is_ascii_digit()) && !raw.is_empty()
}
