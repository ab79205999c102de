/** The command line in the test's own process: starting one for each of its commands would need longer than all of them. */
import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { runCli } from '../../packages/cli/src/run-cli.ts'

export type CliRun = {
  /** What it has printed until now. */
  readonly output: string
  readonly errors: string
  /** Ctrl-C. */
  interrupt(): void
  ended: Promise<number>
}

export type CliOptions = { env: Record<string, string>; folder: string; input?: string }

export function startCli(words: readonly string[], { env, folder, input = '' }: CliOptions): CliRun {
  let output = ''
  let errors = ''
  const stream = (take: (text: string) => void) =>
    Object.assign(new EventEmitter(), {
      write(text: string | Uint8Array) {
        take(Buffer.from(text).toString('utf8'))
        return true
      },
    })
  const from = Object.assign(new EventEmitter(), {
    argv: ['node', 'touchstone', ...words],
    env,
    stdout: stream((text) => (output += text)),
    stderr: stream((text) => (errors += text)),
    stdin: Readable.from([Buffer.from(input)]),
    cwd: () => folder,
    exit: () => undefined,
  })
  // The program uses no more of a process than this.
  const ended = runCli(from as unknown as NodeJS.Process)
  return {
    get output() {
      return output
    },
    get errors() {
      return errors
    },
    interrupt: () => void from.emit('SIGINT'),
    ended,
  }
}

export async function runInCli(words: readonly string[], options: CliOptions) {
  const run = startCli(words, options)
  const code = await run.ended
  return { code, output: run.output, errors: run.errors }
}
