-- name: get :one
-- How far a project is set up. Its contacts are counted from the counters. A sandbox needs no domain.
select
  exists (select from projects where id = :project_id and sandbox_of is not null) or exists (
    select from domains where project_id = :project_id and status = 'VERIFIED'
  ) as "has_verified_domain!",
  (
    select coalesce(sum(contacts), 0)::int
    from (
      select contacts from contact_counts where project_id = :project_id and field = ''
      union all
      select contacts from contact_count_deltas where project_id = :project_id and field = ''
    ) as counted
  ) as "contact_count!",
  exists (
    select from templates where project_id = :project_id
  ) as "has_template!",
  exists (
    select from emails where project_id = :project_id
  ) as "has_mail!",
  (
    select max(sent_at) from campaigns where project_id = :project_id
  ) as "last_campaign_sent_at?",
  exists (
    select from workflows where project_id = :project_id and enabled
  ) as "has_enabled_workflow!",
  exists (
    select from billing_accounts where project_id = :project_id and is_live
  ) as "has_subscription!";
