import { useQuery } from '@tanstack/react-query'
import { hasStatus } from '../../api/api-error.ts'
import { type TraceFilter, traceSeriesQuery } from '../../api/trace-list-query.ts'
import { TimeStrip, timeStripHeight } from '../../ui/charts/time-strip.tsx'
import { QueryError } from '../shell/query-error.tsx'

interface TracesStripProps {
  applicationId: string
  filter: TraceFilter
  onSelect: (range: { from: string; to: string } | undefined) => void
}

/** Volume and errors over time; a range that is marked filters the list. */
export function TracesStrip({ applicationId, filter, onSelect }: TracesStripProps) {
  const series = useQuery(traceSeriesQuery(applicationId, filter))
  const { data, error } = series
  // A query that cannot be read is explained at its field.
  if (error && !hasStatus(error, 400)) return <QueryError query={series} />
  const buckets = data?.series[0]?.buckets ?? []
  if (!data) return <div className={timeStripHeight} />
  return (
    <TimeStrip
      title="Traces over time"
      range={{ from: Date.parse(data.from), to: Date.parse(data.to) }}
      counted={{ from: Date.parse(filter.from ?? data.from), to: Date.parse(filter.to ?? data.to) }}
      bucketMs={data.bucketSeconds * 1000}
      buckets={buckets.map(({ start, count, errors }) => ({ start: Date.parse(start), count, errors }))}
      onSelect={(range) =>
        onSelect(range && { from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() })
      }
    />
  )
}
