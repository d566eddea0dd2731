import { createContext, type JSX, type ReactNode, useContext } from "react";
import { useStore } from "zustand";
import type { Adroit } from "../store/adroit.ts";
import type { UiState } from "../store/state.ts";

const Context = createContext<Adroit | null>(null);

/** Gives the views the app. */
export function AdroitProvider(props: { adroit: Adroit; children: ReactNode }): JSX.Element {
  return <Context value={props.adroit}>{props.children}</Context>;
}

/** The app: its state and what can be done with it. */
export function useAdroit(): Adroit {
  const adroit = useContext(Context);
  if (adroit === null) {
    throw new Error("A view was rendered outside of an AdroitProvider.");
  }
  return adroit;
}

/** A part of the state; the view renders again only when that part is another. */
export function useUi<T>(selector: (state: UiState) => T): T {
  return useStore(useAdroit().store, selector);
}
