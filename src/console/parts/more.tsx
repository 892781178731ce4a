// The end of a list that continues: a button that shows more of it.
import { Button } from "@mantine/core";

interface Props {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  /** `Older mails`. */
  children: string;
}

/** The button, if there is more. */
export function More({ query: { hasNextPage, isFetchingNextPage, fetchNextPage }, children }: Props) {
  if (!hasNextPage) return null;
  return (
    <Button
      variant="default"
      size="xs"
      mt="md"
      loading={isFetchingNextPage}
      onClick={() => void fetchNextPage()}
    >
      {children}
    </Button>
  );
}
