import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { ownApiKeysQuery } from '../../api/api-keys-query.ts'
import type { ApiKey, Workspace } from '../../api/generated/api.ts'
import { meQuery } from '../../api/me-query.ts'
import { workspacesQuery } from '../../api/workspaces-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { ApiKeyTable } from '../settings/api-key-table.tsx'
import { CreateApiKeyDialog } from '../settings/create-api-key-dialog.tsx'
import { RevokeApiKeyDialog } from '../settings/revoke-api-key-dialog.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { AccountSection } from './account-section.tsx'

const route = getRouteApi('/_signed-in/account')

/** The keys that the user has created, one application at a time: a key opens exactly one. */
export function PersonalKeysSection() {
  const { data: applications = [] } = useQuery(workspacesQuery)
  const search = route.useSearch()
  const navigate = useNavigate()
  const change = (next: { application?: string; new?: true }) =>
    void navigate({
      to: pagePaths.account(),
      search: next,
      hash: 'personal-keys',
      hashScrollIntoView: false,
      replace: true,
    })
  const application = applications.find(({ id }) => id === search.application) ?? applications[0]
  return (
    <AccountSection
      id="personal-keys"
      text="Your API keys, for scripts and programs that act for you. A key opens one application, with at most your role in it; a viewer key is read-only."
      action={
        application && (
          <Button onClick={() => change({ application: application.id, new: true })}>
            <Plus aria-hidden className="size-4" />
            New key
          </Button>
        )
      }
    >
      {applications.length > 1 && application && (
        <div className="mb-4 max-w-sm">
          <SelectField
            label="Application"
            value={application.id}
            onChange={(event) => change({ application: event.target.value })}
          >
            {applications.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        </div>
      )}
      {application ? (
        <KeysOfApplication
          key={application.id}
          application={application}
          isNew={search.new === true}
          onClose={() => change({ application: application.id })}
        />
      ) : (
        <EmptyState
          icon={KeyRound}
          title="No application yet"
          text="Create an application or join one; a key belongs to exactly one of them."
        />
      )}
    </AccountSection>
  )
}

interface KeysOfApplicationProps {
  application: Workspace
  /** Whether the dialog that creates a key is open. */
  isNew: boolean
  onClose: () => void
}

function KeysOfApplication({ application, isNew, onClose }: KeysOfApplicationProps) {
  const keys = useInfiniteQuery(ownApiKeysQuery(application.id))
  const { data: me } = useQuery(meQuery(application.id))
  const [revoked, setRevoked] = useState<ApiKey>()
  return (
    <>
      <PagedList
        query={keys}
        empty={
          <EmptyState
            icon={KeyRound}
            title="No key of yours"
            text={`You have not created an API key in ${application.name}.`}
          />
        }
      >
        {(rows) => <ApiKeyTable keys={rows} onRevoke={setRevoked} />}
      </PagedList>
      {isNew && me && <CreateApiKeyDialog applicationId={application.id} role={me.role} onClose={onClose} />}
      {revoked && (
        <RevokeApiKeyDialog applicationId={application.id} apiKey={revoked} onClose={() => setRevoked(undefined)} />
      )}
    </>
  )
}
