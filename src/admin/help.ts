// The commands of `bun run admin`, as it lists them.
import { LANGUAGES, RESENDABLE, TRACKING } from "../accounts/projects/mod.ts";
import { ROLES } from "../accounts/projects/roles.ts";

/** What `bun run admin --help` says. */
export const HELP = `Usage: bun run admin <command>

  project create --name N [--domain D --verified]   create a project; prints it with both keys
  project list                                      every project, without secrets
  project set <id> [--tracking T] [--language L] [--send-rate N] [--resend K]
                                                    change its settings:
                                                    T is one of ${TRACKING.join(", ")}
                                                    L is one of ${LANGUAGES.join(", ")}
                                                    N is mails a second, or none for no limit
                                                    K: which mails in doubt are sent again: none, or some of
                                                    ${RESENDABLE.join(",")}
  project disable <id> [--reason R]                 refuse its requests and hold its mail
  project enable <id>                               accept its requests again; its campaigns continue: first
                                                    cancel those that should not
  project webhook-secret <id> [--rotate]            show the secret that signs its webhooks, or create a new
                                                    one; the old one stays valid for a day
  project reset <id> --yes                          delete its contents, for good: members, domains, keys and
                                                    settings stay
  project delete <id> --yes                         delete it altogether, for good
  user create --email E [--password-from-stdin]     create an account with a verified address; without a
                                                    password its owner sets one by a password reset
  user two-factor-off --email E                     take all factors from somebody who has lost them, and end their
                                                    sessions; a mail tells them, and the audit log their projects
  user list                                         every account, with the number of its projects
  member list <project id>                          its members, and who was invited
  member add <project id> --email E [--role R]      add somebody with an account: R is one of
                                                    ${ROLES.join(", ")}; left out: ${ROLES[0]}
  member set-role <project id> --email E --role R   change the role of a member
  member remove <project id> --email E              remove a member, or withdraw an invitation
  domain add <project id> <domain> --verified       allow a project to send from a domain, without a DNS check
  domain rekey <project id> <domain>                create a new DKIM key where the old one was encrypted with
                                                    a lost SECRET_KEY; the domain is verified again
  campaign list <project id>                        campaigns that are being sent or are scheduled
  campaign cancel <project id> <campaign id>        cancel one of them, even while the project is disabled
  transport list                                    the transports that all projects share, beside SMTP_URL
  transport add --name N (--url U | --url-from-stdin | --kind CAPTURE) [limits]
                                                    add one: U is like SMTP_URL; limits are
                                                    --priority P (lower ones first; 100) --weight W (1)
                                                    --rate (a second) --per-day --connections
                                                    --warmup (the id of a plan), each a number or none
  transport add --name N --kind DIRECT [--helo-name H] [--bind-addresses A,B] [limits]
                                                    add one that delivers to the servers of recipients, from these
                                                    addresses of this machine, in turn; or --url direct://…
  transport set <id> [--name N] [--url U | --url-from-stdin] [limits]
                                                    change what is given; without a password in U, the known
                                                    one is kept for the same server and user
  transport set <id> (--feedback-secret-from-stdin | --no-feedback-secret)
                                                    the secret of its provider's webhook, whose address
                                                    \`transport list\` prints; also with add, and as the second
                                                    line behind --url-from-stdin
  transport pause <id> [--reason R]                 no mail takes it, until:
  transport resume <id>                             mails take it again
  transport test <id> --to E [--from E]             send a test mail by it; prints what its server said
  transport remove <id>                             remove it; refused while rules of routes name it
  warmup-plan list                                  plans of how much a new transport may send each day
  warmup-plan add --name N --limits 500,1000,2000   add one: mails on the first day, the second and so on
  warmup-plan remove <id>                           remove one that no transport uses
  routes get                                        which mails take which of them, as JSON
  routes set <file>                                 replace that by the JSON in a file
  release [mail id…] [--project P] [--since T] [--all] [--discard] [--yes]
                                                    send mails that were captured while there was no SMTP server,
                                                    the oldest first: those with these ids, of a project, captured
                                                    since a time (such as 2026-11-22T08:00Z), or all; without
                                                    --yes they are only counted. Nothing is sent to people who
                                                    have unsubscribed or are suppressed by now, or whose mail
                                                    has expired; --discard gives the mails up instead, for good
  demo [--project P] [--contacts N] [--seed S] [--yes]
                                                    make a shop to look at: contacts, 90 days of events, campaigns
                                                    and workflows with their mails, none of which is sent; in a
                                                    project named Demo, or P, that has no contacts. --yes also in
                                                    production, and where mail leaves the machine (SMTP_URL)
  export <project id> <file> [--ledger] --passphrase-file F
                                                    write everything of a project to a file (NDJSON, Zstandard),
                                                    with --ledger also its mails and events. Disable it first: the
                                                    export of one that goes on is a copy, whose workflows and
                                                    campaigns are stopped. The passphrase in F wraps its secrets
  import postrider <file> --passphrase-file F [--resume]
                                                    read such a file, with the same ids: the project stays disabled
                                                    until you enable it; --resume continues one that was
                                                    interrupted
  import plunk --project P --url U --key-file F [--yes]
                                                    bring contacts, segments, templates, campaigns and workflows
                                                    of Plunk, or another service with its API, into a project:
                                                    without --yes it only says what would happen. Campaigns become
                                                    drafts, workflows are disabled, nothing is sent; run it again
                                                    to go on where it was interrupted. The first line of F is
                                                    its key (or --key K, which others on the machine can read)
  import listmonk --project P --url U --user N --password-file F [--from A] [--yes]
                                                    the same of listmonk: lists, subscribers, templates, campaigns;
                                                    A is the sender of its transactional templates
  import mailchimp|brevo|sendgrid <files> --project P [--as STATE] [--yes]
                                                    the contacts and suppressions of their exports (.csv, .zip).
                                                    STATE is that of files that do not say it: subscribed,
                                                    unsubscribed, bounced, complained or blocked
  recount [project id]                              recount outcomes of mails and events by day, and correct
                                                    the counters that are wrong, of one project or of all
  partitions [--move]                               the months of events, and what else grows with time: rows
                                                    (estimated) and bytes; --move creates partitions that are
                                                    missing because they have too many events to move quickly:
                                                    everything that uses events waits until it is done
  backup <file>                                     write the database to a file, while the service runs, by pg_dump
  restore <file>                                    fill an empty database from it, by pg_restore: all or nothing
  migrate                                           migrate the database to the newest schema
  doctor [--json]                                   check everything the installation needs, and say what to do

The settings are those of the service (DATABASE_URL, or the embedded Postgres in DATA_DIR). Answers are JSON.
`;
