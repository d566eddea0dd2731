import { type JSX, type ReactNode, useMemo, useState } from "react";
import {
  type BlockContext,
  BlockContextProvider,
  type DiffLayout,
  type DiffReview,
} from "../../blocks/context.ts";
import { useAdroit } from "../adroit.tsx";

/** Lines of a diff that show before it folds. */
const LINES = 400;

interface Props {
  /** The blocks. */
  children: ReactNode;
  /** Where the diff is looked through. */
  review?: DiffReview;
  /** Lines that show before a diff folds. */
  lines?: number;
}

/** A place for diffs outside of the transcript. */
export function BlocksHere({ children, review, lines = LINES }: Props): JSX.Element {
  const { openLink, places } = useAdroit();
  const [diffLayout, setDiffLayout] = useState<DiffLayout>("unified");
  const context = useMemo<BlockContext>(
    () => ({
      openLink,
      openPlace: (path, line) => void places.show(path, line),
      showTerminal: () => undefined,
      typeInto: () => undefined,
      showSession: () => undefined,
      showWhole: () => undefined,
      lineLimit: lines,
      diffLayout,
      setDiffLayout,
      ...(review === undefined ? {} : { review }),
    }),
    [openLink, places, diffLayout, review, lines],
  );
  return <BlockContextProvider value={context}>{children}</BlockContextProvider>;
}
