// What is shown if a page breaks: the rest of the console continues.
import { Component, type ReactNode } from "react";
import { Failed } from "./states.tsx";

interface Props {
  children: ReactNode;
  /** Where this changes, the page gets another chance: the address. */
  resetBy?: string;
}

/** Catches what is thrown while its children are drawn. */
export class ErrorBoundary extends Component<Props, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidUpdate(before: Props) {
    if (this.state.error && before.resetBy !== this.props.resetBy) this.setState({ error: null });
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <Failed
        error={new Error("This page has broken", { cause: error })}
        retry={() => window.location.reload()}
      />
    );
  }
}
