import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { sessionListQuery } from '../../api/account-query.ts'
import type { SessionEntry } from '../../api/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { AccountSection } from './account-section.tsx'
import { describeDevice } from './describe-device.ts'
import { EndOthersDialog, EndSessionDialog } from './end-session-dialogs.tsx'

export function SessionsSection() {
  const { data: sessions, error, isFetching, refetch } = useQuery(sessionListQuery)
  const [ended, setEnded] = useState<SessionEntry | 'others'>()
  const close = () => setEnded(undefined)
  const hasOthers = sessions?.some(({ isCurrent }) => !isCurrent)
  return (
    <AccountSection
      id="sessions"
      text="Where you are signed in. A session ends after 12 hours without use, and after 14 days."
      action={hasOthers && <Button onClick={() => setEnded('others')}>End all others…</Button>}
    >
      {sessions && (
        <ul
          aria-label="Sessions"
          className="divide-y divide-line rounded-card border border-line bg-surface shadow-lift"
        >
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} onEnd={() => setEnded(session)} />
          ))}
        </ul>
      )}
      {!sessions && error && <QueryError query={{ error, isFetching, refetch }} />}
      {!sessions && !error && <Skeleton rows={2} />}
      {ended === 'others' && <EndOthersDialog onClose={close} />}
      {ended && ended !== 'others' && <EndSessionDialog session={ended} onClose={close} />}
    </AccountSection>
  )
}

function SessionRow({ session, onEnd }: { session: SessionEntry; onEnd: () => void }) {
  const { userAgent, ipAddress, lastUsedAt, createdAt, isCurrent } = session
  const device = describeDevice(userAgent)
  return (
    <li className="flex items-center gap-4 px-4 py-3">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium wrap-anywhere" title={userAgent ?? undefined}>
            {device}
          </span>
          {isCurrent && <Badge tone="good">this session</Badge>}
        </p>
        <p className="text-data text-soft wrap-anywhere">
          {ipAddress && <>{ipAddress} · </>}
          {isCurrent ? 'in use now' : <>last used {<RelativeTime time={lastUsedAt} />}</>} · signed in{' '}
          <RelativeTime time={createdAt} />
        </p>
      </div>
      {!isCurrent && (
        <Button look="quiet" size="small" aria-label={`End the session of ${device}`} onClick={onEnd}>
          End
        </Button>
      )}
    </li>
  )
}
