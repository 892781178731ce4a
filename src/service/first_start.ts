import { addFirstOwner, makeStartToken, START_LINK_MINUTES } from "../accounts/people/start_links.ts";
import { createFirstProject, type NewProject } from "../accounts/projects/mod.ts";
import { isProduction } from "../config/mod.ts";
import { addVerifiedDomain, SANDBOX_DOMAIN } from "../accounts/projects/domains.ts";
import type { Service } from "./mod.ts";

/**
 * On the first start with an empty embedded database: makes a project with an owner, and shows how to open the console and how
 * to send a mail. On every start the console can be opened by a link that works once.
 */
export async function welcome({ ctx, isEmbedded }: Service, port: number): Promise<void> {
  if (!isEmbedded || isProduction(ctx.config)) return;
  const base = ctx.config.PORT === port ? ctx.config.BASE_URL : `http://localhost:${port}`;
  const project = await createFirstProject(ctx, "Demo", async (tx, { id }) => {
    await addVerifiedDomain(tx, id, SANDBOX_DOMAIN);
    await addFirstOwner(tx, id);
  });
  const inbox = ctx.config.SMTP_URL === undefined ? `${base}/inbox` : "your SMTP server";
  const link = wayIn(base, port, await makeStartToken(ctx));
  console.log(project ? firstSteps(base, project, inbox, link) : nextSteps(base, inbox, link));
}

/** The console's address; with a log-in that works at once if there is somebody to log in as. */
function wayIn(base: string, port: number, token: string | null): string {
  if (token === null) return `Console:        ${base}/app`;
  return `Open the console (the link logs you in: once, on this machine, within ${START_LINK_MINUTES} minutes):

    http://localhost:${port}/auth/start?token=${token}`;
}

function nextSteps(base: string, inbox: string, wayIntoConsole: string): string {
  return `
  Postrider is ready at ${base}

  ${wayIntoConsole}

  Mail goes to:   ${inbox}
  All endpoints:  ${base}/docs/api
  Lost a key?     bun run admin project create --name Demo --domain ${SANDBOX_DOMAIN} --verified
`;
}

function firstSteps(base: string, project: NewProject, inbox: string, wayIntoConsole: string): string {
  return `
  Postrider is ready at ${base}

  ${wayIntoConsole}

  A project "Demo" was created for you. Its keys (the secret one is shown only now):

    public   ${project.public}
    secret   ${project.secret}

  Send a mail:

    curl ${base}/v1/send \\
      -H "Authorization: Bearer ${project.secret}" \\
      -H "Content-Type: application/json" \\
      -d '{"to": "ada@example.com", "from": "hello@${SANDBOX_DOMAIN}", "subject": "Hello {{name}}", "body": "<p>It works, {{name}}.</p>", "data": {"name": "Ada"}}'

  Track an event:

    curl ${base}/v1/track \\
      -H "Authorization: Bearer ${project.public}" \\
      -H "Content-Type: application/json" \\
      -d '{"email": "ada@example.com", "event": "signed up", "data": {"plan": "pro"}}'

  See it arrive:  ${inbox}
  All endpoints:  ${base}/docs/api
`;
}
