alter table routes add column edited_by text not null default '';
comment on column routes.edited_by is 'An address, or which key.';
