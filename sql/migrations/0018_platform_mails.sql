-- Mails of the installation itself, to the people who look after projects. They stand in no ledger.
create table platform_mails (
  id         uuid primary key default uuid_v7(),
  to_address text not null,
  subject    text not null,
  -- What it says: paragraphs, and perhaps a link that is meant for one person. Sealed, and null when it was sent or
  -- given up.
  words      bytea,
  -- Why it comes, in its last line.
  reason     text not null,
  attempts   int not null default 0,
  -- How many of them ended without anybody knowing whether the mail was taken.
  doubts     int not null default 0,
  -- While one process hands it over, no other one does.
  held_until timestamptz,
  -- What the other side said last, or why it was given up.
  error      text,
  sent_at    timestamptz,
  failed_at  timestamptz,
  created_at timestamptz not null,
  check (words is not null or sent_at is not null or failed_at is not null)
);

-- Serves `platform_mails.purge`.
create index platform_mails_oldest on platform_mails (created_at);
