import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Trace } from '../../api/generated/api.ts'
import { outlineQuery, type TraceKey, traceLinksQuery, traceQuery } from '../../api/traces-query.ts'
import { runTitle } from '../runs/run-title.ts'
import { buildOutline, type OutlineModel } from '../trace/outline-model.ts'

export interface ComparedTrace {
  key: TraceKey
  trace: Trace
  outline: OutlineModel
  /** Of all spans; the outline has at most the first 50,000. */
  spanCount: number
  /** Of its newest run, or its own. */
  name: string
}

export function useComparedTrace(applicationId: string, traceId: string): ComparedTrace {
  const key = useMemo(() => ({ applicationId, traceId }), [applicationId, traceId])
  const { data: trace } = useSuspenseQuery(traceQuery(key))
  const { data: columns } = useSuspenseQuery(outlineQuery(key))
  const outline = useMemo(() => buildOutline(columns), [columns])
  const run = useQuery(traceLinksQuery(key)).data?.runs[0]
  return {
    key,
    trace,
    outline,
    spanCount: columns.total,
    name: run ? runTitle({ ...run, name: run.runName }) : (trace.name ?? 'Trace'),
  }
}
