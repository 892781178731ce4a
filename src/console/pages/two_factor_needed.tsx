// In place of a project whose owner lets nobody in without two-factor log-in.
import { Link } from "wouter";
import { Letter } from "../parts/letter.tsx";
import { GoOn } from "../parts/letter_form.tsx";
import { APP, placeOf } from "../place.ts";
import { useProjects } from "../session.ts";

/** Leads to setting it up; the way back is there. */
export default function TwoFactorNeededPage({ project }: { project: string }) {
  const { data: projects = [] } = useProjects();
  const other = projects.find(({ requiresTwoFactor }) => !requiresTwoFactor);
  return (
    <Letter
      title={`${project} asks for two-factor log-in`}
      about="Its owner requires a second step at log-in: a code from an app, or a passkey. Setting it up takes two minutes."
      aside={other && <Link href={`~${placeOf(other.id)}`}>Go to {other.name} instead</Link>}
    >
      <GoOn to={`~${APP}/account#two-factor`}>Set it up</GoOn>
    </Letter>
  );
}
