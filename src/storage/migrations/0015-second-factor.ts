import type { ColumnTypes } from '../dialect.ts'

/**
 * Second factors: the secret and the recovery codes of a user, and the codes that were used lately.
 *
 * A running older server goes on, but signs users in without asking for the second factor, so stop it before anyone turns one on.
 */
export function secondFactor({ uuid, timestamp, clustered }: ColumnTypes): string[] {
  return [
    'alter table users add column two_factor_enabled integer not null default 0',
    // The names of the columns are those of the authentication library.
    `create table two_factors (
      id ${uuid} not null primary key,
      user_id ${uuid} not null unique references users (id) on delete cascade,
      secret text not null,
      backup_codes text not null,
      verified integer not null,
      failed_verification_count integer not null default 0,
      locked_until ${timestamp}
    )`,
    `create table used_second_factor_codes (
      user_id ${uuid} not null references users (id) on delete cascade,
      code_hash text not null,
      used_at ${timestamp} not null,
      primary key (user_id, code_hash)
    ) ${clustered}`,
    'create index verifications_by_identifier on verifications (identifier)',
    'create index verifications_by_value on verifications (value)',
  ]
}
