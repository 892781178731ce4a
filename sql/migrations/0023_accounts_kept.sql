alter table users
  add column name text check (length(name) between 1 and 100);
comment on column users.name is 'The name shown to others. Null: only the address is known.';

alter table sessions
  add column user_agent text not null default '' check (length(user_agent) <= 200),
  add column last_used_at timestamptz,
  add column proven_at timestamptz;
update sessions set last_used_at = created_at;
alter table sessions alter column last_used_at set not null;
comment on column sessions.user_agent is 'The `User-Agent` of the browser when the session began, shortened.';
comment on column sessions.last_used_at is 'To the minute.';
comment on column sessions.proven_at is
'When its holder last entered the password or a factor again. Null: not since it began.';
comment on index sessions_by_user is 'Serves `sessions.end_of_user`, `sessions.list` and the deletion of a user.';

alter type account_token_purpose add value 'CHANGE_EMAIL';
alter table account_tokens
  add column new_email text check (new_email = lower(new_email) and length(new_email) <= 254);
comment on column account_tokens.new_email is
'The address that the mail was sent to, if it is to become that of the account: the token proves it.';
