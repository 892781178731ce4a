-- When a captured mail was released the last time: its month was charged for it then, and no longer the one in which it was
-- accepted. Null where it never was.
alter table emails add column released_at timestamptz;
