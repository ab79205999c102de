import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Cpu, Plus } from 'lucide-react'
import { useState } from 'react'
import { connectionsQuery, useCreateConnection } from '../../api/connections-query.ts'
import type { Connection } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Forbidden } from '../../ui/forbidden.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { missingRole } from '../shell/roles.ts'
import { useApplicationId, useMe } from '../shell/use-application.ts'
import { AllowedTargetsSection } from './allowed-targets-section.tsx'
import { ConnectionCard } from './connection-card.tsx'
import { ConnectionForm } from './connection-form.tsx'
import { DeleteConnectionDialog } from './delete-connection-dialog.tsx'
import { EditConnectionDialog } from './edit-connection-dialog.tsx'
import { RemoveKeyDialog } from './remove-key-dialog.tsx'
import { SettingsHead } from './settings-head.tsx'
import { SpendingSection } from './spending-section.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/settings/models')

/** Connections to model providers. "Models", because that is what users look for. */
export function ModelsPage() {
  const applicationId = useApplicationId()
  const me = useMe()
  const hiddenReason = missingRole(me, 'editor', 'Seeing the models')
  const disabledReason = missingRole(me, 'admin', 'Managing models')
  const connections = useInfiniteQuery({ ...connectionsQuery(applicationId), enabled: !hiddenReason })
  const { new: isNew } = route.useSearch()
  const navigate = useNavigate()
  const [edited, setEdited] = useState<Connection>()
  const [connectionToDelete, setConnectionToDelete] = useState<Connection>()
  const [keyless, setKeyless] = useState<Connection>()
  const path = pagePaths.settings(applicationId, 'models')
  const empty = (
    <EmptyState
      icon={Cpu}
      title="No model connected yet"
      text="Judges ask a model whether an answer is good. Connect OpenAI, Anthropic, Google Gemini or an OpenAI-compatible endpoint: Azure, OpenRouter, LiteLLM, vLLM, Ollama and others."
    />
  )
  return (
    <>
      <SettingsHead
        section="models"
        text="The endpoints that judges of this application call, and the account that pays for them."
        action={{ label: 'Connect a model', icon: Plus, disabledReason }}
      />
      {hiddenReason ? (
        <Forbidden reason={hiddenReason} />
      ) : (
        <PagedList query={connections} empty={empty}>
          {(rows) => (
            <ul aria-label="Connections" className="flex flex-col gap-4">
              {rows.map((connection) => (
                <ConnectionCard
                  key={connection.id}
                  applicationId={applicationId}
                  connection={connection}
                  disabledReason={disabledReason}
                  onEdit={() => setEdited(connection)}
                  onRemoveKey={() => setKeyless(connection)}
                  onDelete={() => setConnectionToDelete(connection)}
                />
              ))}
            </ul>
          )}
        </PagedList>
      )}
      {/* Not before the list: it would be pushed down. */}
      {(hiddenReason || !connections.isPending) && <SpendingSection applicationId={applicationId} />}
      {!disabledReason && !connections.isPending && <AllowedTargetsSection applicationId={applicationId} />}
      {isNew && !disabledReason && (
        <CreateConnectionDialog
          applicationId={applicationId}
          onClose={() => void navigate({ to: path, replace: true })}
        />
      )}
      {edited && (
        <EditConnectionDialog applicationId={applicationId} connection={edited} onClose={() => setEdited(undefined)} />
      )}
      {keyless && (
        <RemoveKeyDialog applicationId={applicationId} connection={keyless} onClose={() => setKeyless(undefined)} />
      )}
      {connectionToDelete && (
        <DeleteConnectionDialog
          applicationId={applicationId}
          connection={connectionToDelete}
          onClose={() => setConnectionToDelete(undefined)}
        />
      )}
    </>
  )
}

function CreateConnectionDialog({ applicationId, onClose }: { applicationId: string; onClose: () => void }) {
  const create = useCreateConnection(applicationId)
  return (
    <Dialog title="Connect a model" isOpen onClose={onClose}>
      <ConnectionForm
        applicationId={applicationId}
        submitLabel="Connect"
        isBusy={create.isPending}
        error={create.error}
        keyField={() => ({ hint: 'Stored encrypted, and never shown again.', placeholder: 'sk-…' })}
        onCancel={onClose}
        onSubmit={(settings, apiKey) =>
          create.mutate(
            { ...settings, ...(apiKey ? { apiKey } : {}) },
            {
              onSuccess: ({ name }) => {
                showToast({ tone: 'good', message: `Connected ${name}. Test it to see its models.` })
                onClose()
              },
            },
          )
        }
      />
    </Dialog>
  )
}
