-- What may still be sent this moment, of a project or (under the nil id) of the installation: a bucket of tokens that
-- fills with time. Losing it in a crash costs a moment, so it writes no WAL.
create unlogged table send_rates (
  scope     uuid primary key,
  tokens    numeric not null,
  filled_at timestamptz not null
);
