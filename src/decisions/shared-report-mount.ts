/**
 * `GET /shared/{token}`: the report of a decision for readers without an account. It reads no cookie and no key, and
 * responds to every link that does not work with the same page.
 */
import { type Clock, timestamp } from '../base/clock.ts'
import { missingReport } from '../comparisons/report/report-html.ts'
import { sharedReport } from '../comparisons/report/report-response.ts'
import type { HttpResponse, Method } from '../http/route.ts'
import type { Db } from '../storage/db.ts'
import { findSharedDecisionOfAnyWorkspace, isRatedBlindly } from './decision-queries.ts'
import { decisionReport } from './read-decisions.ts'
import { hashToken } from './share-decision.ts'
import { countOpening } from './shared-link-queries.ts'

type HttpRequest = { url: string; method: string }

/** A mount of the HTTP server, because the path is that of a page and the response is not JSON. */
export type SharedReportMount = {
  path: string
  methods: Method[]
  reason: string
  serve(request: HttpRequest, client: { address: string }): Promise<HttpResponse>
}

const PREFIX = '/shared/'
const TOKEN = /^[A-Za-z0-9_-]{43}$/

type SharedReportDeps = { db: Db; clock: Clock; countAnonymous: (address: string) => void }

export function sharedReportMount({ db, clock, countAnonymous }: SharedReportDeps): SharedReportMount {
  const missing = sharedReport(404, missingReport())
  return {
    path: `${PREFIX}*`,
    methods: ['GET'],
    reason: 'the token of the link is the permission; it opens one report and nothing else',
    async serve({ url, method }, { address }) {
      countAnonymous(address)
      // The bytes of the URL, not the router’s decoded parameter: a token has one spelling.
      const token = (url.split('?', 1)[0] ?? '').slice(PREFIX.length)
      const page = TOKEN.test(token) ? await openReport({ db, clock }, token, method) : undefined
      return page === undefined ? missing : sharedReport(200, page)
    },
  }
}

async function openReport(
  { db, clock }: Pick<SharedReportDeps, 'db' | 'clock'>,
  token: string,
  method: string,
): Promise<string | undefined> {
  const now = timestamp(clock.now())
  const found = await findSharedDecisionOfAnyWorkspace(db.read, hashToken(token), now)
  if (!found) return undefined
  const { workspaceId, linkId, baselineRunId, candidateRunId, snapshot, snapshotWithoutRatings } = found
  // The reader may be a rater who is not signed in.
  const isHidden = await isRatedBlindly(db.read, workspaceId, [baselineRunId, candidateRunId])
  if (method === 'GET') await countIfWritable(db, { workspaceId, linkId, now })
  return decisionReport(isHidden ? (snapshotWithoutRatings ?? snapshot) : snapshot, {
    ...found,
    authorName: found.userName,
  })
}

async function countIfWritable(db: Db, opening: { workspaceId: string; linkId: string; now: string }): Promise<void> {
  try {
    await db.transaction((tx) => countOpening(tx, opening))
  } catch {
    // A database that takes no writes, such as one whose disk is full, must not stop anyone from reading.
  }
}
