import { createRoute } from '@tanstack/react-router'
import { componentQuery } from '../api/components-query.ts'
import { promptQuery } from '../api/prompts-query.ts'
import { readDeploy } from '../pages/deploy/deploy-search.ts'
import { readPlayground } from '../pages/playground/playground-search.ts'
import { readPrompt } from '../pages/prompts/prompt-search.ts'
import { readPrompts } from '../pages/prompts/prompts-search.ts'
import { applicationRoute } from './application-route.ts'
import { lazyPage } from './lazy-page.ts'
import { loadOrNotFound } from './load-or-not-found.ts'

export const promptsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/prompts',
  validateSearch: readPrompts,
  loader: ({ context: { queryClient }, params: { applicationId, componentId } }) =>
    loadOrNotFound(() => queryClient.ensureQueryData(componentQuery(applicationId, componentId))),
  component: lazyPage(() => import('../pages/prompts/prompts-page.tsx'), 'PromptsPage'),
})

export const promptRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/prompts/$promptId',
  validateSearch: readPrompt,
  loader: ({ context: { queryClient }, params }) =>
    loadOrNotFound(() =>
      Promise.all([
        queryClient.ensureQueryData(componentQuery(params.applicationId, params.componentId)),
        queryClient.ensureQueryData(promptQuery(params)),
      ]),
    ),
  component: lazyPage(() => import('../pages/prompts/prompt-page.tsx'), 'PromptPage'),
})

export const promptDeployRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/prompts/$promptId/deploy/$label',
  validateSearch: readDeploy,
  loader: ({ context: { queryClient }, params: { applicationId, componentId, promptId } }) =>
    loadOrNotFound(() =>
      Promise.all([
        queryClient.ensureQueryData(componentQuery(applicationId, componentId)),
        queryClient.ensureQueryData(promptQuery({ applicationId, componentId, promptId })),
      ]),
    ),
  component: lazyPage(() => import('../pages/deploy/deploy-page.tsx'), 'DeployPage'),
})

export const playgroundRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/prompts/$promptId/playground',
  validateSearch: readPlayground,
  loader: ({ context: { queryClient }, params }) =>
    loadOrNotFound(() =>
      Promise.all([
        queryClient.ensureQueryData(componentQuery(params.applicationId, params.componentId)),
        queryClient.ensureQueryData(promptQuery(params)),
      ]),
    ),
  component: lazyPage(() => import('../pages/playground/playground-page.tsx'), 'PlaygroundPage'),
})
