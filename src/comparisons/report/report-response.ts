import type { HttpResponse } from '../../http/route.ts'
import { REPORT_POLICY } from './report-style.ts'

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'private, no-store',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
}

/** A report to save. Not a page of this server: opened from a disk it has no access to the session. */
export function downloadedReport(page: string, fileName: string): HttpResponse {
  const headers = { ...HEADERS, 'content-security-policy': REPORT_POLICY }
  return {
    status: 200,
    body: Buffer.from(page),
    headers: { ...headers, 'content-disposition': `attachment; filename="${fileName}"` },
  }
}

/** A report to show without an account. `sandbox` also takes away the origin of this server. */
export function sharedReport(status: number, page: string): HttpResponse {
  const policy = `${REPORT_POLICY}; sandbox`
  return { status, body: Buffer.from(page), headers: { ...HEADERS, 'content-security-policy': policy } }
}
