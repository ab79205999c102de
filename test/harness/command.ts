/** Commands of the program, run in the test's own process: loading the program again costs more than what most of them do. */
import { run } from '../../src/cli/run.ts'

export type CommandResult = { code: number; output: string; errors: string }

/** Runs a command to its end, with these settings and no others. One at a time: its output is what is written meanwhile. */
export async function runInProcess(
  command: readonly string[],
  environment: Record<string, string> = {},
): Promise<CommandResult> {
  const before = process.env
  const streams = { output: record(process.stdout), errors: record(process.stderr) }
  process.env = { PATH: before['PATH'], TOUCHSTONE_LOG_LEVEL: 'error', ...environment }
  try {
    const code = await run([...command])
    return { code, output: streams.output.written(), errors: streams.errors.written() }
  } finally {
    process.env = before
    for (const stream of Object.values(streams)) stream.restore()
  }
}

function record(stream: NodeJS.WriteStream): { written(): string; restore(): void } {
  const { write } = stream
  let text = ''
  stream.write = (piece: string | Uint8Array) => {
    text += typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8')
    return true
  }
  return {
    written: () => text,
    restore() {
      stream.write = write
    },
  }
}
