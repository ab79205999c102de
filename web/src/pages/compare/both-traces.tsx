import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { outlineQuery, traceQuery } from '../../api/traces-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { SeriesIcon } from '../../ui/charts/series-mark.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { buildOutline } from '../trace/outline-model.ts'
import { TraceSummary } from '../trace/trace-summary.tsx'
import type { Row } from './row-model.ts'

interface BothTracesProps {
  applicationId: string
  row: Row
  names: { baseline: string; candidate: string }
  isOpen: boolean
  onClose: () => void
}

/** The traces of both runs side by side. A dialog, because browsers open one tab at a time. */
export function BothTraces({ applicationId, row, names, isOpen, onClose }: BothTracesProps) {
  return (
    <Dialog title="Both traces" isOpen={isOpen} onClose={onClose} size="wide">
      <div className="grid grid-cols-1 gap-8 md:grid-cols-2">
        {(['baseline', 'candidate'] as const).map((side) => (
          <section key={side} aria-label={names[side]} className="min-w-0">
            <p
              className={`mb-3 truncate border-b-2 pb-2 text-data font-medium ${side === 'baseline' ? 'border-series-1' : 'border-series-2'}`}
            >
              <SeriesIcon series={side} />
              <bdi>{names[side]}</bdi>
            </p>
            <OneTrace applicationId={applicationId} traceId={row[`${side}TraceId`]} />
          </section>
        ))}
      </div>
    </Dialog>
  )
}

function OneTrace({ applicationId, traceId }: { applicationId: string; traceId: string | null }) {
  const key = { applicationId, traceId: traceId ?? '' }
  const trace = useQuery({ ...traceQuery(key), enabled: traceId !== null })
  const columns = useQuery({ ...outlineQuery(key), enabled: traceId !== null })
  const outline = useMemo(() => columns.data && buildOutline(columns.data), [columns.data])
  const navigate = useNavigate()
  if (traceId === null) return <p className="text-soft">The run has no trace of this item.</p>
  const failed = trace.error ? trace : columns.error ? columns : undefined
  if (failed) return <QueryError query={failed} />
  if (!trace.data || !outline) return <Skeleton rows={4} />
  const path = pagePaths.trace(applicationId, traceId)
  return (
    <>
      <TraceSummary
        trace={trace.data}
        outline={outline}
        traceKey={key}
        onSelect={({ spanId }) => void navigate({ to: path, search: { span: spanId } })}
      />
      <Link to={path} className={`${buttonClass('secondary', 'small')} mt-4`}>
        Open the whole trace
      </Link>
    </>
  )
}
