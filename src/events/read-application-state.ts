import { type Clock, elapsedMs } from '../base/clock.ts'
import { readEndpointState } from '../endpoints/endpoint-queries.ts'
import { readPromptState } from '../prompts/served-prompt-queries.ts'
import { readSpendingState } from '../spending/spending-queries.ts'
import type { Db, Queries } from '../storage/db.ts'
import {
  readAnnotationState,
  readDecisionState,
  readEvaluationState,
  readExperimentState,
  readRunState,
  readTraceState,
  readTrialState,
} from './change-queries.ts'

const READERS = {
  traces: readTraceState,
  runs: readRunState,
  evaluations: readEvaluationState,
  annotations: readAnnotationState,
  decisions: readDecisionState,
  prompts: readPromptState,
  endpoints: readEndpointState,
  spending: readSpendingState,
  trials: readTrialState,
  experiments: readExperimentState,
} satisfies Record<string, (q: Queries, workspaceId: string) => Promise<unknown>>

export type Topic = keyof typeof READERS

export const TOPICS = Object.keys(READERS) as Topic[]

/** For each topic a text that differs once something of it has changed. */
export type ApplicationState = Record<Topic, string>

/** All streams of an application share one reading of this age. */
export const STATE_AGE_MS_MAX = 500

export type ReadApplicationState = (context: { db: Db; clock: Clock }, workspaceId: string) => Promise<ApplicationState>

/** The state is read from the database because another process may have changed it. */
export function createStateReader(): ReadApplicationState {
  const readings = new Map<string, { at: number; state: Promise<ApplicationState> }>()
  return ({ db, clock }, workspaceId) => {
    const now = elapsedMs(clock)
    const last = readings.get(workspaceId)
    if (last && now - last.at < STATE_AGE_MS_MAX) return last.state
    for (const [id, { at }] of readings) if (now - at >= STATE_AGE_MS_MAX) readings.delete(id)
    const state = readState(db.read, workspaceId)
    readings.set(workspaceId, { at: now, state })
    return state
  }
}

async function readState(q: Queries, workspaceId: string): Promise<ApplicationState> {
  const read = async (topic: Topic) => [topic, JSON.stringify(await READERS[topic](q, workspaceId))] as const
  return Object.fromEntries(await Promise.all(TOPICS.map(read))) as ApplicationState
}
