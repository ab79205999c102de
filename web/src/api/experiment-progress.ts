import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { allOfExperiments, type ExperimentKey } from './experiments-query.ts'
import type { ExperimentDetail } from './generated/api.ts'
import { useProgressStream } from './use-progress-stream.ts'

interface SentProgress {
  status: ExperimentDetail['status']
  phase: ExperimentDetail['phase']
  endedBy: ExperimentDetail['endedBy']
  progress: ExperimentDetail['progress']
  spentUsd: number
}

export interface LiveExperiment {
  sent: SentProgress | undefined
  /** When the stream was lost; undefined while it is read. */
  lostAt: Date | undefined
  /** Connects again at once. */
  reconnect: () => void
}

const RETRY_MS = 5_000

/** Follows an experiment until it ends; everything about it is read again when a proposal has ended, and at the end. */
export function useExperimentProgress(key: ExperimentKey, isFollowed: boolean): LiveExperiment {
  const { applicationId, componentId, experimentId } = key
  const queryClient = useQueryClient()
  const [sent, setSent] = useState<SentProgress>()
  const [lostAt, setLostAt] = useState<Date>()
  const refresh = () => queryClient.invalidateQueries(allOfExperiments(applicationId))
  const reconnect = useProgressStream({
    path: `/components/${componentId}/experiments/${experimentId}/events`,
    applicationId,
    isFollowed,
    retryMs: RETRY_MS,
    onEvent: (event, data) => {
      setLostAt(undefined)
      if (event !== 'progress') return
      const next = data as SentProgress
      if (stepOf(next) !== stepOf(sent)) void refresh()
      setSent(next)
    },
    onLost: () => setLostAt((known) => known ?? new Date()),
    onEnd: async () => {
      await refresh()
      setSent(undefined)
    },
  })
  return { sent: isFollowed ? sent : undefined, lostAt: isFollowed ? lostAt : undefined, reconnect }
}

/** What changes the chart and the list of proposals. Calls alone change only numbers that the stream has. */
function stepOf(sent: SentProgress | undefined): string {
  const { proposals, validated, rejected } = sent?.progress ?? {}
  return JSON.stringify([sent?.status, sent?.phase, sent?.endedBy, proposals, validated, rejected])
}

/** The experiment with what the stream has sent since it was read. */
export function withExperimentProgress(experiment: ExperimentDetail, sent: SentProgress | undefined): ExperimentDetail {
  if (!sent || experiment.status === 'completed' || experiment.status === 'failed') return experiment
  const { spentUsd, ...state } = sent
  return { ...experiment, ...state, cost: { ...experiment.cost, spentUsd } }
}
