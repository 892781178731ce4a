// What a project may use in a month, and what it has used, where nothing is billed.
import { PageHeader } from "../parts/page_header.tsx";
import { Sections } from "../parts/section.tsx";
import { Usage } from "../parts/usage.tsx";

/** `/limits`. */
export default function LimitsPage() {
  return (
    <>
      <PageHeader
        title="Limits"
        about="How much mail this project may send and take in a month. Nothing is billed here: a limit keeps a mistake from becoming large."
      />
      <Sections>
        <Usage />
      </Sections>
    </>
  );
}
