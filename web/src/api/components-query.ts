import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { apiPaths, type ComponentPart } from '../path-builder.ts'
import { requestJson, requestNothing } from './api-client.ts'
import type { Component, Dataset, Evaluation, EvaluationDetail, Run } from './generated/resources.ts'
import { pagedQuery } from './paged-query.ts'
import { useSubmission } from './use-submission.ts'

export function componentsQuery(applicationId: string) {
  return pagedQuery<Component>({ key: ['components'], path: apiPaths.components(), applicationId })
}

export function componentQuery(applicationId: string, componentId: string) {
  return queryOptions({
    queryKey: ['application', applicationId, 'component', componentId],
    queryFn: ({ signal }) => requestJson<Component>({ path: apiPaths.component(componentId), applicationId, signal }),
  })
}

export function datasetsQuery(applicationId: string, componentId: string) {
  return partQuery<Dataset>(applicationId, componentId, 'datasets')
}

export function runsQuery(applicationId: string, componentId: string) {
  return partQuery<Run>(applicationId, componentId, 'runs')
}

export function evaluationsQuery(applicationId: string, componentId: string) {
  return partQuery<Evaluation>(applicationId, componentId, 'evaluations')
}

export interface EvaluationKey {
  applicationId: string
  componentId: string
  evaluationId: string
}

export function evaluationQuery({ applicationId, componentId, evaluationId }: EvaluationKey) {
  return queryOptions({
    queryKey: ['application', applicationId, 'component', componentId, 'evaluation', evaluationId],
    queryFn: ({ signal }) =>
      requestJson<EvaluationDetail>({ path: apiPaths.evaluation(componentId, evaluationId), applicationId, signal }),
  })
}

export function useCreateComponent(applicationId: string) {
  return useComponentChange(applicationId, (body: { name: string; description?: string }) =>
    requestJson<{ id: string }>({ method: 'POST', path: apiPaths.components(), applicationId, body }),
  )
}

export function useDeleteComponent(applicationId: string) {
  return useComponentChange(applicationId, (componentId: string) =>
    requestNothing({ method: 'DELETE', path: apiPaths.component(componentId), applicationId }),
  )
}

function partQuery<Item>(applicationId: string, componentId: string, part: ComponentPart) {
  return pagedQuery<Item>({
    key: ['component', componentId, part],
    path: apiPaths.componentPart(componentId, part),
    applicationId,
  })
}

function useComponentChange<Input, Result>(applicationId: string, change: (input: Input) => Promise<Result>) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: change,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: componentsQuery(applicationId).queryKey }),
  })
}
