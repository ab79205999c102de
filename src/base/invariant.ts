/** States what must hold if our own code is right. A failure is our bug: the request fails, the process goes on. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Invariant broken: ${message}`)
}
