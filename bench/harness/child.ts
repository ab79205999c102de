/**
 * Runs a part of the benchmark in a process of its own, to measure its CPU time separately, and sends commands to it.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** The commands of a child process. The parent imports only the type of this table. */
type Commands = Record<string, (argument: never) => Promise<unknown>>

export type Child<C extends Commands> = {
  readonly port: number
  readonly pid: number
  /** From the start of the process until it accepted connections. */
  readonly startMs: number
  ask<Name extends keyof C & string>(
    name: Name,
    ...argument: Parameters<C[Name]>
  ): Promise<Awaited<ReturnType<C[Name]>>>
  stop(): Promise<void>
}

type ChildOptions = { argv?: string[]; environment?: Record<string, string> }

/** Starts a file that calls `serveParent`, and waits until it listens. */
export async function startChild<C extends Commands>(
  file: string,
  { argv = [], environment = {} }: ChildOptions = {},
): Promise<Child<C>> {
  const startedAt = performance.now()
  const env = { ...process.env, ...environment }
  const child = fork(file, argv, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env })
  const port = Number(await answerOf(child))
  const startMs = performance.now() - startedAt
  let previous: Promise<unknown> = Promise.resolve()

  function ask<Name extends keyof C & string>(
    name: Name,
    ...argument: Parameters<C[Name]>
  ): Promise<Awaited<ReturnType<C[Name]>>>
  function ask(name: string, argument?: unknown): Promise<unknown> {
    // One command at a time: replies have no id.
    previous = previous.then(() => {
      child.send({ name, argument })
      return answerOf(child)
    })
    return previous
  }

  return {
    port,
    pid: child.pid ?? 0,
    startMs,
    ask,
    async stop() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

/** The child's side. It exits when the parent has exited or was killed. */
export function serveParent(port: number, commands: Commands, close: () => Promise<void>): void {
  const table = new Map<string, (argument: unknown) => Promise<unknown>>(Object.entries(anyArgument(commands)))
  process.on('message', async (message: { name: string; argument?: unknown }) => {
    try {
      const command = table.get(message.name)
      if (!command) throw new Error(`there is no command ${message.name}`)
      process.send?.({ value: await command(message.argument) })
    } catch (error) {
      process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
  const end = async () => {
    await close()
    process.exit(0)
  }
  process.on('disconnect', end)
  if (process.connected) process.send?.({ value: port })
  else void end()
}

/** The argument was checked by the sender: `ask` accepts only what the command accepts. */
function anyArgument(commands: Commands): Record<string, (argument: unknown) => Promise<unknown>>
function anyArgument(commands: unknown): unknown {
  return commands
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const gone = new AbortController()
  const ended = once(child, 'exit', { signal: gone.signal }).then(() => {
    throw new Error(`${child.spawnargs[1]} ended before it answered`)
  })
  // The race is decided by then; a later failure must not count as an unhandled rejection.
  ended.catch(() => {})
  try {
    const [message]: { value?: unknown; error?: string }[] = await Promise.race([once(child, 'message'), ended])
    if (message?.error !== undefined) throw new Error(message.error)
    return message?.value
  } finally {
    gone.abort()
  }
}
