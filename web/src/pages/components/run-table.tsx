import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import type { Dataset, Run } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { IdLabel } from '../../ui/id-label.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { runTitle } from '../runs/run-title.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { DatasetName } from './dataset-name.tsx'
import { NoParts } from './no-parts.tsx'

interface RunTableProps {
  applicationId: string
  componentId: string
  query: UseInfiniteQueryResult<Run[]>
  /** The loaded datasets, to show names instead of ids. */
  datasets: Dataset[]
}

export function RunTable({ applicationId, componentId, query, datasets }: RunTableProps) {
  const columns: Column<Run>[] = [
    {
      title: 'Name',
      isRowHeader: true,
      cell: (run) => (
        <Link
          to={pagePaths.run(applicationId, componentId, run.id)}
          className="rounded-sm font-medium underline decoration-edge underline-offset-4 touch-link hover:decoration-ink"
        >
          {runTitle({ ...run, datasetName: datasets.find(({ id }) => id === run.datasetId)?.name })}
        </Link>
      ),
    },
    { title: 'Dataset', cell: ({ datasetId }) => <DatasetName id={datasetId} datasets={datasets} /> },
    { title: 'Traces', align: 'right', cell: ({ traceCount }) => <span className="tabular-nums">{traceCount}</span> },
    { title: 'Id', cell: ({ id }) => <IdLabel id={id} label="Copy run id" /> },
    { title: 'Created', cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
    {
      title: 'Annotate',
      isTitleHidden: true,
      align: 'right',
      cell: ({ id, name, traceCount }) =>
        traceCount > 0 && (
          <Link
            to={pagePaths.annotate(applicationId, componentId, id)}
            aria-label={name ? `Annotate ${name}` : 'Annotate'}
            className={buttonClass('secondary', 'small')}
          >
            Annotate
          </Link>
        ),
    },
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
