import { type CallEnd, workOnCalls } from 'touchstone-sdk/client'
import type { CliContext, CommonFlags } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'
import { printableJson } from '../output/escape-text.ts'
import { startProgressLine } from '../output/progress-line.ts'
import { openSession } from '../session.ts'
import { startCallCommand } from '../trial-worker/call-command.ts'

const CONCURRENCY = 4
const TIMEOUT_SECONDS = 600
const GRACE_SECONDS = 5

interface WorkerFlags extends CommonFlags {
  component?: string
  queue?: string
  trial?: string
  concurrency?: number
  timeout?: number
  grace?: number
}

/** Runs the calls of a queue by a command, until Ctrl-C or the end of the trial. */
export async function runTrialWorker(this: CliContext, flags: WorkerFlags, ...words: string[]): Promise<void> {
  const { terminal, env, folder, signal } = this
  const { queue, trial: named, concurrency = CONCURRENCY, timeout = TIMEOUT_SECONDS, grace = GRACE_SECONDS } = flags
  if (queue === undefined) throw new CliError('Which queue? Pass --queue, as in the target of the variant.', EXIT.usage)
  if (words.length === 0)
    throw new CliError('Which command? Pass it after --, for example: -- node agent.js', EXIT.usage)
  const { client, component } = await openSession(this, flags)
  const { id: componentId } = await component(flags.component)
  const trial = named === undefined ? undefined : await client.trials.find(componentId, named, { signal })
  const stop = new AbortController()
  const onInterrupt = () => stop.abort()
  signal.addEventListener('abort', onInterrupt)
  let broken: CliError | undefined
  const command = await startCallCommand({
    words,
    folder,
    env,
    timeoutMs: timeout * 1_000,
    onMessage: terminal.message,
    onBroken(error) {
      broken = error
      stop.abort()
    },
  })
  const counts: Record<CallEnd['state'], number> = { done: 0, failed: 0, retrying: 0, returned: 0, lost: 0 }
  const progress = startProgressLine(terminal, describe(counts))
  try {
    await workOnCalls({
      api: client,
      componentId,
      trialId: trial?.id,
      queue,
      concurrency,
      graceMs: grace * 1_000,
      signal: stop.signal,
      // The lease names one attempt of a call: the number of a call is that of its trial only.
      run: ({ lease, leaseUntil: _, id: call, ...fields }, ended) => command.run({ id: lease, call, ...fields }, ended),
      onEnd(_, { state }) {
        counts[state] += 1
        progress.update(describe(counts))
      },
      onProblem: ({ message }) => terminal.message(message),
    })
  } finally {
    await command.end()
    progress.end()
    signal.removeEventListener('abort', onInterrupt)
  }
  if (flags.json) terminal.data(`${printableJson(counts)}\n`)
  else terminal.message(describe(counts))
  if (broken) throw broken
}

function describe({ done, failed, retrying, returned, lost }: Record<CallEnd['state'], number>): string {
  const rest = Object.entries({ failed, 'to be tried again': retrying, returned, lost })
  const parts = rest.flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []))
  return [`${done} calls done`, ...parts].join(', ')
}
