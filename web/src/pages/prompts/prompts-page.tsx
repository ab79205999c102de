import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { FlaskConical, Plus } from 'lucide-react'
import { useState } from 'react'
import { apiKey } from '../../api/api-query.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { promptChangesQuery, promptSummariesQuery } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ComponentFrame } from '../components/component-frame.tsx'
import { TRACES_PAUSE_MS } from '../overview/use-live-summaries.ts'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { TrendSelect } from '../trends/trend-select.tsx'
import { useBetterVersions } from './better-version.tsx'
import { ChangesCard } from './changes-card.tsx'
import { NewPromptDialog } from './new-prompt-dialog.tsx'
import { NoPrompts } from './no-prompts.tsx'
import { PromptList } from './prompt-list.tsx'
import { daysOf, type PromptPeriod, type PromptsSearch, promptPeriods } from './prompts-search.ts'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/prompts')

/** The prompts of a component: what their labels serve, how the served versions do in production, and what changed lately. */
export function PromptsPage() {
  const component = route.useParams()
  const search = route.useSearch()
  const { period = '7d', metric } = search
  const navigate = useNavigate()
  const [activeId, setActiveId] = useState<string>()
  const { applicationId, componentId } = component
  const query = useInfiniteQuery(promptSummariesQuery(component, { days: daysOf(period), metric }))
  const changes = useInfiniteQuery(promptChangesQuery(component))
  const summaries = apiKey('/components/{componentId}/prompt-summaries', applicationId)
  useLiveQuery(applicationId, ['prompts'], summaries)
  useLiveQuery(applicationId, ['traces', 'annotations', 'evaluations'], summaries, { pauseMs: TRACES_PAUSE_MS })
  // All at once: what is below another part would be moved by it. But prompts do not wait for parts that fail.
  const better = useBetterVersions(component, query.data?.prompts ?? [])
  const isSettled = !query.isPending && !better.isPending && (!changes.isPending || changes.failureCount > 0)
  // From then on all stay: a part that is loaded again must not remove the others.
  const [wasSettled, setWasSettled] = useState(false)
  if (isSettled && !wasSettled) setWasSettled(true)
  const isLoading = !isSettled && !wasSettled
  const change = (changed: Partial<PromptsSearch>, history: 'push' | 'replace' = 'push') =>
    void navigate({
      to: pagePaths.prompts(applicationId, componentId),
      search: { ...search, ...changed },
      replace: history === 'replace',
      resetScroll: false,
    })
  const notEditable = missingRole(useMe(), 'editor', 'Creating a prompt')
  const prompts = query.data?.prompts
  const tried = prompts?.find(({ id }) => id === activeId) ?? prompts?.[0]
  const create = notEditable === undefined ? () => change({ new: true }) : undefined
  const tryIt = tried && (() => void navigate({ to: pagePaths.promptPlayground(applicationId, componentId, tried.id) }))
  useShortcut('newPrompt', create)
  useShortcut('openPlayground', tryIt)
  useShortcut(
    'deployVersion',
    tried?.newest
      ? () => void navigate({ to: pagePaths.promptDeploy(applicationId, componentId, tried.id, 'production') })
      : undefined,
  )
  return (
    <ComponentFrame
      {...component}
      part="Prompts"
      top={
        <TrendSelect
          label="Period"
          value={period}
          options={promptPeriods.map((value) => ({ value, label: periodLabels[value] }))}
          onChange={(value) => change({ period: promptPeriods.find((known) => known === value) })}
        />
      }
      actions={
        <>
          <Button
            disabledReason={prompts?.length === 0 ? 'There is no prompt to try yet.' : undefined}
            onClick={tryIt}
            className="max-sm:flex-1"
          >
            <FlaskConical aria-hidden className="size-4" />
            Playground
            <ShortcutKeys id="openPlayground" />
          </Button>
          <Button look="primary" disabledReason={notEditable} onClick={create} className="max-sm:flex-1">
            <Plus aria-hidden className="size-4" />
            New prompt
            <ShortcutKeys id="newPrompt" />
          </Button>
        </>
      }
    >
      <h2 className="sr-only">Prompts</h2>
      {isLoading && <Skeleton rows={8} />}
      {!isLoading && better.announcements}
      {!isLoading && (
        <div className="grid gap-5 wide:grid-cols-[minmax(0,1fr)_280px]">
          <div className="min-w-0">
            {query.data?.prompts.length === 0 && (
              <NoPrompts unknown={query.data.first?.unknownPrompts ?? []} onCreate={create} />
            )}
            {query.data && query.data.prompts.length > 0 && (
              <PromptList
                component={component}
                query={query}
                search={search}
                activeId={activeId}
                onActive={setActiveId}
                onChange={change}
              />
            )}
            {!query.data && <QueryError query={query} />}
          </div>
          <ChangesCard component={component} />
        </div>
      )}
      {search.new && <NewPromptDialog component={component} onClose={() => change({ new: undefined }, 'replace')} />}
    </ComponentFrame>
  )
}

const periodLabels: Record<PromptPeriod, string> = {
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
}
