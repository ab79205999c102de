import { Writable } from 'node:stream'
import { type Level, pino } from 'pino'
import type { Logger } from '../../src/base/log.ts'

/** A log for a server, and its lines. */
export function collectingLog(level: Level): { log: Logger; logged: string[] } {
  const logged: string[] = []
  const stream = new Writable({
    write(line, _encoding, done) {
      logged.push(String(line))
      done()
    },
  })
  return { log: pino({ level }, stream), logged }
}
