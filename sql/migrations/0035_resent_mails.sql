alter table emails add column resend_of uuid;
comment on column emails.resend_of is
'The mail that this one repeats, because somebody sent it again. The original may be gone.';

create index emails_resent on emails (project_id, resend_of) where resend_of is not null;
comment on index emails_resent is 'Serves `email_details.timeline`: when a mail was sent again.';

create function workflow_mail_data(e emails) returns jsonb
language sql stable parallel safe
begin atomic
  select
    case
      when e.contact_id is not null then x.context
      else
        c.data
        || jsonb_build_object(
          'contact',
          jsonb_build_object('id', c.id, 'email', c.email, 'subscribed', c.subscribed, 'data', c.data)
        )
        || x.context
    end
  from executions x
  join contacts c on c.project_id = x.project_id and c.id = x.contact_id
  where x.project_id = e.project_id and x.id = e.workflow_execution_id;
end;
comment on function workflow_mail_data is
'What the template of a mail of a workflow sees in addition to the contact, from the current state of its execution:
`emails.data` is kept only until the mail has a final state. Null if the execution or its contact is gone, and for any
other mail.';
