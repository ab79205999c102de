import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Database } from 'lucide-react'
import type { Dataset } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { IdLabel } from '../../ui/id-label.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { useApplicationId } from '../shell/use-application.ts'
import { NoParts } from './no-parts.tsx'

const columns = (agreementPath: (datasetId: string) => string): Column<Dataset>[] => [
  {
    title: 'Name',
    isRowHeader: true,
    cell: ({ name, description }) => (
      <>
        <span className="font-medium">{name}</span>
        {description && <span className="line-clamp-1 max-w-md text-data text-soft">{description}</span>}
      </>
    ),
  },
  { title: 'Items', align: 'right', cell: ({ itemCount }) => <span className="tabular-nums">{itemCount}</span> },
  {
    title: 'Raters',
    cell: ({ id, name }) => (
      <Link
        to={agreementPath(id)}
        className="rounded-sm underline decoration-edge underline-offset-4 touch-link hover:decoration-ink"
      >
        Agreement<span className="sr-only"> on {name}</span>
      </Link>
    ),
  },
  { title: 'Id', cell: ({ id }) => <IdLabel id={id} label="Copy dataset id" /> },
  { title: 'Created', cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
]

export function DatasetTable({
  componentId,
  query,
}: {
  componentId: string
  query: UseInfiniteQueryResult<Dataset[]>
}) {
  const applicationId = useApplicationId()
  const agreementPath = (datasetId: string) => pagePaths.datasetAgreement(applicationId, componentId, datasetId)
  const empty = (
    <NoParts
      icon={Database}
      title="No dataset yet"
      text="A dataset is a fixed set of cases, so that two versions are measured on the same ground."
      componentId={componentId}
      part="datasets"
      body={{ name: 'golden answers' }}
    />
  )
  return (
    <PagedList query={query} empty={empty}>
      {(rows) => <Table caption="Datasets" columns={columns(agreementPath)} rows={rows} rowKey={({ id }) => id} />}
    </PagedList>
  )
}
