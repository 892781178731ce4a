// A rule: which mails it is for, and which transports they may take.
import { Button, NumberInput, Select, TagsInput, Text } from "@mantine/core";
import type { Routes } from "../../api.gen.ts";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { DeleteIcon } from "../../parts/icons.tsx";
import { toast } from "../../parts/toast.tsx";
import { useChangeRules } from "./change_rules.ts";
import { PROVIDERS, providerName } from "./words.ts";
import classes from "./transports.module.css";

type Rule = Routes["rules"][number];

interface Props {
  /** The one that is changed. Null: a new one, at the end. */
  rule: Rule | null;
  rules: Rule[];
  choices: { id: string; name: string }[];
  done: () => void;
}

interface Way {
  id: string;
  /** Empty: that of the transport. */
  priority: number | string;
  weight: number | string;
}

interface Values extends Record<string, unknown> {
  type: "ALL" | "TRANSACTIONAL" | "MARKETING";
  senderDomains: string[];
  providers: string[];
  transports: Way[];
  whenFull: Rule["whenFull"];
}

const MAX_WAYS = 20;

export function RuleForm({ rule, rules, choices, done }: Props) {
  const change = useChangeRules();
  const place = rule ? rules.indexOf(rule) : rules.length;
  const { form, submit, isSending, error } = useServerForm<Values>(
    { mode: "controlled", initialValues: valuesOf(rule, choices) },
    async (values) => {
      await change(rules, rules.toSpliced(place, rule ? 1 : 0, ruleOf(values)));
      toast.done(rule ? "The rule was changed" : "The rule was added, after the others");
      done();
    },
    Object.fromEntries(
      ["senderDomains", "providers", "transports"].flatMap((name) =>
        Array.from({ length: 100 }, (_, i) => [`rules.${place}.${name}.${i}`, name]),
      ),
    ),
  );
  const { transports } = form.values;
  const left = choices.filter(({ id }) => !transports.some((way) => way.id === id));
  const setWays = (ways: Way[]) => form.setFieldValue("transports", ways);
  return (
    <form onSubmit={submit} noValidate>
      <Select
        label="Mail"
        allowDeselect={false}
        data={[
          { value: "ALL", label: "All mail" },
          { value: "TRANSACTIONAL", label: "Transactional mail" },
          { value: "MARKETING", label: "Marketing mail: campaigns and the like" },
        ]}
        {...form.getInputProps("type")}
      />
      <TagsInput
        mt="md"
        label="From the domains"
        description="Of the sender. Left out: from any."
        placeholder={form.values.senderDomains.length > 0 ? "" : "news.shop.example"}
        maxTags={100}
        {...form.getInputProps("senderDomains")}
      />
      <TagsInput
        mt="md"
        label="To"
        description="Mailbox providers, or domains of recipients. Left out: to anybody."
        data={Object.values(PROVIDERS)}
        maxTags={100}
        {...form.getInputProps("providers")}
      />
      <Text mt="md" size="sm" fw={500}>
        Takes these transports
      </Text>
      <Text size="xs" c="dimmed">
        Lower priorities first; equal ones share the mail by weight. Left out: as the transport says.
      </Text>
      {transports.map((way, i) => (
        <WayFields
          key={way.id}
          way={way}
          choices={choices.filter(({ id }) => id === way.id || left.some((one) => one.id === id))}
          set={(next) => setWays(transports.with(i, next))}
          remove={transports.length > 1 ? () => setWays(transports.toSpliced(i, 1)) : null}
        />
      ))}
      {left.length > 0 && transports.length < MAX_WAYS && (
        <Button
          mt="sm"
          size="xs"
          variant="default"
          onClick={() => setWays([...transports, { id: left[0]!.id, priority: "", weight: "" }])}
        >
          Add a transport
        </Button>
      )}
      <Select
        mt="md"
        label="When one has sent its mails of the day"
        allowDeselect={false}
        data={[
          { value: "NEXT", label: "Mail takes the next one" },
          { value: "WAIT", label: "Mail waits for tomorrow" },
        ]}
        {...form.getInputProps("whenFull")}
      />
      <FormError error={error ?? form.errors.transports} />
      <Button type="submit" mt="lg" fullWidth loading={isSending}>
        {rule ? "Save" : "Add"}
      </Button>
    </form>
  );
}

interface WayProps {
  way: Way;
  choices: { id: string; name: string }[];
  set: (way: Way) => void;
  remove: (() => void) | null;
}

function WayFields({ way, choices, set, remove }: WayProps) {
  const name = choices.find(({ id }) => id === way.id)?.name ?? "transport";
  const number = (field: "priority" | "weight") => ({
    "aria-label": `${field === "priority" ? "Priority" : "Weight"} of ${name}`,
    placeholder: field === "priority" ? "Priority" : "Weight",
    allowDecimal: false,
    allowNegative: false,
    hideControls: true,
    value: way[field],
    onChange: (value: number | string) => set({ ...way, [field]: value }),
  });
  return (
    <div className={classes.way}>
      <Select
        aria-label="Transport"
        allowDeselect={false}
        data={choices.map((one) => ({ value: one.id, label: one.name }))}
        value={way.id}
        onChange={(id) => set({ ...way, id: id! })}
      />
      <NumberInput {...number("priority")} />
      <NumberInput {...number("weight")} />
      <Button
        variant="subtle"
        color="gray"
        px={8}
        disabled={!remove}
        onClick={() => remove?.()}
        aria-label={`Leave out ${name}`}
      >
        <DeleteIcon size={16} />
      </Button>
    </div>
  );
}

function valuesOf(rule: Rule | null, choices: { id: string }[]): Values {
  return {
    type: rule?.type ?? "ALL",
    senderDomains: rule?.senderDomains ?? [],
    providers: (rule?.providers ?? []).map(providerName),
    transports: rule
      ? rule.transports.map(({ id, priority = "", weight = "" }) => ({ id, priority, weight }))
      : choices.slice(0, 1).map(({ id }) => ({ id, priority: "", weight: "" })),
    whenFull: rule?.whenFull ?? "NEXT",
  };
}

function ruleOf({ type, senderDomains, providers, transports, whenFull }: Values): Rule {
  const words = new Map(Object.entries(PROVIDERS).map(([id, name]) => [name, id]));
  return {
    ...(type !== "ALL" && { type }),
    ...(senderDomains.length > 0 && { senderDomains }),
    ...(providers.length > 0 && { providers: providers.map((name) => words.get(name) ?? name) }),
    transports: transports.map(({ id, priority, weight }) => ({
      id,
      ...(priority !== "" && { priority: Number(priority) }),
      ...(weight !== "" && { weight: Number(weight) }),
    })),
    whenFull,
  };
}
