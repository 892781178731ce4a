comment on column emails.claimed_by is
'The process that holds the row while it is SENDING. PENDING: the one that has fetched it from those that wait apart; with it
gone, the mail may have no job.';

create index emails_fetched on emails (claimed_by) where status = 'PENDING' and claimed_by is not null;
comment on index emails_fetched is
'Serves `apart.return_fetched` and `delivery.orphaned_by`.';
