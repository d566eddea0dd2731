//! Compound commands and tests of the first parser's tree.

use brush_parser::ast;

use super::Refusal;
use super::primary::{Converter, span_of};
use super::source::Region;
use super::tree::{Compound, CompoundKind, List, Piece, TestKind, TestTerm, Word};

impl Converter {
    pub(super) fn compound(
        &mut self,
        region: &Region<'_, '_>,
        compound: ast::CompoundCommand,
        redirects: Option<ast::RedirectList>,
        depth: usize,
    ) -> Result<Compound, Refusal> {
        use ast::SourceLocation as _;
        let span = span_of(region, compound.location().as_ref());
        let next = depth + 1;
        let kind = match compound {
            ast::CompoundCommand::BraceGroup(group) => {
                CompoundKind::Group(self.list(region, group.list, next)?)
            }
            ast::CompoundCommand::Subshell(subshell) => {
                CompoundKind::Subshell(self.list(region, subshell.list, next)?)
            }
            ast::CompoundCommand::ForClause(clause) => CompoundKind::For {
                variable: clause.variable_name,
                values: match clause.values {
                    None => None,
                    Some(words) => Some(self.words(region, words, depth)?),
                },
                body: self.list(region, clause.body.list, next)?,
            },
            ast::CompoundCommand::WhileClause(ast::WhileOrUntilClauseCommand(
                condition,
                body,
                _,
            )) => CompoundKind::Loop {
                condition: self.list(region, condition, next)?,
                until: false,
                body: self.list(region, body.list, next)?,
            },
            ast::CompoundCommand::UntilClause(ast::WhileOrUntilClauseCommand(
                condition,
                body,
                _,
            )) => CompoundKind::Loop {
                condition: self.list(region, condition, next)?,
                until: true,
                body: self.list(region, body.list, next)?,
            },
            ast::CompoundCommand::IfClause(clause) => {
                let condition = self.list(region, clause.condition, next)?;
                let then = self.list(region, clause.then, next)?;
                let mut others = Vec::new();
                for other in clause.elses.unwrap_or_default() {
                    let condition = match other.condition {
                        None => None,
                        Some(condition) => Some(self.list(region, condition, next)?),
                    };
                    others.push((condition, self.list(region, other.body, next)?));
                }
                CompoundKind::If {
                    condition,
                    then,
                    others,
                }
            }
            ast::CompoundCommand::CaseClause(clause) => {
                let value = self.word(region, &clause.value, depth)?;
                let mut arms = Vec::new();
                for case in clause.cases {
                    let patterns = self.words(region, case.patterns, depth)?;
                    let body = match case.cmd {
                        None => List::default(),
                        Some(list) => self.list(region, list, next)?,
                    };
                    arms.push((patterns, body));
                }
                CompoundKind::Case { value, arms }
            }
            ast::CompoundCommand::Arithmetic(arithmetic) => CompoundKind::Arithmetic {
                expressions: vec![arithmetic.expr.value],
                body: None,
            },
            ast::CompoundCommand::ArithmeticForClause(clause) => CompoundKind::Arithmetic {
                expressions: [clause.initializer, clause.condition, clause.updater]
                    .into_iter()
                    .flatten()
                    .map(|expression| expression.value)
                    .collect(),
                body: Some(self.list(region, clause.body.list, next)?),
            },
            ast::CompoundCommand::Coprocess(coprocess) => {
                CompoundKind::Coprocess(self.command(region, *coprocess.body, next)?)
            }
        };
        Ok(Compound {
            kind,
            redirects: self.redirects(region, redirects, depth)?,
            span,
        })
    }

    pub(super) fn test(
        &mut self,
        region: &Region<'_, '_>,
        expression: ast::ExtendedTestExpr,
        depth: usize,
        terms: &mut Vec<TestTerm>,
    ) -> Result<(), Refusal> {
        use ast::ExtendedTestExpr as Expr;
        match expression {
            Expr::And(left, right) | Expr::Or(left, right) => {
                self.test(region, *left, depth, terms)?;
                self.test(region, *right, depth, terms)?;
            }
            Expr::Not(inner) | Expr::Parenthesized(inner) => {
                self.test(region, *inner, depth, terms)?;
            }
            Expr::UnaryTest(predicate, word) => {
                let operand = self.word(region, &word, depth)?;
                terms.push(TestTerm {
                    kind: unary_kind(&predicate),
                    operands: vec![operand],
                });
            }
            Expr::BinaryTest(predicate, left, right) => {
                let kind = binary_kind(&predicate);
                let right = if matches!(
                    predicate,
                    ast::BinaryPredicate::StringMatchesRegex
                        | ast::BinaryPredicate::StringContainsSubstring
                ) {
                    // A regular expression has parentheses and bars of its own,
                    // and its place in the text is not kept.
                    if expands(&right.value) {
                        self.distrust(
                            region.start..region.start + region.text.len(),
                            "a regular expression with expansions or quotes",
                        );
                    }
                    Word {
                        raw: right.value.clone(),
                        span: 0..0,
                        pieces: vec![Piece::Literal {
                            text: right.value,
                            quoted: true,
                        }],
                    }
                } else {
                    self.word(region, &right, depth)?
                };
                let left = self.word(region, &left, depth)?;
                terms.push(TestTerm {
                    kind,
                    operands: vec![left, right],
                });
            }
        }
        Ok(())
    }
}

/// Whether an unquoted regular expression holds quotes or expansions. A `$`
/// before a bar, a parenthesis or the end is an anchor.
fn expands(regex: &str) -> bool {
    let bytes = regex.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| match byte {
        b'`' | b'"' | b'\'' => true,
        b'$' => !matches!(bytes.get(at + 1), None | Some(b'|' | b')' | b' ')),
        _ => false,
    })
}

fn unary_kind(predicate: &ast::UnaryPredicate) -> TestKind {
    use ast::UnaryPredicate as P;
    match predicate {
        P::ShellVariableIsSetAndAssigned | P::ShellVariableIsSetAndNameRef => TestKind::Variable,
        P::StringHasZeroLength
        | P::StringHasNonZeroLength
        | P::ShellOptionEnabled
        | P::FdIsOpenTerminal => TestKind::Text,
        _ => TestKind::File,
    }
}

fn binary_kind(predicate: &ast::BinaryPredicate) -> TestKind {
    use ast::BinaryPredicate as P;
    match predicate {
        P::FilesReferToSameDeviceAndInodeNumbers
        | P::LeftFileIsNewerOrExistsWhenRightDoesNot
        | P::LeftFileIsOlderOrDoesNotExistWhenRightDoes => TestKind::File,
        P::ArithmeticEqualTo
        | P::ArithmeticNotEqualTo
        | P::ArithmeticLessThan
        | P::ArithmeticLessThanOrEqualTo
        | P::ArithmeticGreaterThan
        | P::ArithmeticGreaterThanOrEqualTo => TestKind::Arithmetic,
        _ => TestKind::Text,
    }
}
