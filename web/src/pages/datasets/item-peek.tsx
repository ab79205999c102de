import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { DatasetKey } from '../../api/dataset-items-query.ts'
import { usePersonName } from '../../api/directory-query.ts'
import type { DatasetItem, ItemDetail, RunColumn } from '../../api/generated/api.ts'
import { type ItemChange, itemDetailQuery } from '../../api/item-rows-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { countOf } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { PeekPanel } from '../../ui/peek-panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { GroupName, runName, sourceWords } from './item-columns.tsx'
import type { ItemField } from './item-editing.ts'
import { MetricMark, MetricValue, Turn } from './item-results.tsx'
import { ItemTextSection } from './item-text-section.tsx'
import { SplitSelect } from './split-select.tsx'
import { changeOf, textOf } from './use-item-edits.ts'

interface ItemPeekProps {
  datasetKey: DatasetKey
  itemId: string
  position: string | undefined
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
  /** Undefined for those who may not edit. */
  onChange: ((number: number, change: ItemChange) => void) | undefined
  onClose: () => void
}

/** An item next to the list: its whole texts, where it comes from, and what each run made of it. */
export function ItemPeek({ datasetKey, itemId, position, onChange, ...on }: ItemPeekProps) {
  const detail = useQuery(itemDetailQuery(datasetKey, itemId))
  return (
    <PeekPanel label="Item" {...(position && { position })} {...on}>
      {detail.error && !detail.data && <QueryError query={detail} />}
      {detail.isPending && <Skeleton rows={4} />}
      {detail.data && (
        <ItemContent
          key={itemId}
          datasetKey={datasetKey}
          detail={detail.data}
          onChange={onChange && ((change) => onChange(detail.data.row.number, change))}
        />
      )}
    </PeekPanel>
  )
}

interface ItemContentProps {
  datasetKey: DatasetKey
  detail: ItemDetail
  onChange: ((change: ItemChange) => void) | undefined
}

function ItemContent({ datasetKey, detail, onChange }: ItemContentProps) {
  const { item, row } = detail
  const section = (title: string, field: ItemField) => (
    <ItemTextSection
      title={title}
      field={field}
      text={textOf(item, field)}
      onSave={onChange && ((text) => onChange(changeOf(field, text)))}
    />
  )
  return (
    <>
      <h2 className="sr-only">Item {row.number}</h2>
      {section('Question', 'input')}
      {section('Expected', 'expected')}
      {item.output !== null && <ItemTextSection title="Output" field="input" text={item.output} onSave={undefined} />}
      <Results datasetKey={datasetKey} detail={detail} />
      {section('Metadata', 'metadata')}
      <Facts datasetKey={datasetKey} detail={detail} item={item} onChange={onChange} />
    </>
  )
}

function Results({
  datasetKey: { applicationId, componentId },
  detail: { row, runs },
}: Omit<ItemContentProps, 'onChange'>) {
  return (
    <section className="mt-4">
      <h3 className="text-meta font-medium text-soft">Results, newest run first</h3>
      {runs.length === 0 && <p className="text-data text-soft">No run of this dataset has been evaluated.</p>}
      <ul className="text-data">
        {runs
          .map((column, place) => ({ column, result: row.results[place], before: answerBefore(row, runs, place) }))
          .toReversed()
          .map(({ column, result, before }) => (
            <li key={column.run.id} className="border-b border-line py-2">
              <div className="flex flex-wrap items-baseline gap-x-3">
                <Link to={pagePaths.run(applicationId, componentId, column.run.id)} className={linkClass}>
                  {runName(column)}
                </Link>
                <Turn turned={result?.turned ?? null} />
                <span className="ml-auto flex flex-wrap gap-x-3 text-meta">
                  {result?.traceId && (
                    <Link to={pagePaths.trace(applicationId, result.traceId)} className={linkClass}>
                      Trace
                    </Link>
                  )}
                  {result?.traceId && before && (
                    <Link
                      to={pagePaths.compareTraces(applicationId)}
                      search={{ left: before.traceId, right: result.traceId }}
                      className={linkClass}
                    >
                      Compare<span className="sr-only"> its trace</span> with {before.runName}
                    </Link>
                  )}
                  <Link
                    to={pagePaths.evaluation(applicationId, componentId, column.evaluationId)}
                    className={linkClass}
                  >
                    Evaluation
                  </Link>
                </span>
              </div>
              <MetricList column={column} result={result} />
            </li>
          ))}
      </ul>
    </section>
  )
}

/** What the newest run before the one at this place answered. */
function answerBefore({ results }: ItemDetail['row'], runs: RunColumn[], place: number) {
  for (let index = place - 1; index >= 0; index -= 1) {
    const [column, traceId] = [runs[index], results[index]?.traceId]
    if (column && traceId) return { traceId, runName: runName(column) }
  }
  return undefined
}

function MetricList({ result }: { column: RunColumn; result: ItemDetail['row']['results'][number] | undefined }) {
  if (!result || result.metrics.length === 0) return <p className="text-soft">Not measured in this run.</p>
  return (
    <dl>
      {result.metrics.map((metric) => (
        <div key={metric.name} className="flex gap-3">
          <dt className="min-w-0 flex-1 truncate text-soft">{metricTitle(metric.name)}</dt>
          <dd className="flex gap-2 tabular-nums">
            <MetricMark metric={metric} />
            {metric.state === 'scored' && metric.passed !== null && <MetricValue metric={metric} />}
            {metric.repetitions > 1 && (
              <span className="text-faint">of {countOf(metric.repetitions, 'repetition')}</span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Facts({ datasetKey: { applicationId }, detail, item, onChange }: ItemContentProps & { item: DatasetItem }) {
  const nameOf = usePersonName(applicationId)
  const { row, history } = detail
  const { source } = row
  return (
    <dl className="mt-4 grid grid-cols-[6rem_1fr] gap-x-3 gap-y-1.5 text-data">
      <dt className="text-soft">Split</dt>
      <dd>
        <SplitSelect label="Split" split={item.split} onChange={onChange && ((split) => onChange({ split }))} />
      </dd>
      {row.group !== null && (
        <>
          <dt className="text-soft">Group</dt>
          <dd className="break-words">
            <GroupName group={row.group} />
          </dd>
        </>
      )}
      <dt className="text-soft">Source</dt>
      <dd>
        {sourceWords[source.kind]}
        {source.traceDbId !== null && (
          <>
            {' · '}
            <Link to={pagePaths.trace(applicationId, source.traceDbId)} className={linkClass}>
              Open the trace
            </Link>
          </>
        )}
        {source.traceId !== null && source.traceDbId === null && ' · its trace has not arrived'}
      </dd>
      <dt className="text-soft">Added</dt>
      <dd>
        <RelativeTime time={item.createdAt} />
        {history.createdBy !== null && ` by ${nameOf(history.createdBy)}`}
      </dd>
      {history.changedAt !== null && (
        <>
          <dt className="text-soft">Changed</dt>
          <dd>
            <RelativeTime time={history.changedAt} />
            {history.changedBy !== null && ` by ${nameOf(history.changedBy)}`}
          </dd>
        </>
      )}
    </dl>
  )
}

const linkClass = 'touch-link rounded-sm underline decoration-edge underline-offset-4 hover:decoration-ink'
