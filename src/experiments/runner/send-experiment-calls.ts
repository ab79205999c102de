/** Sends the calls that are due. A few concurrent tasks each send one and store its end, so that a call that hangs blocks only one of them. */
import { invariant } from '../../base/invariant.ts'
import { createPool } from '../../trials/runner/pool.ts'
import type { OpenCall } from '../calls/experiment-call-queries.ts'
import { type CandidateContent, findContents, type IterationRow } from '../iteration-queries.ts'
import { answerItem } from './answer-item.ts'
import { searchLimit } from './experiment-budget.ts'
import type { StoredSearch } from './read-search.ts'
import { reflect } from './reflect.ts'
import type { Models, Running, Sending } from './searching.ts'

export type Sent = 'sent' | 'nothing is due' | 'stopped' | { overBudget: string }

export async function sendExperimentCalls(
  running: Running,
  models: Models,
  { open, stored }: { open: readonly OpenCall[]; stored: StoredSearch },
): Promise<Sent> {
  const { softStop, experiment, plan, items, job, deps } = running
  const due = open.filter((call) => call.isDue && deps.backoff.leftMs(pausedBy(models, call)) === 0)
  if (due.length === 0) return 'nothing is due'
  const pool = createPool()
  let isOver = false
  let overBudget: string | undefined
  const sending: Sending = {
    ...running,
    models,
    flight: new Map(),
    pool,
    limitNanoUsd: searchLimit(plan, { ...experiment, calls: stored.calls, testItems: items.test }),
    isOver: () => isOver,
  }
  const read = await readPrompts(running, due, stored.iterations)
  const hasTime = () => experiment.endsAt === null || job.clock.now() < Date.parse(experiment.endsAt)
  let next = 0

  async function work(): Promise<void> {
    while (!softStop.aborted && !isOver && hasTime()) {
      const call = due[next++]
      if (!call) return
      // Paused by a call that was sent meanwhile.
      if (deps.backoff.leftMs(pausedBy(models, call)) > 0) continue
      pool.enter()
      sending.flight.set(call.number, 0)
      try {
        const end = await sendCall(sending, call, read)
        if (typeof end === 'object') {
          isOver = true
          overBudget = end.overBudget
        }
      } finally {
        sending.flight.delete(call.number)
        pool.leave()
      }
    }
  }

  const tasks = Array.from({ length: plan.concurrency }, () =>
    work().catch((error: unknown) => {
      // The cause, such as a lost lease, affects all tasks.
      isOver = true
      pool.wake()
      throw error
    }),
  )
  const failed = (await Promise.allSettled(tasks)).find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
  if (softStop.aborted) return 'stopped'
  return overBudget === undefined ? 'sent' : { overBudget }
}

function pausedBy({ reflection, prompt }: Models, { kind }: OpenCall): string {
  return kind === 'reflection' ? reflection.connection.id : prompt.source.connection.id
}

type Prompts = { iterations: ReadonlyMap<number, IterationRow>; prompts: ReadonlyMap<number, CandidateContent> }

async function readPrompts(
  { job, of }: Running,
  due: readonly OpenCall[],
  rows: readonly IterationRow[],
): Promise<Prompts> {
  const iterations = new Map(rows.map((row) => [row.number, row]))
  const wanted = due.map(({ kind, iteration }) =>
    kind === 'reflection' ? (iterations.get(iteration)?.parent ?? 0) : iteration,
  )
  const contents = await findContents(job.db.read, of, [...new Set(wanted)])
  const prompts = new Map([...contents].flatMap(([number, { content }]) => (content ? [[number, content]] : [])))
  return { iterations, prompts }
}

function sendCall(sending: Sending, call: OpenCall, { iterations, prompts }: Prompts) {
  const iteration = iterations.get(call.iteration)
  invariant(iteration !== undefined, 'a call belongs to a candidate')
  const prompt = prompts.get(call.kind === 'reflection' ? (iteration.parent ?? 0) : call.iteration)
  invariant(prompt !== undefined, 'a candidate that is asked has a prompt')
  if (call.kind === 'reflection') return reflect(sending, call, { iteration, parent: prompt })
  return answerItem(sending, call, prompt)
}
