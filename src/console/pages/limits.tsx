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
        about="How much mail this project may send and take in a month. Nothing is billed here: limits keep mistakes small."
      />
      <Sections>
        <Usage />
      </Sections>
    </>
  );
}
