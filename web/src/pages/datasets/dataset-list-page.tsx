import { getRouteApi } from '@tanstack/react-router'
import { ComponentFrame } from '../components/component-frame.tsx'
import { DatasetSummaryTable } from './dataset-summary-table.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/datasets')

/** The datasets of a component. */
export function DatasetListPage() {
  const component = route.useParams()
  return (
    <ComponentFrame {...component} part="Datasets">
      <h2 className="sr-only">Datasets</h2>
      <DatasetSummaryTable {...component} />
    </ComponentFrame>
  )
}
