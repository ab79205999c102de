import type { Field } from './conventions/convention.ts'

/** The path of each field in a mapped span. */
export const FIELD_PATHS: Readonly<Record<Field, string>> = {
  kind: 'kind',
  entityName: 'name',
  toolName: 'name',
  agentName: 'name',
  chainName: 'name',
  operationName: 'name',
  messageName: 'name',
  traceName: 'traceName',
  input: 'input',
  output: 'output',
  model: 'model',
  requestedModel: 'model',
  provider: 'provider',
  inputTokens: 'usage.input',
  outputTokens: 'usage.output',
  totalTokens: 'usage.total',
  cacheReadTokens: 'usage.cacheRead',
  cacheWriteTokens: 'usage.cacheWrite',
  reasoningTokens: 'usage.reasoning',
  usageDetails: 'usage',
  costUsd: 'reportedCostUsd',
  inputCostUsd: 'reportedCostUsd',
  outputCostUsd: 'reportedCostUsd',
  sessionId: 'sessionId',
  userId: 'userId',
  tags: 'tags',
  environment: 'environment',
  failure: 'status',
  statusMessage: 'statusMessage',
  exceptionMessage: 'statusMessage',
  errorType: 'statusMessage',
  component: 'links.component',
  dataset: 'links.dataset',
  run: 'links.run',
  datasetId: 'links.datasetId',
  itemId: 'links.itemId',
}

export const LINK_FIELDS: readonly Field[] = ['component', 'dataset', 'run', 'datasetId', 'itemId']

/** Fields that are used only if another field has no value. */
export const SUPERSEDED_BY: Readonly<Partial<Record<Field, Field>>> = {
  requestedModel: 'model',
  inputTokens: 'usageDetails',
  outputTokens: 'usageDetails',
  totalTokens: 'usageDetails',
  cacheReadTokens: 'usageDetails',
  cacheWriteTokens: 'usageDetails',
  reasoningTokens: 'usageDetails',
  inputCostUsd: 'costUsd',
  outputCostUsd: 'costUsd',
}
