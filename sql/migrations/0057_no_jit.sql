-- A server with LLVM, as most are, compiles what it believes to be expensive. A function that turns a way of planning off has
-- plans of which the planner says that they cost ten thousand millions: each call was compiled, for a third of a second, to look
-- at one row. It is said here and not by connections, because a pooler refuses those with parameters that it does not know.
alter function count_contacts_changed() set jit = off;
alter function note_contacts_changed() set jit = off;
alter function note_contact_changes_for_webhooks() set jit = off;
alter function start_workflows_by_events() set jit = off;
alter function count_emails() set jit = off;
alter function executions_take_their_own() set jit = off;
alter function count_steps_ended() set jit = off;
