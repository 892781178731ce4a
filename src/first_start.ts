import { createFirstProject, type NewProject } from "./accounts/projects/mod.ts";
import { isProduction } from "./config.ts";
import { addVerifiedDomain, SANDBOX_DOMAIN } from "./accounts/projects/domains.ts";
import type { Service } from "./service.ts";

/** On the first start with an empty embedded database: makes a project and shows how to send a mail with it. */
export async function welcome({ ctx, isEmbedded }: Service, port: number): Promise<void> {
  if (!isEmbedded || isProduction(ctx.config)) return;
  const base = ctx.config.PORT === port ? ctx.config.BASE_URL : `http://localhost:${port}`;
  const project = await createFirstProject(ctx, "Demo", async (tx, { id }) => {
    await addVerifiedDomain(tx, id, SANDBOX_DOMAIN);
  });
  const inbox = ctx.config.SMTP_URL === undefined ? `${base}/inbox` : "your SMTP server";
  console.log(project ? firstSteps(base, project, inbox) : nextSteps(base, inbox));
}

function nextSteps(base: string, inbox: string): string {
  return `
  Postrider is ready at ${base}

  Mail goes to:   ${inbox}
  All endpoints:  ${base}/docs/api
  Lost a key?     bun run admin project create --name Demo --domain ${SANDBOX_DOMAIN} --verified
`;
}

function firstSteps(base: string, project: NewProject, inbox: string): string {
  return `
  Postrider is ready at ${base}

  A project "Demo" was made for you. Its keys (the secret one is shown only now):

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
