import { Component, type ErrorInfo, type ReactNode } from "react";
import { Button } from "../../shared/Button.tsx";
import styles from "./App.module.css";

interface Props {
  children: ReactNode;
}

interface State {
  error: Error | null;
}

/** Shows a fault of the views themselves. The backend goes on: a reload brings everything back. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override componentDidCatch(error: Error, info: ErrorInfo): void {
    console.error("A view failed.", error, info.componentStack);
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) {
      return this.props.children;
    }
    return (
      <main className={styles.centre} role="alert">
        <h1 className={styles.title}>The window could not be drawn</h1>
        <p>{error.message}</p>
        <p className={styles.waiting}>
          Nothing is lost: the agent, your sessions and open requests live outside of this window.
        </p>
        <Button look="primary" onPress={() => window.location.reload()}>
          Reload the window
        </Button>
      </main>
    );
  }
}
