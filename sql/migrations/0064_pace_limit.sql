comment on column paces.refused_rate is
'The limit: the last pace that was refused though it held mails back, in mails a second. The rate returns to nearly this quickly,
and goes beyond slowly. Null: it is not known yet.';
