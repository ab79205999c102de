import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { apiKey } from './api-query.ts'
import type { EvaluationKey } from './components-query.ts'
import { CASES, EVALUATION, SCORE_SUMMARY, SUMMARIES } from './evaluation-query.ts'
import type { EvaluationDetail } from './generated/api.ts'
import { useProgressStream } from './use-progress-stream.ts'

type Progress = EvaluationDetail['progress']

export interface LiveProgress {
  progress: Progress | undefined
  spentUsd: number | null
  /** As soon as it occurs. */
  firstError: string | undefined
  /** Undefined until it can be estimated. */
  secondsLeft: number | undefined
}

const NOTHING: LiveProgress = { progress: undefined, spentUsd: null, firstError: undefined, secondsLeft: undefined }
const RETRY_MS = 2_000

/** Follows an evaluation while it runs; everything about it is read again when it ends. */
export function useEvaluationProgress({ applicationId, componentId, evaluationId }: EvaluationKey, isRunning: boolean) {
  const queryClient = useQueryClient()
  const path = `/components/${componentId}/evaluations/${evaluationId}/events`
  const [live, setLive] = useState({ ...NOTHING, path })
  const samples = useRef<ProgressSample[]>([])
  const change = (changes: Partial<LiveProgress>) =>
    setLive((known) => ({ ...(known.path === path ? known : NOTHING), ...changes, path }))
  useProgressStream({
    path,
    applicationId,
    isFollowed: isRunning,
    retryMs: RETRY_MS,
    onStart: () => {
      samples.current = []
    },
    onEvent: (event, data) => {
      const sent = data as { error: unknown; progress: Progress; spentUsd: number | null }
      if (event === 'error') change({ firstError: String(sent.error) })
      if (event !== 'progress') return
      const { progress, spentUsd } = sent
      samples.current.push({ atMs: Date.now(), finished: progress.done + progress.failed + progress.skipped })
      change({ progress, spentUsd, secondsLeft: secondsLeft(samples.current, progress.total) })
    },
    onEnd: () =>
      Promise.all(
        [EVALUATION, SUMMARIES, SCORE_SUMMARY, CASES].map((of) =>
          queryClient.invalidateQueries({ queryKey: apiKey(of as typeof EVALUATION, applicationId) }),
        ),
      ),
  })
  return isRunning && live.path === path ? live : NOTHING
}

export interface ProgressSample {
  atMs: number
  /** Scores with a final state. */
  finished: number
}

const FINISHED_MIN = 3
const ELAPSED_MS_MIN = 2_000

/** By the speed since the first sample; undefined while too little has happened to know it. */
export function secondsLeft(samples: readonly ProgressSample[], total: number): number | undefined {
  const [first] = samples
  const last = samples.at(-1)
  if (!first || !last) return undefined
  const finished = last.finished - first.finished
  const elapsedMs = last.atMs - first.atMs
  if (finished < FINISHED_MIN || elapsedMs < ELAPSED_MS_MIN) return undefined
  return ((total - last.finished) * elapsedMs) / finished / 1_000
}
