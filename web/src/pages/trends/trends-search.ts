import { type TrendPeriod, trendPeriods } from '../../api/trends-query.ts'
import { readId, readText, type Search } from '../../routes/search-params.ts'

export interface TrendsSearch {
  period: TrendPeriod | undefined
  metric: string | undefined
  dataset: string | undefined
}

export function readTrends(search: Search): TrendsSearch {
  return {
    period: trendPeriods.find((known) => known === search['period']),
    metric: readText(search['metric']),
    dataset: readId(search['dataset']),
  }
}
