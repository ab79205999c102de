import { unavailable } from '../base/errors.ts'

/** The error of a transaction that reached its time limit. */
export function overdue() {
  return unavailable('The request needed too long in the database and was undone; try again, or send less at once')
}

/** A transaction may run several statements, but blocks others: on the embedded engine all other writers. */
export function transactionTimeoutMs(statementTimeoutMs: number): number {
  return 4 * statementTimeoutMs
}
