/** Runs a part of the benchmark in a process of its own, so that its CPU time is its own, and talks to it in commands. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** What a child process can be asked for. The type of its table of commands is all that the parent knows of it. */
type Commands = Record<string, (argument: never) => Promise<unknown>>

export type Child<C extends Commands> = {
  readonly port: number
  readonly pid: number
  /** From the moment it was started until it took connections. */
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
    // One question at a time: answers carry no name.
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

/** The child's side. It ends when the parent has gone, also if that was killed. */
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

/** The argument was checked where it was sent: `ask` takes only what the command takes. */
function anyArgument(commands: Commands): Record<string, (argument: unknown) => Promise<unknown>>
function anyArgument(commands: unknown): unknown {
  return commands
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const gone = new AbortController()
  const ended = once(child, 'exit', { signal: gone.signal }).then(() => {
    throw new Error(`${child.spawnargs[1]} ended before it answered`)
  })
  // The race is over by then; what is left of it must not count as an unhandled failure.
  ended.catch(() => {})
  try {
    const [message]: { value?: unknown; error?: string }[] = await Promise.race([once(child, 'message'), ended])
    if (message?.error !== undefined) throw new Error(message.error)
    return message?.value
  } finally {
    gone.abort()
  }
}
