// The question before something that cannot be taken back.
import { Button, Group, Modal, Text, TextInput } from "@mantine/core";
import { useEffect, useId, useState } from "react";
import { useLocation } from "wouter";
import { bringFocusBack } from "./focus.ts";
import { FormError } from "./form.tsx";
import { ask, type Question, useQuestion } from "./question.ts";

export { confirm } from "./question.ts";

/** Where the questions are shown. Stands once, around everything. */
export function Confirmations() {
  const question = useQuestion();
  const [path] = useLocation();
  // What is asked is about the page: it goes with it, as by the back button.
  useEffect(() => {
    if (question && question.at !== window.location.pathname) ask(null);
  }, [question, path]);
  // After all that listen to the same Escape: a dialog behind this one would take it as meant for itself.
  const close = () => void setTimeout(() => ask(null));
  return (
    <Modal
      opened={question !== null}
      onClose={close}
      onExitTransitionEnd={bringFocusBack}
      title={question?.title}
      zIndex={400}
    >
      {question && <Asked key={question.title} question={question} />}
    </Modal>
  );
}

function Asked({ question }: { question: Question }) {
  const { children, action, typed, act } = question;
  const { stay = action === undefined ? "Close" : "Cancel", isDestructive = true } = question;
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
      await act?.();
      ask(null);
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
          label={`Type “${typed}” to continue`}
          value={word}
          onChange={(event) => setWord(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
      )}
      <FormError error={error} />
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={() => ask(null)} data-autofocus={typed === undefined || undefined}>
          {stay}
        </Button>
        {action !== undefined && (
          <Button
            type="submit"
            {...(isDestructive && { color: "red" })}
            loading={isActing}
            disabled={!isReady}
          >
            {action}
          </Button>
        )}
      </Group>
    </form>
  );
}
