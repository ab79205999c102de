import { useInfiniteQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { componentQuery } from '../../api/components-query.ts'
import type { PromptLabel } from '../../api/generated/api.ts'
import { promptLabelsQuery, promptQuery, promptVersionsQuery } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { TopRow } from '../shell/top-row.tsx'
import { DeployCard } from './deploy-card.tsx'
import { DeployChoice } from './deploy-choice.tsx'
import type { DeploySearch } from './deploy-search.ts'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/prompts/$promptId/deploy/$label')

/** Gives a version a share of a label. It has an address of its own, because a second person reads it before the move. */
export function DeployPage() {
  const { applicationId, componentId, promptId, label } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const key = { applicationId, componentId, promptId }
  const { data: component } = useSuspenseQuery(componentQuery(applicationId, componentId))
  const { data: prompt } = useSuspenseQuery(promptQuery(key))
  const labels = useQuery(promptLabelsQuery(key))
  const versions = useInfiniteQuery(promptVersionsQuery(key))
  const failed = [labels, versions].find(({ data, error }) => data === undefined && error !== null)
  const version = search.version ?? versions.data?.[0]?.number
  const go = (to: string, changes: Partial<DeploySearch>, history: 'push' | 'replace') =>
    void navigate({ to, search: changes, replace: history === 'replace', resetScroll: false })
  const pathOf = (name: string) => pagePaths.promptDeploy(applicationId, componentId, promptId, name)
  const promptPath = pagePaths.prompt(applicationId, componentId, promptId)
  return (
    <>
      <title>{`Deploy ${prompt.name}${version === undefined ? '' : ` v${version}`} · Touchstone`}</title>
      <TopRow
        parents={[
          { label: component.name, to: pagePaths.component(applicationId, componentId) },
          { label: 'Prompts', to: pagePaths.prompts(applicationId, componentId) },
          { label: prompt.name, to: promptPath },
        ]}
        current="Deploy"
      />
      <PageBody>
        {(!labels.data || !versions.data || version === undefined) && <h1 className="sr-only">Deploy {prompt.name}</h1>}
        {failed && <QueryError query={failed} />}
        {!failed && (!labels.data || !versions.data) && <Skeleton rows={8} />}
        {labels.data && versions.data && version === undefined && (
          <EmptyState
            icon={ScrollText}
            title="No version yet"
            text="Save a first version, then a label can serve it."
          />
        )}
        {labels.data && versions.data && version !== undefined && (
          <DeployCard
            // Another label or version is another move.
            key={`${label} ${version}`}
            labelKey={{ ...key, label }}
            promptName={prompt.name}
            label={labels.data.data.find(({ name }) => name === label)}
            version={version}
            weight={search.weight}
            instead={insteadOf(label, version, labels.data.data, pathOf)}
            isChangingConditions={search.conditions === true}
            choice={
              <DeployChoice
                label={label}
                version={version}
                labels={labels.data.data.map(({ name }) => name)}
                versions={versions.data}
                onLabel={(name) => go(pathOf(name), { version }, 'replace')}
                onVersion={(number) => go(pathOf(label), { version: number }, 'replace')}
              />
            }
            onSearch={(changes) => go(pathOf(label), { ...search, version, ...changes }, 'replace')}
          />
        )}
      </PageBody>
    </>
  )
}

/** Where a version is tried that production may not serve; undefined if it is there. */
function insteadOf(label: string, version: number, labels: PromptLabel[], pathOf: (label: string) => string) {
  const staging = labels.find(({ name }) => name === 'staging')
  const isThere = staging?.splits.some((split) => split.version === version)
  return label === 'staging' || isThere ? undefined : { label: 'staging', path: pathOf('staging') }
}
