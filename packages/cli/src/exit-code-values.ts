/** What scripts rely on. A number that is documented never changes its meaning. */
export const EXIT = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  authentication: 3,
  notFound: 4,
  /** No connection, a server error, or too many requests. */
  unavailable: 5,
  gateShut: 10,
  cannotDecide: 11,
  interrupted: 130,
  /** What a shell reports of a program whose reader has gone. */
  brokenPipe: 141,
} as const
