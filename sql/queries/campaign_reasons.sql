-- name: list :many
-- Why mails of a campaign did not arrive, most frequent first, by the newest `sample` mails of each state. What differs
-- from mail to mail in the words of a server, addresses and ids, is left out, so that the same reason counts as one.
select
  r.status as "status!", r.reason as "reason!", count(*)::int as "mails!", min(r.error) as "example!",
  min(r.seen)::int as "seen!"
from (
  select
    s.status, f.error, count(*) over (partition by s.status) as seen,
    regexp_replace(
      regexp_replace(f.error, '<?[^[:space:]<>@"'']+@[^[:space:]<>",;]+>?', '…', 'g'),
      '[[:alnum:]_=-]*[0-9][[:alnum:]_.=-]{9,}', '…', 'g'
    ) as reason
  from unnest('{BOUNCED,FAILED,COMPLAINED,SUPPRESSED,IN_DOUBT}'::email_status[]) as s (status)
  cross join lateral (
    select left(coalesce(e.error, ''), 300) as error
    from emails e
    where e.project_id = :project_id
      and e.campaign_id = :campaign_id
      and e.status = s.status
      and e.status not in ('PENDING', 'SENDING', 'SENT')
    order by e.id desc
    limit :sample::int
  ) as f
) as r
group by r.status, r.reason
order by count(*) desc, r.status, r.reason
limit :limit::int;
