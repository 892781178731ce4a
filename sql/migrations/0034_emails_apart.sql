-- The domain of an address; of one without, as a deleted contact leaves it, the empty text.
create function recipient_domain(address text) returns text
language sql immutable parallel safe
return case when strpos(address, '@') > 0 then split_part(address, '@', -1) else '' end;

-- A mail that waits apart, because the domain of its recipient has no room, is PENDING and due at infinity: nobody who
-- looks for what is due finds it. Serves `emails.come_back`, `emails.apart_domains` and `emails.give_up_apart`.
create index emails_apart
on emails (recipient_domain(address), (campaign_id is not null), tried_at, id)
where status = 'PENDING' and due_at = 'infinity';
