-- name: merge :one
-- nullable: deletes
-- What an update would make of the data of a contact, and whether the contact could hold it: the rules are those of
-- `contacts.upsert_many` and of the constraint `contacts_data_size`. Nothing is written.
select m.data as "data!", pg_column_size(m.data) <= 32768 or octet_length(m.data::text) <= 65536 as "fits!"
from (select merge_contact_data(:current::jsonb, :sets::jsonb, :deletes::jsonb) as data offset 0) as m;
