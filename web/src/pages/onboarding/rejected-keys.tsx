import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Onboarding, RejectedKey } from '../../api/generated/api.ts'
import { countOf } from '../../ui/format-number.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** Requests that the server rejected for their key: the most frequent reason why nothing arrives. */
export function RejectedKeys({ rejected: { data, total } }: { rejected: Onboarding['rejectedKeys'] }) {
  if (data.length === 0) return null
  return (
    <section
      aria-label="Rejected keys"
      className="rounded-card border border-warn/35 bg-warn-wash px-4 py-3.5 text-data text-ink"
    >
      <ul className="flex flex-col gap-4">
        {data.map((entry) => (
          <li key={`${entry.reason} ${entry.endsWith} ${entry.firstAt}`}>
            <Entry entry={entry} />
          </li>
        ))}
      </ul>
      {total > data.length && (
        <p className="mt-3 text-soft">{countOf(total - data.length, 'more key is', 'more keys are')} not shown.</p>
      )}
    </section>
  )
}

function Entry({ entry }: { entry: RejectedKey }) {
  const { reason, count, lastAt, address, userAgent } = entry
  return (
    <>
      <h3 className="flex gap-2 font-semibold text-warn">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        {countOf(count, 'request')} {titles[reason]}
      </h3>
      <p className="mt-1 break-words">{explain(entry)}</p>
      <p className="mt-1 text-meta break-words text-soft">
        Last <RelativeTime time={lastAt} /> from {address}
        {userAgent && ` · ${userAgent}`}
      </p>
    </>
  )
}

const titles: Record<RejectedKey['reason'], string> = {
  unknown: 'with an unknown key',
  malformed: 'with a malformed key',
  expired: 'with an expired key',
  revoked: 'with a revoked key',
  role: 'with a key whose role is too low',
  'second-factor': 'with a key of a member without a second factor',
}

function explain(entry: RejectedKey): ReactNode {
  const key = <KeyName entry={entry} />
  switch (entry.reason) {
    case 'unknown':
      return <>{key} was never issued by this server. Replace it with the one in the snippet.</>
    case 'malformed':
      return <>{key} is mistyped or cut off. Copy it again as a whole.</>
    case 'expired':
      return <>{key} has expired. Replace it with the one in the snippet.</>
    case 'revoked':
      return (
        <>
          {key} was revoked{entry.revokedByName && ` by ${entry.revokedByName}`}
          {entry.revokedAt && (
            <>
              {' '}
              <RelativeTime time={entry.revokedAt} />
            </>
          )}
          . Replace it with the one in the snippet.
        </>
      )
    case 'second-factor':
      return <>{key} waits for a second factor of the member who created it, which this application requires.</>
    case 'role':
      return <>{key} may not send traces: that requires the role editor.</>
  }
}

function KeyName({ entry: { keyName, endsWith } }: { entry: RejectedKey }) {
  return (
    <>
      The key
      {keyName !== null && (
        <>
          {' '}
          <strong className="font-semibold">{keyName}</strong>
        </>
      )}
      {endsWith !== null && (
        <>
          {' '}
          that ends in <code className="font-mono text-meta">…{endsWith}</code>
        </>
      )}
    </>
  )
}
