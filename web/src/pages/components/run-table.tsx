import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import type { Dataset, Run } from '../../api/generated/api.ts'
import { IdLabel } from '../../ui/id-label.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { runTitle } from '../overview/run-title.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { DatasetName } from './dataset-name.tsx'
import { NoParts } from './no-parts.tsx'

interface RunTableProps {
  componentId: string
  query: UseInfiniteQueryResult<Run[]>
  /** The loaded datasets, to show names instead of ids. */
  datasets: Dataset[]
}

export function RunTable({ componentId, query, datasets }: RunTableProps) {
  const columns: Column<Run>[] = [
    {
      title: 'Name',
      isRowHeader: true,
      cell: ({ name, datasetId, createdAt }) => {
        const datasetName = datasets.find(({ id }) => id === datasetId)?.name ?? 'Run'
        return <span className="font-medium">{runTitle({ name, datasetName, createdAt })}</span>
      },
    },
    { title: 'Dataset', cell: ({ datasetId }) => <DatasetName id={datasetId} datasets={datasets} /> },
    { title: 'Traces', align: 'right', cell: ({ traceCount }) => <span className="tabular-nums">{traceCount}</span> },
    { title: 'Id', cell: ({ id }) => <IdLabel id={id} label="Copy run id" /> },
    { title: 'Created', cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
  ]
  const empty = (
    <NoParts
      icon={Play}
      title="No run yet"
      text="A run is what one version of the component answered to the cases of a dataset."
      componentId={componentId}
      part="runs"
      body={{ datasetId: 'DATASET_ID', name: 'v1' }}
    />
  )
  return (
    <PagedList query={query} empty={empty}>
      {(rows) => <Table caption="Runs" columns={columns} rows={rows} rowKey={({ id }) => id} />}
    </PagedList>
  )
}
