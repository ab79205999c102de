/**
 * A command that runs calls: one line of JSON per call on its stdin, one per answer on its stdout, in any order. It is started again after
 * it has ended, and killed if it writes nothing for too long.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { TransientError } from 'touchstone-sdk/client'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'
import { type CommandAnswer, readAnswer } from './read-answer.ts'

/** After this many starts without an answer, further ones would only fail further calls. */
const STARTS_MAX = 5
const PAUSE_MS = 500
const END_MS = 2_000
const SHOWN_LENGTH = 200

interface CommandOptions {
  words: readonly string[]
  folder: string
  env: Record<string, string | undefined>
  /** Of an answer. */
  timeoutMs: number
  onMessage(text: string): void
  /** Called once, when no further call can be run. */
  onBroken(error: CliError): void
}

export interface CallCommand {
  run(line: { id: string } & Record<string, unknown>, signal: AbortSignal): Promise<CommandAnswer>
  /** Waits until the program has ended, and kills it if it does not. */
  end(): Promise<void>
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

interface Started {
  child: Child
  waiting: Map<string, { answer(answer: CommandAnswer): void; fail(error: Error): void }>
  answers: number
  lastLineAt: number
  lastError: string
}

/** Rejects if the command cannot be started. */
export async function startCallCommand(options: CommandOptions): Promise<CallCommand> {
  const { onMessage, onBroken, timeoutMs } = options
  let current: Promise<Started> | undefined
  let startsWithoutAnswer = 0

  async function start(): Promise<Started> {
    if (startsWithoutAnswer > 0) await delay(PAUSE_MS * 2 ** (startsWithoutAnswer - 1))
    const child = await spawnCommand(options)
    const started: Started = { child, waiting: new Map(), answers: 0, lastLineAt: performance.now(), lastError: '' }
    // A command that has ended cannot read: its end is reported below.
    child.stdin.on('error', () => {})
    createInterface({ input: child.stdout }).on('line', (line) => receive(started, line))
    createInterface({ input: child.stderr }).on('line', (line) => {
      started.lastError = line
      onMessage(line)
    })
    child.on('close', (code, signal) => close(started, signal ?? `exit code ${code}`))
    return started
  }

  function receive(started: Started, line: string) {
    started.lastLineAt = performance.now()
    const found = readAnswer(line)
    const call = found && started.waiting.get(found.id)
    if (!call) {
      if (line.trim() !== '') onMessage(`Ignored, because it answers no call: ${line.slice(0, SHOWN_LENGTH)}`)
      return
    }
    started.answers += 1
    if ('error' in found) call.fail(found.error)
    else call.answer(found)
  }

  function close({ waiting, answers, lastError }: Started, reason: string) {
    current = undefined
    startsWithoutAnswer = answers > 0 ? 0 : startsWithoutAnswer + 1
    const detail = lastError === '' ? '' : `: ${lastError}`
    if (waiting.size > 0) onMessage(`The command ended with ${reason} while it ran ${waiting.size} calls.`)
    for (const { fail } of waiting.values())
      fail(new TransientError(`The command ended with ${reason} before it answered${detail}`))
    if (startsWithoutAnswer >= STARTS_MAX) {
      const message = `The command ended ${STARTS_MAX} times without an answer; the last time with ${reason}${detail}`
      onBroken(new CliError(message, EXIT.unexpected))
    }
  }

  current = start()
  await current
  return {
    async run(line, signal) {
      current ??= start()
      const started = await current.catch((error: CliError) => {
        onBroken(error)
        throw new TransientError(error.message)
      })
      signal.throwIfAborted()
      return new Promise<CommandAnswer>((resolve, reject) => {
        const settle = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', abort)
          started.waiting.delete(line.id)
        }
        const fail = (error: Error) => {
          settle()
          reject(error)
        }
        const answer = (found: CommandAnswer) => {
          settle()
          resolve(found)
        }
        const abort = () => fail(signal.reason)
        const timer = setTimeout(() => {
          fail(new TransientError(`The command did not answer within ${timeoutMs / 1000} s`))
          if (performance.now() - started.lastLineAt < timeoutMs) return
          onMessage(`The command has written nothing for ${timeoutMs / 1000} s. It is killed, and started again.`)
          killCommand(started.child, 'SIGKILL')
        }, timeoutMs)
        signal.addEventListener('abort', abort)
        started.waiting.set(line.id, { answer, fail })
        started.child.stdin.write(`${JSON.stringify(line)}\n`)
      })
    },
    async end() {
      const started = await current?.catch(() => undefined)
      if (started && current) await endCommand(started.child)
    },
  }
}

async function spawnCommand({ words: [program = '', ...words], folder, env }: CommandOptions): Promise<Child> {
  // In a group of its own: Ctrl-C must not end it before its calls, and its own programs are killed with it.
  const detached = process.platform !== 'win32'
  try {
    const child = spawn(program, words, { cwd: folder, env, detached, stdio: ['pipe', 'pipe', 'pipe'] })
    await once(child, 'spawn')
    return child
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CliError(`The command cannot be started: ${reason}`, EXIT.usage)
  }
}

/** The end of its input asks a command to end. */
async function endCommand(child: Child): Promise<void> {
  const closed = once(child, 'close')
  child.stdin.end()
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const timer = new AbortController()
    const isClosed = await Promise.race([
      closed.then(() => true),
      delay(END_MS, false, { signal: timer.signal }).catch(() => false),
    ])
    timer.abort()
    if (isClosed) return
    killCommand(child, signal)
  }
  await closed
}

function killCommand({ pid }: Child, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // It has just ended by itself.
  }
}
