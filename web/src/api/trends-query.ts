import { keepPreviousData } from '@tanstack/react-query'
import { apiQuery } from './api-query.ts'

export const trendPeriods = ['24h', '7d', '30d', '90d'] as const

export type TrendPeriod = (typeof trendPeriods)[number]

interface TrendsOf {
  applicationId: string
  componentId: string
  period: TrendPeriod
  datasetId: string | undefined
}

export function trendsQuery({ applicationId, componentId, period, datasetId }: TrendsOf) {
  const query = { from: `-${period}`, ...(datasetId && { dataset_id: datasetId }) }
  return {
    ...apiQuery('/components/{componentId}/trends', { applicationId, params: { path: { componentId }, query } }),
    placeholderData: keepPreviousData,
  }
}
