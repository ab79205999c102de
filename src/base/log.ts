import { type Logger as PinoLogger, pino } from 'pino'

export type Logger = PinoLogger

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug'

/**
 * Logs one JSON object per line to standard error, so that the messages for people on standard output stay readable.
 */
export function createLogger(level: LogLevel): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['headers.authorization', 'headers.cookie', 'headers["set-cookie"]', '*.password', '*.token', '*.key'],
    },
    pino.destination({ fd: 2, sync: false }),
  )
}
