import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { apiKeysQuery } from '../../api/api-keys-query.ts'
import type { ApiKey } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { hasRole } from '../shell/roles.ts'
import { useApplicationId, useMe } from '../shell/use-application.ts'
import { ApiKeyTable } from './api-key-table.tsx'
import { CreateApiKeyDialog } from './create-api-key-dialog.tsx'
import { RevokeApiKeyDialog } from './revoke-api-key-dialog.tsx'
import { SettingsHead } from './settings-head.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/settings/api-keys')

export function ApiKeysPage() {
  const applicationId = useApplicationId()
  const { role } = useMe()
  const keys = useInfiniteQuery(apiKeysQuery(applicationId))
  const { new: isNew } = route.useSearch()
  const navigate = useNavigate()
  const [keyToRevoke, setKeyToRevoke] = useState<ApiKey>()
  const path = pagePaths.settings(applicationId, 'api-keys')
  const shown = hasRole(role, 'admin') ? 'You see the keys of all members.' : 'You see your own keys.'
  const empty = (
    <EmptyState
      icon={KeyRound}
      title="No API key yet"
      text="Programs sign their requests with a key. Each key opens exactly this application."
    />
  )
  return (
    <>
      <SettingsHead
        section="api-keys"
        text={`For SDKs, the command line and OpenTelemetry. A key opens this application and nothing else, with at most your role. ${shown}`}
        action={{ label: 'New API key', icon: Plus }}
      />
      <PagedList query={keys} empty={empty}>
        {(rows) => <ApiKeyTable keys={rows} onRevoke={setKeyToRevoke} />}
      </PagedList>
      {isNew && (
        <CreateApiKeyDialog
          applicationId={applicationId}
          role={role}
          onClose={() => void navigate({ to: path, replace: true })}
        />
      )}
      {keyToRevoke && (
        <RevokeApiKeyDialog
          applicationId={applicationId}
          apiKey={keyToRevoke}
          onClose={() => setKeyToRevoke(undefined)}
        />
      )}
    </>
  )
}
