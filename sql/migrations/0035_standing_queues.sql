-- Lanes of jobs that a process does not get on with, although something is due.
alter table workers add column standing text[] not null default '{}';
