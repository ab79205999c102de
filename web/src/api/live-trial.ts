import { apiKey } from './api-query.ts'
import { type LiveTopic, useLiveQuery } from './live-events.ts'
import { TRACE_LINKS } from './traces-query.ts'
import { TRIAL_CALL, TRIAL_MATRIX } from './trial-matrix-query.ts'
import { TRIAL, TRIAL_FAILURES } from './trials-query.ts'

const PAUSE_MS = 3_000
/** The states of 100,000 calls are then read every ten seconds. */
const PAUSE_MS_PER_CALL = 0.1

interface LiveTrialOptions {
  applicationId: string
  /** How many calls are planned. */
  calls: number
  /** All its calls have ended, and so have their evaluations. */
  isSettled: boolean
}

/** Reads again what changes while a trial runs: its calls, why they failed, and the scores that their evaluations add. */
export function useLiveTrial({ applicationId, calls, isSettled }: LiveTrialOptions): void {
  const whileRunning = (...topics: LiveTopic[]) => (isSettled ? [] : topics)
  const matrixPause = Math.max(PAUSE_MS, calls * PAUSE_MS_PER_CALL)
  const ofCalls = whileRunning('trials')
  const ofScores = whileRunning('trials', 'evaluations')
  // A trial that has ended can still be renamed, retried or deleted by others.
  useLiveQuery(applicationId, isSettled ? ['trials'] : ofScores, apiKey(TRIAL, applicationId), { pauseMs: 1_500 })
  useLiveQuery(applicationId, ofCalls, apiKey(TRIAL_FAILURES, applicationId), { pauseMs: PAUSE_MS })
  useLiveQuery(applicationId, ofScores, apiKey(TRIAL_MATRIX, applicationId), { pauseMs: matrixPause })
  useLiveQuery(applicationId, ofCalls, apiKey(TRIAL_CALL, applicationId), { pauseMs: PAUSE_MS })
  useLiveQuery(applicationId, whileRunning('evaluations'), apiKey(TRACE_LINKS, applicationId), { pauseMs: PAUSE_MS })
}
