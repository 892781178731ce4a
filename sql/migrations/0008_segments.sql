create type segment_type as enum ('DYNAMIC', 'STATIC');

-- A named part of the audience: whoever satisfies the condition, or a list kept by hand.
create table segments (
  project_id       uuid not null references projects on delete cascade,
  id               uuid not null default uuid_v7(),
  name             text not null check (length(name) between 1 and 100),
  -- Fixed when the segment is made: the names of its entry and exit events hold it.
  slug             text not null check (length(slug) >= 1),
  description      text check (length(description) <= 500),
  type             segment_type not null default 'DYNAMIC',
  condition        jsonb check (jsonb_typeof(condition) = 'object'),
  track_membership boolean not null default false,
  member_count     int not null default 0 check (member_count >= 0),
  -- When the membership or the count was last worked out; null when it never was.
  computed_at      timestamptz,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now(),
  primary key (project_id, id),
  constraint segments_slug_unique unique (project_id, slug),
  constraint segments_condition_by_type check ((type = 'DYNAMIC') = (condition is not null))
);

-- Who is in a static segment, and who was in a tracked dynamic one when it was last computed.
create table segment_members (
  project_id uuid not null,
  segment_id uuid not null,
  contact_id uuid not null,
  entered_at timestamptz not null default now(),
  primary key (project_id, segment_id, contact_id),
  foreign key (project_id, segment_id) references segments (project_id, id) on delete cascade,
  foreign key (project_id, contact_id) references contacts (project_id, id) on delete cascade
);

-- Serves the deletion of a contact, and the segments of one contact.
create index segment_members_by_contact on segment_members (project_id, contact_id, segment_id);
