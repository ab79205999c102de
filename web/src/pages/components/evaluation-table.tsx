import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Scale } from 'lucide-react'
import type { Dataset, Evaluation } from '../../api/generated/api.ts'
import { IdLabel } from '../../ui/id-label.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { evaluationTitle } from '../runs/run-title.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { useApplicationId } from '../shell/use-application.ts'
import { DatasetName } from './dataset-name.tsx'
import { EvaluationFailure } from './evaluation-failure.tsx'
import { NoParts } from './no-parts.tsx'

interface EvaluationTableProps {
  componentId: string
  query: UseInfiniteQueryResult<Evaluation[]>
  /** The loaded datasets, to show names instead of ids. */
  datasets: Dataset[]
}

export function EvaluationTable({ componentId, query, datasets }: EvaluationTableProps) {
  const applicationId = useApplicationId()
  const columns: Column<Evaluation>[] = [
    {
      title: 'Name',
      isRowHeader: true,
      cell: ({ name, datasetId, createdAt }) => {
        const dataset = { id: datasetId, name: datasets.find(({ id }) => id === datasetId)?.name ?? 'a dataset' }
        return <span className="font-medium">{evaluationTitle({ name, run: null, dataset, createdAt })}</span>
      },
    },
    {
      title: 'Status',
      cell: ({ id, status }) => (
        <>
          <StatusBadge status={status} />
          {status === 'failed' && (
            <EvaluationFailure applicationId={applicationId} componentId={componentId} evaluationId={id} />
          )}
        </>
      ),
    },
    { title: 'Dataset', cell: ({ datasetId }) => <DatasetName id={datasetId} datasets={datasets} /> },
    { title: 'Id', cell: ({ id }) => <IdLabel id={id} label="Copy evaluation id" /> },
    { title: 'Created', cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
  ]
  const empty = (
    <NoParts
      icon={Scale}
      title="No evaluation yet"
      text="An evaluation scores a dataset, or one run of it, with rules or a model as the judge."
      componentId={componentId}
      part="evaluations"
      body={{ datasetId: 'DATASET_ID', name: 'faithfulness' }}
    />
  )
  return (
    <PagedList query={query} empty={empty}>
      {(rows) => <Table caption="Evaluations" columns={columns} rows={rows} rowKey={({ id }) => id} />}
    </PagedList>
  )
}
