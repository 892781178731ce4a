alter table emails add column subject text;
comment on column emails.subject is
'What the variables of the subject became when the mail was last tried. Null where it has none, and until then: the subject
is that of the content. Personal, as the address is: it goes with the contact.';
