-- name: upsert_many :many
-- See `upsert_contacts`.
select
  project_id as "project_id!", id as "id!", email as "email!", subscribed as "subscribed!", was_subscribed, opted_out_at,
  is_outgoing as "is_outgoing!"
from upsert_contacts(:rows::json, :changes::jsonb);

-- name: opt_out_many :many
-- Marks these contacts as opted out, and unsubscribes them. `was_subscribed` says for which of them that changes the
-- subscription. Rows are locked in the same order and with the same strength as in the upsert, so that the two cannot
-- deadlock.
update contacts c
set was_subscribed = c.subscribed, subscribed = false, opted_out_at = now(), updated_at = now()
from (
  select project_id, id
  from contacts
  where (project_id, id) in (select * from unnest(:project_ids::uuid[], :contact_ids::uuid[]))
  order by project_id, email
  for no key update
) as chosen
where c.project_id = chosen.project_id
  and c.id = chosen.id
  and (c.subscribed or c.opted_out_at is null)
returning c.project_id, c.id, c.was_subscribed as "was_subscribed!";

-- name: set_subscription :maybe
-- What a person decided through a link in a mail. An unsubscription stands until it is taken back, even where the
-- contact was not subscribed before. Null when nothing changed, or when there is no such contact: of several concurrent
-- calls, one changes it.
update contacts c
set
  was_subscribed = c.subscribed,
  subscribed     = :subscribed,
  opted_out_at   = case when :subscribed::boolean then null else now() end,
  updated_at     = now()
where c.project_id = :project_id
  and c.id = :contact_id
  and (c.subscribed <> :subscribed or (not :subscribed and c.opted_out_at is null))
returning c.was_subscribed as "was_subscribed!";

-- name: by_id :maybe
select id, email, subscribed, data, project_id, created_at, updated_at
from contacts
where project_id = :project_id and id = :contact_id;

-- name: patch :maybe
-- nullable: email, subscribed
-- Changes one contact. `sets` and `deletes` merge into its data, unless `clear_data`. Null when it does not exist. Its time
-- stays where it is what it was.
update contacts c
set
  email          = coalesce(:email, c.email),
  was_subscribed = c.subscribed,
  subscribed     = coalesce(:subscribed, c.subscribed),
  opted_out_at   = case
    when coalesce(:subscribed, c.subscribed) then null
    when c.subscribed then now()
    else c.opted_out_at
  end,
  data           = case
    when :clear_data::boolean then '{}'
    else merge_contact_data(c.data, :sets::jsonb, :deletes::jsonb)
  end,
  updated_at     = case
    when (c.email, c.subscribed, c.data) is distinct from (
      coalesce(:email, c.email),
      coalesce(:subscribed, c.subscribed),
      case
        when :clear_data::boolean then '{}'
        else merge_contact_data(c.data, :sets::jsonb, :deletes::jsonb)
      end
    ) then now()
    else c.updated_at
  end
where c.project_id = :project_id and c.id = :contact_id
returning
  c.id, c.email, c.subscribed, c.data, c.project_id, c.created_at, c.updated_at, c.was_subscribed as "was_subscribed!";

-- name: list :many
-- splice: filter = true
-- splice: after = true
-- splice: sort_key = c.email
-- splice: direction = c.email, c.id
-- One page of contacts, in the order and after the place that the cursor gives. `sort_key` goes into the next cursor: a
-- time as text, because a Date would lose its microseconds.
select c.id, c.email, c.subscribed, c.data, c.project_id, c.created_at, c.updated_at, :sort_key as "sort_key!"
from contacts c
where c.project_id = :project_id
  and :filter
  and :after
order by :direction
limit :limit::int;

-- name: members :many
-- splice: audience = true
-- One page of the members of a segment, the newest contacts first. `sort_key` goes into the cursor.
select
  c.id, c.email, c.subscribed, c.data, c.project_id, c.created_at, c.updated_at, c.created_at::text as "sort_key!"
from contacts c
where c.project_id = :project_id and :audience
order by c.created_at desc, c.id desc
limit :limit::int
offset :offset::int;

-- name: newest :many
-- splice: audience = true
-- The newest contacts who match a compiled condition.
select c.id, c.email, c.subscribed, c.data, c.project_id, c.created_at, c.updated_at
from contacts c
where c.project_id = :project_id and :audience
order by c.id desc
limit :limit::int;

-- name: activity_reached :one
-- The event down to which `contact_activity` tells all that happened. Null if that is everything.
select max(oldest) as "reached?"
from (
  select min(id::text collate "C") as oldest
  from contact_activity(:project_id, :before_id, :max_each)
  group by kind
  having count(*) = :max_each
) as kinds;

-- name: by_activity :many
-- splice: filter = true
-- Contacts by what they did last, newest first, between two events. What a contact did before that does not count
-- again.
with latest as (
  select distinct on (contact_id) contact_id, id
  from contact_activity(:project_id, :before_id, :max_each)
  where contact_id is not null and id >= :reached
  order by contact_id, id desc
)
select
  c.id, c.email, c.subscribed, c.data, c.project_id, c.created_at, c.updated_at, l.id::text as "sort_key!",
  time_of_id(l.id) as "last_activity_at!"
