// The question before something that cannot be taken back.
import { Button, Group, Modal, Text, TextInput } from "@mantine/core";
import { type ReactNode, useId, useState, useSyncExternalStore } from "react";
import { FormError } from "./form.tsx";

/** What is about to happen. */
interface Question {
  /** `Delete 3 contacts?` */
  title: string;
  /** What it touches, with the counts, and what stays. */
  children: ReactNode;
  /** The word on the button: `Delete`. */
  action: string;
  /** What has to be typed first, for what takes a lot along: the name of the thing. */
  typed?: string;
  /** Does it. The dialog stays open, with the reason, where it is refused. */
  act: () => Promise<unknown>;
}

let asked: Question | null = null;
const listeners = new Set<() => void>();

function show(question: Question | null): void {
  asked = question;
  for (const listener of listeners) listener();
}

/** Asks before something is destroyed: `confirm({ title: "Delete 3 contacts?", children: …, action: "Delete", act })`. */
export const confirm = (question: Question) => show(question);

/** Where the questions are shown. Stands once, around everything. */
export function Confirmations() {
  const question = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => asked,
  );
  return (
    <Modal opened={question !== null} onClose={() => show(null)} title={question?.title} zIndex={400}>
      {question && <Asked key={question.title} question={question} />}
    </Modal>
  );
}

function Asked({ question: { children, action, typed, act } }: { question: Question }) {
  const [word, setWord] = useState("");
  const [isActing, setActing] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const hint = useId();
  const isReady = typed === undefined || word.trim() === typed;
  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    if (!isReady || isActing) return;
    setActing(true);
    try {
      await act();
      show(null);
    } catch (refusal) {
      setError(refusal);
      setActing(false);
    }
  };
  return (
    <form onSubmit={submit}>
      <Text component="div" size="sm" id={hint}>
        {children}
      </Text>
      {typed !== undefined && (
        <TextInput
          mt="md"
          label={`Type “${typed}” to go on`}
          value={word}
          onChange={(event) => setWord(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
      )}
      <FormError error={error} />
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button
          variant="default"
          onClick={() => show(null)}
          data-autofocus={typed === undefined || undefined}
        >
          Cancel
        </Button>
        <Button type="submit" color="red" loading={isActing} disabled={!isReady}>
          {action}
        </Button>
      </Group>
    </form>
  );
}
