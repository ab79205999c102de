import { useQuery } from '@tanstack/react-query'
import type { DecisionKey } from '../../api/decisions-query.ts'
import type { SharedLink } from '../../api/generated/api.ts'
import { sharedLinksQuery, useRevokeLink } from '../../api/sharing-query.ts'
import { Button } from '../../ui/button.tsx'
import { countOf } from '../../ui/format-number.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { authorName } from './decision-words.tsx'
import { useMissingRole } from './use-missing-role.ts'

/** The links that exist, with what became of them. Their addresses are not stored. */
export function SharedLinkList({ decision }: { decision: DecisionKey }) {
  const links = useQuery(sharedLinksQuery(decision))
  const revoke = useRevokeLink(decision)
  const disabledReason = useMissingRole(decision.applicationId, 'editor', 'Revoking a link')
  if (links.error && !links.data) return <QueryError query={links} />
  if (!links.data) return <Skeleton rows={1} />
  if (links.data.data.length === 0) return null
  return (
    <section aria-label="Links of this decision">
      <h3 className="mb-1 text-data font-semibold">Links</h3>
      <ul className="divide-y divide-line border-y border-line">
        {links.data.data.map((link) => (
          <li key={link.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2 text-data">
            <span className="min-w-0 flex-1">
              <span className="block">
                <bdi>{authorName(link)}</bdi>, <RelativeTime time={link.createdAt} />
              </span>
              <span className="block text-meta text-soft">
                <LinkState link={link} />
                {' · '}
                {link.openedAt === null ? (
                  'not opened yet'
                ) : (
                  <>
                    opened {countOf(link.openedCount, 'time')}, last <RelativeTime time={link.openedAt} />
                  </>
                )}
              </span>
            </span>
            {isActive(link) && (
              <Button
                size="small"
                isBusy={revoke.isPending && revoke.variables === link.id}
                disabledReason={disabledReason}
                onClick={() => revoke.mutate(link.id)}
              >
                Revoke
              </Button>
            )}
          </li>
        ))}
      </ul>
      <ErrorReport error={revoke.error} />
    </section>
  )
}

function LinkState({ link: { revokedAt, expiresAt } }: { link: SharedLink }) {
  if (revokedAt !== null)
    return (
      <>
        revoked <RelativeTime time={revokedAt} />
      </>
    )
  const word = Date.parse(expiresAt) > Date.now() ? 'expires' : 'expired'
  return (
    <>
      {word} <RelativeTime time={expiresAt} />
    </>
  )
}

function isActive({ revokedAt, expiresAt }: SharedLink): boolean {
  return revokedAt === null && Date.parse(expiresAt) > Date.now()
}