from latest l
join contacts c on c.project_id = :project_id and c.id = l.contact_id
where :filter
  and not exists (
    select
    from events n
    where n.project_id = :project_id and n.contact_id = l.contact_id and n.id >= :before_id
      and n.name not in ('email.sent', 'email.delivery', 'email.received', 'email.bounce', 'email.complaint')
      and not n.bot
  )
order by l.id desc
limit :limit::int;

-- name: count_matching :one
-- splice: filter = true
select count(*)::int as "total!"
from contacts c
where c.project_id = :project_id and :filter;

-- name: sample_matching :one
-- splice: filter = true
-- How many of a sample of contacts match, how many of these are subscribed, and the newest of them. `percent` of the table's
-- blocks are read, the same each time, and one contact in `one_in`: a number that is shown while somebody types does not
-- flicker. Materialized: the filter would otherwise be evaluated for each of the three results.
with looked_at as materialized (
  select c.id, c.subscribed, (:filter) as matches
  from contacts c tablesample system (:percent) repeatable (1)
  where c.project_id = :project_id and uuid_hash(c.id) <= 4294967296 / :one_in::int - 2147483649
)
select
  count(*)::int as "seen!",
  (count(*) filter (where l.matches))::int as "matching!",
  (count(*) filter (where l.matches and l.subscribed))::int as "reachable!",
  coalesce((array_agg(l.id order by l.id desc) filter (where l.matches))[1 : 5], '{}') as "newest!"
from looked_at l;

-- name: by_ids :many
-- The newest first.
select id, email, subscribed, data, project_id, created_at, updated_at
from contacts
where project_id = :project_id and id = any(:ids::uuid[])
order by id desc;

-- name: export :bytes
-- splice: filter = true
-- nullable: after_id
-- The next contacts in the order of their ids, up to one: those that come while it is read are not among them. A row holds
-- the lines of 64 of them, in JSON, and the id of the last one. Rows of objects took 146 MB for 1,000,000 contacts and three
-- times the processor time, texts of 250 lines 60 MB, and these take 25. Pieces of text are joined because
-- json_build_object takes 8 µs for a line, and this takes 3.
select string_agg(r.line, '' order by r.id), (array_agg(r.id order by r.id desc))[1]
from (
  select
    c.id,
    (row_number() over (order by c.id) - 1) / 64 as piece,
    '{"id":"' || c.id || '","email":' || to_json(c.email)::text || ',"subscribed":' || c.subscribed || ',"data":' || c.data
      || ',"createdAt":"' || to_char(c.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      || '","updatedAt":"' || to_char(c.updated_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || E'"}\n' as line
  from contacts c
  where c.project_id = :project_id
    and (:after_id::uuid is null or c.id > :after_id)
    and c.id <= :upto_id
    and :filter
  order by c.id
  limit :limit::int
) as r
group by r.piece
order by r.piece;

-- name: export_csv :bytes
-- splice: filter = true
-- nullable: after_id
-- The same as CSV, with a column for each of `keys`. Cells are guarded and quoted as `toCsvLine` does it, which a test
-- compares: made of objects of ours, the lines of 1,000,000 contacts take 75 MB, and twice our processor time. A row where
-- nothing can need either is told by one look at all of its cells, which saves 10 µs.
select string_agg(r.line, '' order by r.id), (array_agg(r.id order by r.id desc))[1]
from (
  select
    p.id,
    (row_number() over (order by p.id) - 1) / 64 as piece,
    case
      when p.plain !~ '["\r\n]|(^|,)[=+@\t\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff-]|[\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff](,|$)'
        and length(p.plain) - length(translate(p.plain, ',', '')) = cardinality(:keys::text[])
      then
        split_part(p.plain, ',', 1) || p.between || substr(p.plain, strpos(p.plain || ',', ','))
      else (
        select
          string_agg(
            case
              when g.cell ~ '[",\r\n]|^[\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]'
                or g.cell ~ '[\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]$'
              then '"' || replace(g.cell, '"', '""') || '"'
              else g.cell
            end || case when g.n = 1 then p.between else '' end,
            ',' order by g.n
          )
        from (
          select
            x.n,
            case when x.cell ~ '^[=+@\t\r-]' and x.cell !~ '^[+-]?[0-9]+(\.[0-9]+)?$' then '''' else '' end || x.cell as cell
          from unnest(p.cells) with ordinality as x (cell, n)
        ) as g
      )
    end || E'\r\n' as line
  from (
    select
      c.id, made.cells, array_to_string(made.cells, ',') as plain,
      ',' || c.subscribed || ',' || to_char(c.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        || ',' || to_char(c.updated_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as between
    from (
      select c.id, c.email, c.subscribed, c.data, c.created_at, c.updated_at
      from contacts c
      where c.project_id = :project_id
        and (:after_id::uuid is null or c.id > :after_id)
        and c.id <= :upto_id
        and :filter
      order by c.id
      limit :limit::int
    ) as c
    cross join lateral (
      select c.email || array(
        select coalesce(c.data ->> key.name, '')
        from unnest(:keys::text[]) with ordinality as key (name, n)
        order by key.n
      ) as cells
      offset 0
    ) as made
    offset 0
  ) as p
) as r
group by r.piece
order by r.piece;

-- name: data_by_email :maybe
select id, data
from contacts
where project_id = :project_id and email = :email;
