import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { hasStatus } from './api-error.ts'
import { apiKey } from './api-query.ts'
import type { EvaluationKey } from './components-query.ts'
import { CASES, EVALUATION, SCORE_SUMMARY, SUMMARIES } from './evaluation-query.ts'
import { readEvents } from './event-stream.ts'
import type { EvaluationDetail } from './generated/api.ts'

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
  const [live, setLive] = useState(NOTHING)
  // A browser opens six connections to a server at most: streams of hidden tabs could take all of them.
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState !== 'hidden')
  const isFollowed = isRunning && isVisible
  useEffect(() => {
    if (!isFollowed) return undefined
    const ending = new AbortController()
    const { signal } = ending
    const samples: ProgressSample[] = []
    setLive(NOTHING)
    const onEvent = ({ event, data }: { event?: string | undefined; data: string }) => {
      const sent = JSON.parse(data)
      if (event === 'error') setLive((known) => ({ ...known, firstError: String(sent.error) }))
      if (event !== 'progress') return
      const progress: Progress = sent.progress
      samples.push({ atMs: Date.now(), finished: progress.done + progress.failed + progress.skipped })
      const left = secondsLeft(samples, progress.total)
      setLive((known) => ({ ...known, progress, spentUsd: sent.spentUsd, secondsLeft: left }))
    }
    const follow = async () => {
      while (!signal.aborted) {
        let hasEnded = false
        try {
          const path = `/components/${componentId}/evaluations/${evaluationId}/events`
          await readEvents(path, {
            applicationId,
            signal,
            onEvent: (message) => {
              onEvent(message)
              hasEnded ||= message.event === 'end'
            },
          })
        } catch (error) {
          // The requests of the page show the reason.
          if (hasStatus(error, 401) || hasStatus(error, 403) || hasStatus(error, 404)) return
        }
        if (hasEnded) {
          await Promise.all(
            [EVALUATION, SUMMARIES, SCORE_SUMMARY, CASES].map((path) =>
              queryClient.invalidateQueries({ queryKey: apiKey(path as typeof EVALUATION, applicationId) }),
            ),
          )
          return
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
    void follow()
    return () => ending.abort()
  }, [applicationId, componentId, evaluationId, isFollowed, queryClient])
  return isRunning ? live : NOTHING
}

export function onVisibility(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
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
