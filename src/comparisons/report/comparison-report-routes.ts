import { ComponentParams } from '../../components/component-schemas.ts'
import { route } from '../../http/route.ts'
import { readMargin } from '../comparison-routes.ts'
import { ComparisonReportQuery } from '../comparison-schemas.ts'
import { measureSnapshot } from './read-snapshot.ts'
import { recordSnapshot } from './record-snapshot.ts'
import { comparisonReport } from './report-html.ts'
import { downloadedReport } from './report-response.ts'

export const getComparisonReport = route({
  method: 'GET',
  path: '/components/:componentId/comparisons/report',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'Download a comparison as one HTML file',
  tag: 'Comparisons',
  params: ComponentParams,
  query: ComparisonReportQuery,
  streams: ['text/html'],
  responses: { 200: null },
  handle: async ({ db, clock, principal, params, query }) => {
    const { workspaceId, userId } = principal
    const found = await measureSnapshot(db.read, clock, {
      workspaceId,
      componentId: params.componentId,
      baselineRunId: query.baseline,
      candidateRunId: query.candidate,
      metric: query.metric,
      margin: readMargin(query.margin),
      split: query.split,
      readerId: userId,
    })
    const snapshot = await recordSnapshot({ db, clock }, { workspaceId, ...found })
    return downloadedReport(comparisonReport(snapshot, null), 'comparison.html')
  },
})
