/** Runs commands of the client without a process each. */
import type { CliContext } from '../../packages/cli/src/cli-context.ts'
import { createTerminal } from '../../packages/cli/src/output/terminal.ts'
import { runCommand } from '../../packages/cli/src/run-cli.ts'

export type CommandResult = { code: number; output: string; errors: string }

export type CommandOptions = {
  url: string
  key: string
  environment?: Record<string, string>
  signal?: AbortSignal
  folder?: string
  /** Called with what is written on stderr, at once. */
  onMessage?: (text: string) => void
}

export async function touchstone(args: string[], options: CommandOptions): Promise<CommandResult> {
  const { url, key, environment, signal = new AbortController().signal, folder = '/', onMessage } = options
  const result = { code: 0, output: '', errors: '' }
  const stdout = {
    write(text: string | Uint8Array) {
      result.output += text
    },
  }
  const stderr = {
    write(text: string | Uint8Array) {
      result.errors += text
      onMessage?.(String(text))
    },
  }
  const env = { XDG_CONFIG_HOME: '/nonexistent', TOUCHSTONE_URL: url, TOUCHSTONE_API_KEY: key, ...environment }
  const terminal = createTerminal({ stdout, stderr, env })
  terminal.hide(key)
  const context: CliContext = {
    process: { stdout, stderr, env },
    terminal,
    env,
    folder,
    stdin: Object.assign((async function* () {})(), { isTTY: false }),
    signal,
    exitCode: 0,
  }
  result.code = await runCommand(args, context)
  return result
}
