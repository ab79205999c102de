import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { datasetsQuery, evaluationsQuery, runsQuery } from '../../api/components-query.ts'
import { ComponentFrame } from './component-frame.tsx'
import { DatasetTable } from './dataset-table.tsx'
import { EvaluationTable } from './evaluation-table.tsx'
import { RunTable } from './run-table.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/$part')

interface PartProps {
  applicationId: string
  componentId: string
}

/** The datasets, runs or evaluations of a component. */
export function ComponentPartPage() {
  const { part, ...ids } = route.useParams()
  const { title, list: List } = partsOf[part] ?? datasets
  return (
    <ComponentFrame {...ids} part={title}>
      <h2 className="sr-only">{title}</h2>
      <List {...ids} />
    </ComponentFrame>
  )
}

const datasets = { title: 'Datasets', list: Datasets }
const partsOf: Record<string, typeof datasets> = {
  datasets,
  runs: { title: 'Runs', list: Runs },
  evaluations: { title: 'Evaluations', list: Evaluations },
}

function Datasets({ applicationId, componentId }: PartProps) {
  return <DatasetTable componentId={componentId} query={useInfiniteQuery(datasetsQuery(applicationId, componentId))} />
}

function Runs({ applicationId, componentId }: PartProps) {
  const { data: known = [] } = useInfiniteQuery(datasetsQuery(applicationId, componentId))
  const query = useInfiniteQuery(runsQuery(applicationId, componentId))
  return <RunTable applicationId={applicationId} componentId={componentId} query={query} datasets={known} />
}

function Evaluations({ applicationId, componentId }: PartProps) {
  const { data: known = [] } = useInfiniteQuery(datasetsQuery(applicationId, componentId))
  const query = useInfiniteQuery(evaluationsQuery(applicationId, componentId))
  return <EvaluationTable componentId={componentId} query={query} datasets={known} />
}
