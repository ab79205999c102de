import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Scale } from 'lucide-react'
import { datasetAgreementQuery } from '../../api/agreement-query.ts'
import { componentQuery } from '../../api/components-query.ts'
import { usePersonName } from '../../api/directory-query.ts'
import { useRatingLook } from '../../api/rating-scheme-query.ts'
import { datasetQuery } from '../../api/run-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { countOf } from '../../ui/format-number.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { peekRoomClass } from '../../ui/peek-dock.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { TopRow } from '../shell/top-row.tsx'
import { useApplication } from '../shell/use-application.ts'
import { AgreementFigures } from './agreement-figures.tsx'
import { filterOf, searchOfFilter } from './agreement-model.ts'
import type { AgreementSearch } from './agreement-search.ts'
import { DatasetDisagreements } from './dataset-disagreements.tsx'
import { NotInScheme } from './not-in-scheme.tsx'
import { RunLinks } from './run-links.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/datasets/$datasetId/agreement')

/** How far raters agree over all runs of a dataset. */
export function DatasetAgreementPage() {
  const datasetKey = route.useParams()
  const { applicationId, componentId, datasetId } = datasetKey
  const search = route.useSearch()
  const navigate = useNavigate()
  const { data: component } = useSuspenseQuery(componentQuery(applicationId, componentId))
  const { data: dataset } = useSuspenseQuery(datasetQuery(datasetKey))
  const { data: agreement, error, isFetching, refetch } = useQuery(datasetAgreementQuery(datasetKey))
  const nameOf = usePersonName(applicationId)
  const lookOf = useRatingLook(applicationId)
  const componentPath = pagePaths.component(applicationId, componentId)
  const change = (changes: Partial<AgreementSearch>, history: 'push' | 'replace' = 'push') =>
    void navigate({
      to: pagePaths.datasetAgreement(applicationId, componentId, datasetId),
      search: { ...search, ...changes },
      replace: history === 'replace',
      resetScroll: false,
    })
  return (
    <>
      <TopRow
        parents={[
          { label: component.name, to: componentPath },
          { label: 'Datasets', to: pagePaths.componentPart(applicationId, componentId, 'datasets') },
        ]}
        current={`Agreement on ${dataset.name}`}
      />
      <div className={search.item ? peekRoomClass : ''}>
        <PageBody width="wide">
          <PageHeader
            title={`Agreement on ${dataset.name}`}
            within={useApplication()?.name ?? ''}
            text={`All runs of the dataset · ${countOf(dataset.itemCount, 'item')} · if someone rated a trace in several runs, the newest rating counts`}
          />
          {!agreement && error && <QueryError query={{ error, isFetching, refetch }} />}
          {!agreement && !error && <Skeleton />}
          {agreement && (
            <>
              <AgreementFigures
                agreement={agreement}
                nameOf={nameOf}
                lookOf={lookOf}
                {...filterOf(search)}
                onChange={(raters, ratings) => change(searchOfFilter(raters, ratings))}
              />
              {agreement.items === 0 && agreement.excluded > 0 && (
                <NotInScheme applicationId={applicationId} count={agreement.excluded} />
              )}
              {agreement.alpha.units === 0 && (agreement.items > 0 || agreement.excluded === 0) && (
                <EmptyState
                  icon={Scale}
                  title="Nothing to compare yet"
                  text="Agreement needs traces that two people have rated in the runs of this dataset."
                />
              )}
              {agreement.alpha.units > 0 && (
                <DatasetDisagreements
                  applicationId={applicationId}
                  agreement={agreement}
                  search={search}
                  nameOf={nameOf}
                  lookOf={lookOf}
                  onChange={change}
                />
              )}
              <p className="mt-3 text-meta text-faint">
                In runs that are rated blind, traces that you still have to rate are not included.
              </p>
              <RunLinks datasetKey={datasetKey} datasetName={dataset.name} />
            </>
          )}
        </PageBody>
      </div>
    </>
  )
}
