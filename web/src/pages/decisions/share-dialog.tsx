import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { DecisionKey } from '../../api/decisions-query.ts'
import { sharingQuery, useCreateLink } from '../../api/sharing-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { focusOnMount } from '../../ui/focus-on-mount.ts'
import { Notice } from '../../ui/notice.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { SharedLinkList } from './shared-link-list.tsx'
import { useMissingRole } from './use-missing-role.ts'

const DAYS = [1, 7, 30, 90]
const DAYS_DEFAULT = 7

interface ShareDialogProps {
  decision: DecisionKey
  onClose: () => void
}

/** Links that show a decision to people without an account. */
export function ShareDialog({ decision, onClose }: ShareDialogProps) {
  const sharing = useQuery(sharingQuery(decision.applicationId))
  return (
    <Dialog title="Share this decision" isOpen onClose={onClose}>
      <div className="flex flex-col gap-5">
        <p className="text-soft">
          Anyone with the link sees the report: the numbers, the note, who decided, and texts of items that got worse.
          Nothing else can be opened with it.
        </p>
        {sharing.data ? (
          <NewLink decision={decision} areLinksAllowed={sharing.data.linksAllowed} />
        ) : sharing.error ? (
          <QueryError query={sharing} />
        ) : (
          <Skeleton rows={1} />
        )}
        <SharedLinkList decision={decision} />
      </div>
    </Dialog>
  )
}

function NewLink({ decision, areLinksAllowed }: { decision: DecisionKey; areLinksAllowed: boolean }) {
  const [days, setDays] = useState(DAYS_DEFAULT)
  const create = useCreateLink(decision)
  const disabledReason = useMissingRole(decision.applicationId, 'editor', 'Sharing a decision')
  if (!areLinksAllowed) return <LinksNotAllowed applicationId={decision.applicationId} />
  if (create.data) {
    return (
      <div ref={focusOnMount} tabIndex={-1} className="flex flex-col gap-3 outline-none">
        <p className="text-soft">Copy the link: it is shown only now.</p>
        <output
          aria-label="Shared link"
          className="block rounded-card bg-gold-wash px-4 py-3 font-mono text-data break-all"
        >
          {create.data.url}
        </output>
        <div className="flex flex-wrap items-center gap-2">
          <CopyButton text={create.data.url} label="Copy link" look="primary" />
          <Button size="small" onClick={() => create.reset()}>
            Create another
          </Button>
        </div>
      </div>
    )
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (disabledReason === undefined) create.mutate(days)
  }
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <SelectField label="Expires after" value={days} onChange={(event) => setDays(Number(event.target.value))}>
          {DAYS.map((count) => (
            <option key={count} value={count}>
              {count === 1 ? '1 day' : `${count} days`}
            </option>
          ))}
        </SelectField>
        <Button type="submit" look="primary" isBusy={create.isPending} disabledReason={disabledReason}>
          Create link
        </Button>
      </div>
      <ErrorReport error={create.error} />
    </form>
  )
}

function LinksNotAllowed({ applicationId }: { applicationId: string }) {
  const isAdmin = useMissingRole(applicationId, 'admin', 'Allowing links') === undefined
  return (
    <Notice title="Shared links are not allowed in this application">
      {isAdmin ? (
        <>
          You can allow them in the{' '}
          <Link to={pagePaths.settings(applicationId, 'general')} className="underline underline-offset-4">
            general settings
          </Link>
          .
        </>
      ) : (
        'An admin can allow them in the general settings. You can download the report and send the file.'
      )}
    </Notice>
  )
}
