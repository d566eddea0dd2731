import type { LanguageDescription } from "@codemirror/language";
import type { Parser } from "@lezer/common";
import { classHighlighter, highlightTree } from "@lezer/highlight";
import { useEffect, useMemo, useState } from "react";
import type { Styled } from "../shared/ranges.ts";

/** Longer texts are shown without colours: they would hold up the window. UTF-16 units. */
const LONGEST = 200_000;

const loaded = new Map<string, Parser | null>();

/** The language of a file name, an extension or a language's name. The table loads on first use. */
async function findLanguage(hint: string): Promise<LanguageDescription | null> {
  const [{ LanguageDescription }, { languages }] = await Promise.all([
    import("@codemirror/language"),
    import("@codemirror/language-data"),
  ]);
  const name = hint.split("/").at(-1) ?? hint;
  return (
    LanguageDescription.matchFilename(languages, name) ??
    LanguageDescription.matchFilename(languages, `x.${name.replace(/^\./, "")}`) ??
    LanguageDescription.matchLanguageName(languages, name, false)
  );
}

async function loadParser(hint: string): Promise<void> {
  const description = await findLanguage(hint);
  const support = await description?.load();
  loaded.set(hint, support?.language.parser ?? null);
}

/** Colours of a text. */
export function highlight(parser: Parser, text: string): Styled[] {
  const styled: Styled[] = [];
  highlightTree(parser.parse(text), classHighlighter, (from, to, className) => {
    styled.push({ from, to, className });
  });
  return styled;
}

/** The parser of a language; null while it loads, and where there is none. */
export function useParser(hint: string | undefined): Parser | null {
  const [, renew] = useState(0);
  useEffect(() => {
    if (hint === undefined || loaded.has(hint)) {
      return;
    }
    let wanted = true;
    loadParser(hint).then(
      () => wanted && renew((n) => n + 1),
      // Without its language a text is merely uncoloured.
      () => loaded.set(hint, null),
    );
    return () => {
      wanted = false;
    };
  }, [hint]);
  return hint === undefined ? null : (loaded.get(hint) ?? null);
}

/** Colours of a text in a language; none until the language is there. */
export function useHighlight(text: string, hint: string | undefined): Styled[] {
  const parser = useParser(text.length <= LONGEST ? hint : undefined);
  return useMemo(() => (parser === null ? [] : highlight(parser, text)), [parser, text]);
}

/** The stretches of a whole text as stretches of each of its lines. */
export function styledByLine(lines: readonly string[], styled: readonly Styled[]): Styled[][] {
  const result: Styled[][] = [];
  let start = 0;
  let at = 0;
  for (const line of lines) {
    const end = start + line.length;
    const own: Styled[] = [];
    while (at < styled.length && (styled[at]?.to ?? 0) <= start) {
      at += 1;
    }
    for (let index = at; index < styled.length; index += 1) {
      const one = styled[index];
      if (one === undefined || one.from >= end) {
        break;
      }
      own.push({
        from: Math.max(0, one.from - start),
        to: Math.min(line.length, one.to - start),
        className: one.className,
      });
    }
    result.push(own);
    start = end + 1;
  }
  return result;
}
