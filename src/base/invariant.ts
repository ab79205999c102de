/**
 * Checks a condition that holds unless the code has a bug. If it fails, the request fails and the process continues.
 */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Invariant broken: ${message}`)
}
