/** The two streams of a command: stdout is data, stderr is messages. */
import { escapeLines } from './escape-text.ts'

export interface Terminal {
  /** Whether data is read by a person. */
  readonly isTerminal: boolean
  /** Whether messages are read by a person, so that a line may be replaced. */
  readonly isLive: boolean
  readonly hasColor: boolean
  /** Columns of the terminal; undefined if data is not printed on one. */
  readonly columns: number | undefined
  /** Writes data as it is. */
  data(text: string | Uint8Array): void
  /** Writes a line for the user. Secrets that are known are removed, and control characters escaped. */
  message(text: string): void
  /** Replaces the last status line, if messages are printed on a terminal. */
  status(text: string): void
  /** From now on this text appears in no message. */
  hide(secret: string): void
  paint(color: Color, text: string): string
}

type Color = keyof typeof CODES

const CODES = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 }

interface OutputStream {
  write(text: string | Uint8Array): unknown
  isTTY?: boolean
  columns?: number
}

interface Streams {
  stdout: OutputStream
  stderr: OutputStream
  env: Record<string, string | undefined>
}

export function createTerminal({ stdout, stderr, env }: Streams): Terminal {
  const secrets = new Set<string>()
  const redact = (text: string) => {
    let redacted = text
    for (const secret of secrets) redacted = redacted.replaceAll(secret, '[API key]')
    return escapeLines(redacted)
  }
  const isLive = stderr.isTTY === true && env['TERM'] !== 'dumb'
  let hasStatus = false
  const clearStatus = () => {
    if (hasStatus) stderr.write('\r\u001b[K')
    hasStatus = false
  }
  const hasColor = wantsColor(stdout, env)
  return {
    isTerminal: stdout.isTTY === true,
    isLive,
    hasColor,
    columns: stdout.isTTY ? stdout.columns || 80 : undefined,
    data(text) {
      clearStatus()
      stdout.write(text)
    },
    message(text) {
      clearStatus()
      stderr.write(`${redact(text)}\n`)
    },
    status(text) {
      if (!isLive) return
      clearStatus()
      stderr.write(redact(text).slice(0, (stderr.columns || 80) - 1))
      hasStatus = true
    },
    hide(secret) {
      if (secret !== '') secrets.add(secret)
    },
    paint: (color, text) => (hasColor ? `\u001b[${CODES[color]}m${text}\u001b[0m` : text),
  }
}

/** As https://no-color.org and https://force-color.org define it. */
function wantsColor({ isTTY }: { isTTY?: boolean }, env: Record<string, string | undefined>): boolean {
  if (env['NO_COLOR']) return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  return isTTY === true && env['TERM'] !== 'dumb'
}
