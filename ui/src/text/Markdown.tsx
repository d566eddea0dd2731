import type { Token } from "markdown-it";
import { createElement, type JSX, memo, type ReactNode, useMemo, useRef } from "react";
import remend from "remend";
import { safeNodes } from "../shared/SafeText.tsx";
import { type MarkdownPart, MarkdownStream, parseMarkdown } from "./blocks.ts";
import { CodeFence } from "./CodeFence.tsx";
import styles from "./Markdown.module.css";

interface Props {
  /** The source. */
  text: string;
  /** True while it still comes: what is half written in the last block is closed. */
  streaming?: boolean;
  /** Opens an address outside of the app. */
  onLink: (address: string) => void;
}

/** Markdown as React nodes: tokens in, elements out, never HTML. */
export function Markdown({ text, streaming = false, onLink }: Props): JSX.Element {
  const stream = useRef<MarkdownStream>(null);
  stream.current ??= new MarkdownStream();
  const parts = stream.current.parts(text);
  return (
    <div className={styles.markdown}>
      {parts.map((part, index) => (
        <Part
          key={index}
          part={part}
          open={streaming && index === parts.length - 1}
          onLink={onLink}
        />
      ))}
    </div>
  );
}

interface PartProps {
  part: MarkdownPart;
  open: boolean;
  onLink: (address: string) => void;
}

const Part = memo(function Part({ part, open, onLink }: PartProps): JSX.Element {
  const nodes = useMemo(() => {
    const tokens = open ? parseMarkdown(remend(part.source)) : part.tokens;
    return renderTokens(tokens, { onLink, open });
  }, [part, open, onLink]);
  return <>{nodes}</>;
});

interface RenderContext {
  onLink: (address: string) => void;
  open: boolean;
}

/** Reads tokens until `until` tokens deep elements close; gives their nodes. */
function renderTokens(tokens: readonly Token[], context: RenderContext): ReactNode[] {
  const stack: { token: Token | null; children: ReactNode[] }[] = [{ token: null, children: [] }];
  tokens.forEach((token, index) => {
    const top = stack[stack.length - 1];
    if (top === undefined) {
      return;
    }
    if (token.nesting === 1) {
      stack.push({ token, children: [] });
    } else if (token.nesting === -1) {
      const closed = stack.pop();
      const parent = stack[stack.length - 1];
      if (closed?.token && parent !== undefined) {
        parent.children.push(renderElement(closed.token, closed.children, index, context));
      }
    } else {
      top.children.push(renderLeaf(token, index, context));
    }
  });
  return stack[0]?.children ?? [];
}

/** Elements that tokens may open. Any other tag is shown by its content alone. */
const ELEMENTS = new Set([
  ..."h1 h2 h3 h4 h5 h6 p ul ol li blockquote em strong s".split(" "),
  ..."table thead tbody tr th td".split(" "),
]);

function renderElement(
  token: Token,
  children: ReactNode[],
  key: number,
  context: RenderContext,
): ReactNode {
  if (token.hidden) {
    return <span key={key}>{children}</span>;
  }
  if (token.tag === "a") {
    const isBare = token.info === "auto";
    const address = attribute(token, "href");
    return <Link key={key} address={address} context={context} text={children} isBare={isBare} />;
  }
  if (!ELEMENTS.has(token.tag)) {
    return <span key={key}>{children}</span>;
  }
  if (token.tag === "table") {
    return (
      <div key={key} className={styles.table}>
        <table>{children}</table>
      </div>
    );
  }
  const start = token.tag === "ol" ? token.attrGet("start") : null;
  const align = /text-align:\s*(left|center|right)/.exec(attribute(token, "style"))?.[1];
  return createElement(
    headingTag(token.tag),
    {
      key,
      ...(start === null ? {} : { start: Number(start) }),
      ...(align === undefined ? {} : { style: { textAlign: align } }),
    },
    ...children,
  );
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? "");
}

/** A message's headings stand below those of the app, which has a first and second level. */
function headingTag(tag: string): string {
  const level = /^h([1-6])$/.exec(tag)?.[1];
  return level === undefined ? tag : `h${Math.min(6, Number(level) + 2)}`;
}

function renderLeaf(token: Token, key: number, context: RenderContext): ReactNode {
  switch (token.type) {
    case "inline":
      return <span key={key}>{renderTokens(token.children ?? [], context)}</span>;
    case "text":
      return <span key={key}>{safeNodes(token.content, "prose")}</span>;
    case "code_inline":
      return <code key={key}>{safeNodes(token.content, "block")}</code>;
    case "fence":
    case "code_block":
      return (
        <CodeFence
          key={key}
          text={token.content.replace(/\n$/, "")}
          language={token.info.trim().split(/\s+/)[0] ?? ""}
        />
      );
    case "softbreak":
      return "\n";
    case "hardbreak":
      return <br key={key} />;
    case "hr":
      return <hr key={key} />;
    case "image":
      // Nothing is loaded from an address that a model wrote; its description is shown.
      return (
        <Link
          key={key}
          address={attribute(token, "src")}
          context={context}
          text={token.content === "" ? "image" : token.content}
        />
      );
    default:
      return <span key={key}>{safeNodes(token.content, "prose")}</span>;
  }
}

interface LinkProps {
  address: string;
  text: ReactNode;
  /** True where the text is the address itself. */
  isBare?: boolean;
  context: RenderContext;
}

/** A link that shows where it goes, and opens outside of the app. */
function Link({ address, text, context, isBare = false }: LinkProps): JSX.Element {
  if (!/^(https?:|mailto:)/i.test(address)) {
    return <span>{text}</span>;
  }
  const host = /^https?:\/\/([^/?#]*)/i.exec(address)?.[1];
  return (
    <a
      href={address}
      title={address}
      rel="noreferrer"
      onClick={(event) => {
        event.preventDefault();
        context.onLink(address);
      }}
      onAuxClick={(event) => event.preventDefault()}
    >
      {text}
      {host === undefined || isBare ? null : (
        <small className={styles.host}> {safeNodes(host, "line")}</small>
      )}
    </a>
  );
}
