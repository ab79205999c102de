/**
 * Whether an application requires a second factor of its members; whether a reset link revokes the keys of its account, and which keys
 * the operator of the server created, which stay. No account has its address as a name any longer: names are shown on shared reports. The dropped columns were never read.
 *
 * A running older server ignores the new columns: it serves members without a second factor and keeps the keys. Its users cannot set up
 * a second factor, because it writes a column that is gone.
 */
export function accountSecurity(): string[] {
  return [
    'alter table workspaces add column requires_second_factor integer not null default 0',
    'alter table password_resets add column revokes_grants integer not null default 0',
    'alter table api_keys add column is_of_operator integer not null default 0',
    `update api_keys set is_of_operator = 1 where name = 'From TOUCHSTONE_API_KEY'`,
    'alter table two_factors drop column failed_verification_count',
    'alter table two_factors drop column locked_until',
    `update users set name = 'Admin' where lower(name) = lower(email)`,
  ]
}
