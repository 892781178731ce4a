// An address that leads nowhere: never was, or is no more.
import { Button } from "@mantine/core";
import { SearchIcon } from "../parts/icons.tsx";
import { useTitle } from "../parts/page_header.tsx";
import { Empty } from "../parts/states.tsx";
import { APP } from "../place.ts";

export default function NotFoundPage() {
  useTitle("Nothing is here");
  return (
    <Empty
      icon={SearchIcon}
      title="Nothing is here"
      action={
        <Button component="a" href={APP} variant="default">
          To the overview
        </Button>
      }
    >
      The address is wrong, what was here is gone, or it belongs to a project that you are not a member of.
    </Empty>
  );
}
