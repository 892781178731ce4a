// What a template was: who changed it when and how, and the way back.
import { RestoreVersion } from "../../parts/edits/restore.tsx";
import { SegmentedControl } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { ListedTemplateVersion, TemplateVersion } from "../../api.gen.ts";
import { callForVersion } from "../../api.ts";
import { changedIn } from "../../parts/edits/edited.ts";
import { FieldDifferences } from "../../parts/edits/field_differences.tsx";
import { lazyPage } from "../../parts/lazy_page.tsx";
import { Failed, Loaded, SkeletonLines } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useProjectId, useUrlState } from "../../place.ts";
import { readAgain, useApi } from "../../queries.ts";
import { type Stored, TEMPLATE } from "./kind.ts";
import classes from "./template.module.css";
import { wordsOf } from "./words.ts";

const Difference = lazyPage(() => import("../../parts/code/difference.tsx"), <SkeletonLines />);

interface Props {
  stored: Stored;
  /** Whether something is written that is not saved. */
  isUnsaved: boolean;
  /** Shows what was restored. */
  restored: (stored: Stored) => void;
}

/** The list, and what one of them has changed. */
export function Versions({ stored, isUnsaved, restored }: Props) {
  const { id } = stored.answer;
  const versions = useApi("GET /templates/{id}/versions", { path: { id } });
  const [{ version, against }, set] = useUrlState({ version: "", against: "before" });
  return (
    <Loaded query={versions}>
      {(all) => {
        const chosen = all.find((one) => String(one.version) === version) ?? all[0]!;
        const at = all.indexOf(chosen);
        const other = against === "now" ? all[0]! : all[at + 1];
        return (
          <div className={classes.versions}>
            <ol className={classes.versionList} aria-label="Versions">
              {all.map((one, n) => (
                <li key={one.version}>
                  <Version
                    version={one}
                    isNow={n === 0}
                    isChosen={one === chosen}
                    choose={() => set({ version: String(one.version) }, { replace: true })}
                  />
                </li>
              ))}
            </ol>
            <div className={classes.versionShown}>
              <div className={classes.bar} hidden={at === 0}>
                <SegmentedControl
                  size="xs"
                  aria-label="Compare"
                  data={[
                    { value: "before", label: "What it changed" },
                    { value: "now", label: "Compared with now" },
                  ]}
                  value={against === "now" ? "now" : "before"}
                  onChange={(next) => set({ against: next }, { replace: true })}
                />
                {at > 0 && (
                  <Restore
                    stored={stored}
                    version={chosen.version}
                    newest={all[0]!.version}
                    isUnsaved={isUnsaved}
                    restored={restored}
                  />
                )}
              </div>
              <Compared
                id={id}
                version={chosen}
                other={at === 0 && against === "now" ? all[1] : other}
                isNow={against === "now" && at > 0}
              />
            </div>
          </div>
        );
      }}
    </Loaded>
  );
}

interface VersionProps {
  version: ListedTemplateVersion;
  isNow: boolean;
  isChosen: boolean;
  choose: () => void;
}

function Version({ version: { version, createdAt, createdBy }, isNow, isChosen, choose }: VersionProps) {
  return (
    <button
      type="button"
      className={classes.versionButton}
      aria-current={isChosen || undefined}
      onClick={choose}
    >
      <span className={classes.versionName}>
        Version {version}
        {isNow && " · now"}
      </span>
      <span className={classes.faded}>
        <Time at={createdAt} />
        {createdBy && `, ${createdBy}`}
      </span>
    </button>
  );
}

interface ComparedProps {
  id: string;
  version: ListedTemplateVersion;
  other: ListedTemplateVersion | undefined;
  /** The other is what it is now: then it is the later one. */
  isNow: boolean;
}

function Compared({ id, version, other, isNow }: ComparedProps) {
  const one = useVersion(id, version.version);
  const two = useVersion(id, other?.version);
  if (one.isError) return <Failed error={one.error} retry={one.refetch} />;
  if (two.isError) return <Failed error={two.error} retry={two.refetch} />;
  if (!one.data || (other && !two.data)) return <SkeletonLines count={6} />;
  if (!two.data) return <p className={classes.plain}>This is the oldest version that is kept.</p>;
  return isNow ? (
    <Differences before={one.data} after={two.data} titles={[`Version ${version.version}`, "Now"]} />
  ) : (
    <Differences before={two.data} after={one.data} titles={["Before", `Version ${version.version}`]} />
  );
}

/** A version never changes. */
function useVersion(id: string, version: number | undefined) {
  const path = { id, version: String(version) };
  return useApi(
    "GET /templates/{id}/versions/{version}",
    { path },
    { enabled: version !== undefined, staleTime: Infinity },
  );
}

interface DifferencesProps {
  before: TemplateVersion;
  after: TemplateVersion;
  titles: [string, string];
}

function Differences({ before, after, titles }: DifferencesProps) {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const changed = changedIn(old, now);
  if (changed.length === 0) return <p className={classes.plain}>Both are the same.</p>;
  return (
    <>
      <FieldDifferences
        kind={TEMPLATE}
        before={old}
        after={now}
        fields={changed.filter((field) => field !== "body")}
        titles={titles}
      />
      {changed.includes("body") ? (
        <div className={classes.difference}>
          <Difference before={old.body} after={now.body} label="What differs in the body" />
        </div>
      ) : (
        <p className={classes.plain}>The body is the same.</p>
      )}
    </>
  );
}

interface RestoreProps extends Props {
  version: number;
  /** What it is now: the way back. */
  newest: number;
}

function Restore({ stored, version, newest, isUnsaved, restored }: RestoreProps) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const { id } = stored.answer;
  const bring = async (wanted: number, ifMatch: string | undefined) => {
    const path = { id, version: String(wanted) };
    const now = await callForVersion(
      "POST /templates/{id}/versions/{version}/restore",
      { path },
      { projectId, ifMatch },
    );
    cache.setQueryData(TEMPLATE.keyOf(projectId, id), now);
    restored(now);
    await readAgain(cache, projectId, ["GET /templates"]);
    return now.etag;
  };
  return (
    <RestoreVersion
      version={version}
      newest={newest}
      tag={stored.etag}
      isUnsaved={isUnsaved}
      discards="Unsaved changes are discarded."
      bring={bring}
      className={classes.right!}
    />
  );
}
