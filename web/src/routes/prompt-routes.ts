import { createRoute } from '@tanstack/react-router'
import { componentQuery } from '../api/components-query.ts'
import { datasetSummariesQuery } from '../api/dataset-summaries-query.ts'
import {
  PROMPT_PAGE_NUMBERS,
  promptChangesQuery,
  promptLabelsQuery,
  promptLiveQuery,
  promptQuery,
  promptSummariesQuery,
  promptSummaryQuery,
  promptVersionQuery,
  promptVersionsQuery,
} from '../api/prompts-query.ts'
import { readDeploy } from '../pages/deploy/deploy-search.ts'
import { readPlayground } from '../pages/playground/playground-search.ts'
import { readPrompt } from '../pages/prompts/prompt-search.ts'
import { daysOf, readPrompts } from '../pages/prompts/prompts-search.ts'
import { applicationRoute } from './application-route.ts'
import { lazyPage } from './lazy-page.ts'
import { loadOrNotFound } from './load-or-not-found.ts'

/** A loader runs again with each change of the address. The page itself reads again what has become old. */
const onlyOnce = { staleTime: Number.POSITIVE_INFINITY }

export const promptsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/prompts',
  validateSearch: readPrompts,
  loader: ({ context: { queryClient }, params, location }) => {
    const { period = '7d', metric } = readPrompts(location.search)
    // Not awaited: the head of the page is there before them.
    void queryClient.prefetchInfiniteQuery({
      ...promptSummariesQuery(params, { days: daysOf(period), metric }),
      ...onlyOnce,
    })
    void queryClient.prefetchInfiniteQuery({ ...promptChangesQuery(params), ...onlyOnce })
    return loadOrNotFound(() => queryClient.ensureQueryData(componentQuery(params.applicationId, params.componentId)))
  },
  component: lazyPage(() => import('../pages/prompts/prompts-page.tsx'), 'PromptsPage'),
})

export const promptRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/prompts/$promptId',
  validateSearch: readPrompt,
  loader: ({ context: { queryClient }, params, location }) => {
    const { version } = readPrompt(location.search)
    const readVersion = (number: number) =>
      queryClient.prefetchQuery({ ...promptVersionQuery(params, number), ...onlyOnce })
    const readNewest = async () => {
      const versions = promptVersionsQuery(params)
      await queryClient.prefetchInfiniteQuery({ ...versions, ...onlyOnce })
      const newest = queryClient.getQueryData(versions.queryKey)?.pages[0]?.data[0]
      if (version === undefined && newest) await readVersion(newest.number)
    }
    // Its numbers take longer than all else, and have a place on the page that waits for them.
    void queryClient.prefetchQuery({ ...promptSummaryQuery(params, PROMPT_PAGE_NUMBERS), ...onlyOnce })
    return loadOrNotFound(() =>
      Promise.all([
        queryClient.ensureQueryData(componentQuery(params.applicationId, params.componentId)),
        queryClient.ensureQueryData(promptQuery(params)),
        // These do not throw: the page shows what it has. Loaded later, they would move it.
        queryClient.prefetchQuery({ ...promptLabelsQuery(params), ...onlyOnce }),
        queryClient.prefetchQuery({ ...promptLiveQuery(params), ...onlyOnce }),
        readNewest(),
        version !== undefined && readVersion(version),
      ]),
    )
  },
  component: lazyPage(() => import('../pages/prompts/prompt-page.tsx'), 'PromptPage'),
})

export const promptDeployRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/prompts/$promptId/deploy/$label',
  validateSearch: readDeploy,
  loader: ({ context: { queryClient }, params: { label, ...key } }) =>
    loadOrNotFound(() =>
      Promise.all([
        queryClient.ensureQueryData(componentQuery(key.applicationId, key.componentId)),
        queryClient.ensureQueryData(promptQuery(key)),
        // These do not throw: the page shows the reason.
        queryClient.prefetchQuery({ ...promptLabelsQuery(key), ...onlyOnce }),
        queryClient.prefetchInfiniteQuery({ ...promptVersionsQuery(key), ...onlyOnce }),
      ]),
    ),
  component: lazyPage(() => import('../pages/deploy/deploy-page.tsx'), 'DeployPage'),
})

export const playgroundRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/prompts/$promptId/playground',
  validateSearch: readPlayground,
  loader: ({ context: { queryClient }, params, location }) => {
    const { applicationId, componentId } = params
    // Not awaited: the page waits for them at the place of its table.
    if (readPlayground(location.search).rows === 'items')
      void queryClient.prefetchInfiniteQuery({ ...datasetSummariesQuery(applicationId, componentId), ...onlyOnce })
    void queryClient.prefetchQuery({ ...promptLabelsQuery(params), ...onlyOnce })
    void queryClient.prefetchInfiniteQuery({ ...promptVersionsQuery(params), ...onlyOnce })
    return loadOrNotFound(() =>
      Promise.all([
        queryClient.ensureQueryData(componentQuery(applicationId, componentId)),
        queryClient.ensureQueryData(promptQuery(params)),
      ]),
    )
  },
  component: lazyPage(() => import('../pages/playground/playground-page.tsx'), 'PlaygroundPage'),
})
