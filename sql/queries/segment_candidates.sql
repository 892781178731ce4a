-- name: take :many
-- Takes up to `limit` contacts whose memberships may have changed. They are deleted when the transaction commits. They
-- all have the same depth, which the events of this transaction get: so a loop of workflows and segments ends.
with shallowest as materialized (
  select min(depth) as depth
  from segment_candidates
  where project_id = :project_id
),
taken as (
  delete from segment_candidates
  where ctid = any (array(
    select ctid
    from segment_candidates
    where project_id = :project_id and depth = (select depth from shallowest)
    limit :limit::int
    for update skip locked
  ))
  returning contact_id
)
select distinct contact_id, set_config('postrider.depth', (select depth from shallowest)::text, true) as depth
from taken;

-- name: note :exec
-- Contacts whose memberships may have changed without a change of their own, as when a list is edited.
select note_segment_candidates(array_fill(:project_id::uuid, array[cardinality(:contact_ids::uuid[])]), :contact_ids::uuid[]);

-- name: projects :many
-- Projects with contacts that were not checked yet, and projects that track a segment.
select project_id as "project_id!"
from segment_candidates
union
select project_id
from segments
where track_membership and type = 'DYNAMIC';

-- name: purge :exec
-- What is left of projects that track nothing any more.
delete from segment_candidates n
where not exists (
  select from segments s where s.project_id = n.project_id and s.track_membership and s.type = 'DYNAMIC'
);

-- name: waiting :many
-- Projects with contacts that are still to be checked.
select distinct project_id
from segment_candidates;
