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
  /** How diffs are laid out; chosen in the diff itself where this is absent. */
  layout?: DiffLayout;
}

/** A place for diffs outside of the transcript. */
export function BlocksHere({ children, review, layout }: Props): JSX.Element {
  const { openLink, places } = useAdroit();
  const [chosen, setDiffLayout] = useState<DiffLayout>("unified");
  const diffLayout = layout ?? chosen;
  const context = useMemo<BlockContext>(
    () => ({
      openLink,
      openPlace: (path, line) => void places.show(path, line),
      showTerminal: () => undefined,
      typeInto: () => undefined,
      showSession: () => undefined,
      showWhole: () => undefined,
      lineLimit: LINES,
      diffLayout,
      setDiffLayout,
      ...(review === undefined ? {} : { review }),
    }),
    [openLink, places, diffLayout, review],
  );
  return <BlockContextProvider value={context}>{children}</BlockContextProvider>;
}
