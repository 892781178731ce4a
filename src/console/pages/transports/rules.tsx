// Which mails take which transports: rules in their order, of which the first that applies decides.
import { Button, Menu } from "@mantine/core";
import { useState } from "react";
import type { Routes, SharedTransport, Transport } from "../../api.gen.ts";
import { confirm } from "../../parts/confirm.tsx";
import { FormDialog } from "../../parts/form_dialog.tsx";
import { Gate } from "../../parts/gate.tsx";
import { RowMenu } from "../../parts/menu_button.tsx";
import { Row, Rows, Section } from "../../parts/section.tsx";
import { Loaded } from "../../parts/states.tsx";
import { toast } from "../../parts/toast.tsx";
import { useApi } from "../../queries.ts";
import { useRole } from "../../session.ts";
import { RouteTrial } from "./route_trial.tsx";
import { RuleForm } from "./rule_form.tsx";
import { useChangeRules } from "./change_rules.ts";
import { mailsOf, waysOf } from "./words.ts";
import classes from "./transports.module.css";

type Rule = Routes["rules"][number];

interface Props {
  transports: Transport[];
  installation: SharedTransport[];
}

export function RouteRules({ transports, installation }: Props) {
  const routes = useApi("GET /routes", {});
  const [edited, setEdited] = useState<{ rule: Rule | null } | null>(null);
  const [isTrying, setTrying] = useState(false);
  const names = new Map([...transports, ...installation].map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? "a removed transport";
  const rules = routes.data?.rules ?? [];
  return (
    <Section
      title="Routes"
      about="The first rule that applies to a mail decides which transports it may take. If one takes no mail, the next one does."
      actions={
        <>
          <Button variant="default" size="xs" onClick={() => setTrying(true)}>
            Where would a mail go?
          </Button>
          <Gate role="OWNER">
            <Button variant="default" size="xs" onClick={() => setEdited({ rule: null })}>
              Add a rule
            </Button>
          </Gate>
        </>
      }
    >
      <Loaded query={routes}>
        {() => (
          <Rows label="Rules">
            {rules.map((rule, i) => (
              <RuleRow
                key={JSON.stringify(rule)}
                rules={rules}
                place={i}
                nameOf={nameOf}
                edit={() => setEdited({ rule })}
              />
            ))}
            <Row
              name={rules.length === 0 ? "All mail" : "All other mail"}
              about={
                transports.length > 0
                  ? "The transports of this project, by priority and weight"
                  : "The transports of the installation"
              }
            />
          </Rows>
        )}
      </Loaded>
      <FormDialog
        opened={edited !== null}
        onClose={() => setEdited(null)}
        title={edited?.rule ? "Change the rule" : "Add a rule"}
      >
        {edited && (
          <RuleForm
            rule={edited.rule}
            rules={rules}
            choices={[...transports, ...installation]}
            done={() => setEdited(null)}
          />
        )}
      </FormDialog>
      <FormDialog opened={isTrying} onClose={() => setTrying(false)} title="Where would a mail go?">
        {isTrying && <RouteTrial />}
      </FormDialog>
    </Section>
  );
}

interface RuleRowProps {
  rules: Rule[];
  /** Of this one, from 0. */
  place: number;
  nameOf: (id: string) => string;
  edit: () => void;
}

function RuleRow({ rules, place, nameOf, edit }: RuleRowProps) {
  const rule = rules[place]!;
  const { isAllowed } = useRole("OWNER");
  const change = useChangeRules();
  const put = async (next: Rule[], said: string) => {
    try {
      await change(rules, next);
      toast.done(said);
    } catch (error) {
      toast.failed(error);
    }
  };
  const move = (by: number) => {
    const next = rules.toSpliced(place, 1).toSpliced(place + by, 0, rule);
    void put(next, `The rule is number ${place + by + 1} now`);
  };
  const remove = () =>
    confirm({
      title: `Remove rule ${place + 1}?`,
      action: "Remove",
      children: `${mailsOf(rule)} takes what the rules after this one say.`,
      act: async () => {
        await change(rules, rules.toSpliced(place, 1));
        toast.done("The rule was removed");
      },
    });
  return (
    <Row
      name={
        <>
          <span className={classes.number}>{place + 1}</span> {mailsOf(rule)}
        </>
      }
      about={waysOf(rule, nameOf)}
      actions={
        <>
          <Gate role="OWNER">
            <Button variant="default" size="xs" onClick={edit} aria-label={`Change rule ${place + 1}`}>
              Change
            </Button>
          </Gate>
          {isAllowed && (
            <RowMenu label={`More about rule ${place + 1}`}>
              <Menu.Item disabled={place === 0} onClick={() => move(-1)}>
                Move up
              </Menu.Item>
              <Menu.Item disabled={place === rules.length - 1} onClick={() => move(1)}>
                Move down
              </Menu.Item>
              <Menu.Item color="red" onClick={remove}>
                Remove…
              </Menu.Item>
            </RowMenu>
          )}
        </>
      }
    />
  );
}
