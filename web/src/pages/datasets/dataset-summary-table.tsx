import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Database, type LucideIcon, Plus } from 'lucide-react'
import { useState } from 'react'
import { apiKey } from '../../api/api-query.ts'
import { createDataset } from '../../api/dataset-items-query.ts'
import { datasetSummariesQuery } from '../../api/dataset-summaries-query.ts'
import type { DatasetSummary } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { absoluteUrl, apiPaths, type ComponentPart, pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { IntervalMark } from '../../ui/charts/interval-mark.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatCount, formatMetric } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { metricEstimate } from '../components/overview-metrics.ts'
import { runTitle } from '../runs/run-title.ts'
import { curlCommand } from '../shell/curl-command.ts'
import { NameForm } from '../shell/name-form.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'

interface DatasetSummaryTableProps {
  applicationId: string
  componentId: string
}

/** The datasets of a component, each with its newest run and result. */
export function DatasetSummaryTable({ applicationId, componentId }: DatasetSummaryTableProps) {
  const query = useInfiniteQuery(datasetSummariesQuery(applicationId, componentId))
  const [isCreating, setIsCreating] = useState(false)
  const notEditable = missingRole(useMe(), 'editor', 'Creating a dataset')
  const live = apiKey('/components/{componentId}/dataset-summaries', applicationId)
  useLiveQuery(applicationId, ['runs', 'evaluations'], live, { pauseMs: 5_000 })
  const columns: Column<DatasetSummary>[] = [
    {
      title: 'Name',
      isRowHeader: true,
      cell: ({ id, name, description }) => (
        <>
          <Link to={pagePaths.dataset(applicationId, componentId, id)} className={`${linkClass} font-medium`}>
            {name}
          </Link>
          {description && <span className="line-clamp-1 max-w-md text-data font-normal text-soft">{description}</span>}
        </>
      ),
    },
    { title: 'Items', align: 'right', cell: ({ itemCount }) => <Amount value={itemCount} /> },
    { title: 'Runs', align: 'right', cell: ({ runs }) => <Amount value={runs} /> },
    {
      title: 'Newest run',
      cell: ({ newestRun }) =>
        newestRun ? (
          <Link to={pagePaths.run(applicationId, componentId, newestRun.id)} className={linkClass}>
            {runTitle(newestRun)}
          </Link>
        ) : (
          <span className="text-faint">none</span>
        ),
    },
    { title: 'Newest result', cell: ({ results }) => <Result results={results} /> },
    {
      title: 'Raters',
      cell: ({ id, name }) => (
        <Link to={pagePaths.datasetAgreement(applicationId, componentId, id)} className={linkClass}>
          Agreement<span className="sr-only"> on {name}</span>
        </Link>
      ),
    },
    { title: 'Created', cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
  ]
  const create = (
    <Button look="primary" disabledReason={notEditable} onClick={() => setIsCreating(true)}>
      <Plus aria-hidden className="size-4" />
      New dataset
    </Button>
  )
  const empty = (
    <EmptyComponentTab
      icon={Database}
      title="No dataset yet"
      text="A dataset is a fixed set of cases, so that two versions are measured on the same ground. Create one, then import a file, add traces, or write items by hand."
      componentId={componentId}
      part="datasets"
      body={{ name: 'golden answers' }}
    />
  )
  return (
    <>
      <div className="mb-3 flex justify-end">{create}</div>
      <PagedList query={query} empty={empty}>
        {(rows) => <Table caption="Datasets" columns={columns} rows={rows} rowKey={({ id }) => id} />}
      </PagedList>
      {isCreating && (
        <CreateDatasetDialog
          applicationId={applicationId}
          componentId={componentId}
          onClose={() => setIsCreating(false)}
        />
      )}
    </>
  )
}

function Result({ results }: Pick<DatasetSummary, 'results'>) {
  const metric = results?.metrics.find(({ name }) => name === results.headline)
  if (!metric) return <span className="text-faint">not evaluated</span>
  return (
    <span className="flex flex-col">
      <span className="text-meta text-soft">{metricTitle(metric.name)}</span>
      <IntervalMark
        estimate={metricEstimate(metric)}
        domain={scaleOf(metric.scale)}
        format={formatMetric}
        layout="stack"
      />
    </span>
  )
}

function scaleOf(scale: readonly number[] | null): readonly [number, number] {
  const [low = 0, high = 1] = scale ?? []
  return [low, high]
}

function Amount({ value }: { value: number }) {
  return <span className="tabular-nums">{formatCount(value)}</span>
}

function CreateDatasetDialog({
  applicationId,
  componentId,
  onClose,
}: DatasetSummaryTableProps & { onClose: () => void }) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const creation = useSubmission({
    mutationFn: (named: { name: string; description?: string }) =>
      createDataset(applicationId, componentId, named.name, named.description),
    onSuccess: async ({ id }) => {
      void queryClient.invalidateQueries({ queryKey: apiKey('/components', applicationId).slice(0, 2) })
      await navigate({ to: pagePaths.dataset(applicationId, componentId, id) })
    },
  })
  return (
    <Dialog title="New dataset" isOpen onClose={onClose}>
      <NameForm
        submitLabel="Create dataset"
        namePlaceholder="golden answers"
        isBusy={creation.isPending}
        error={creation.error}
        onSubmit={(named) => creation.mutate(named)}
        onCancel={onClose}
      />
    </Dialog>
  )
}

const linkClass = 'touch-link rounded-sm underline decoration-edge underline-offset-4 hover:decoration-ink'

interface EmptyComponentTabProps {
  icon: LucideIcon
  title: string
  text: string
  componentId: string
  part: ComponentPart
  /** The request body that creates the first one. */
  body: Record<string, string>
}

/** An empty tab of a component, with the command that adds the first row. */
function EmptyComponentTab({ icon, title, text, componentId, part, body }: EmptyComponentTabProps) {
  const command = curlCommand({
    method: 'POST',
    url: absoluteUrl(apiPaths.componentPart(componentId, part)),
    headers: ['Authorization: Bearer $TOUCHSTONE_API_KEY'],
    body,
  })
  return (
    <EmptyState icon={icon} title={title} text={text}>
      <CodeBlock code={command} copyLabel="Copy curl command" />
    </EmptyState>
  )
}
