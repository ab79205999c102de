import type { CommandContext, StricliProcess } from '@stricli/core'
import type { Terminal } from './output/terminal.ts'

/** What commands use of the process, so that tests can run them without one. */
export interface CliContext extends CommandContext {
  readonly process: StricliProcess
  readonly terminal: Terminal
  readonly env: Record<string, string | undefined>
  readonly folder: string
  readonly stdin: AsyncIterable<Uint8Array> & { isTTY?: boolean; destroy?(): unknown }
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal
  /** Set by a command that failed. */
  exitCode: number
}

export interface CommonFlags {
  url?: string
  config?: string
  json?: boolean
  debug?: boolean
}
