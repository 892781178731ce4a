create index emails_captured_of_project on emails (project_id, captured_at, id)
where captured_at is not null;
comment on index emails_captured_of_project is 'Serves `captured_release.next_of_project`.';
