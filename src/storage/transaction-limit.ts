import { unavailable } from '../base/errors.ts'

/** What the caller of a transaction gets that reached its time limit. */
export function overdue() {
  return unavailable('The request needed too long in the database and was undone; try again, or send less at once')
}

/** A transaction holds locks of others, on the embedded engine the only one: several statements, but not for ever. */
export function transactionTimeoutMs(statementTimeoutMs: number): number {
  return 4 * statementTimeoutMs
}
