import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Plus, Server } from 'lucide-react'
import { useState } from 'react'
import { endpointsQuery, useCreateEndpoint } from '../../api/endpoints-query.ts'
import type { Endpoint } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { pagePaths } from '../../path-builder.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { missingRole } from '../shell/roles.ts'
import { useApplicationId, useMe } from '../shell/use-application.ts'
import { DeleteEndpointDialog } from './delete-endpoint-dialog.tsx'
import { EditEndpointDialog } from './edit-endpoint-dialog.tsx'
import { EndpointCard } from './endpoint-card.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { headersOf } from './header-rows.ts'
import { SettingsHead } from './settings-head.tsx'
import { TestEndpointDialog } from './test-endpoint-dialog.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/settings/endpoints')

interface Opened {
  dialog: 'test' | 'edit' | 'delete'
  endpoint: Endpoint
}

/** The users' own services that trials call. */
export function EndpointsPage() {
  const applicationId = useApplicationId()
  const disabledReason = missingRole(useMe(), 'admin', 'Managing endpoints')
  const query = endpointsQuery(applicationId)
  const endpoints = useInfiniteQuery(query)
  useLiveQuery(applicationId, ['endpoints'], query.queryKey)
  const { new: isNew } = route.useSearch()
  const navigate = useNavigate()
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  const shown = opened && { applicationId, endpoint: opened.endpoint, onClose: close }
  const path = pagePaths.settings(applicationId, 'endpoints')
  const empty = (
    <EmptyState
      icon={Server}
      title="No endpoint yet"
      text="An endpoint is an HTTP service of yours that answers an input, such as your agent in staging. Trials send it the items of a dataset and compare what it answers."
    />
  )
  return (
    <>
      <SettingsHead
        section="endpoints"
        text="Your own services that trials call, with the headers that they need."
        action={{ label: 'Add an endpoint', icon: Plus, disabledReason }}
      />
      <PagedList query={endpoints} empty={empty}>
        {(rows) => (
          <ul aria-label="Endpoints" className="flex flex-col gap-4">
            {rows.map((endpoint) => (
              <EndpointCard
                key={endpoint.id}
                endpoint={endpoint}
                disabledReason={disabledReason}
                onOpen={(dialog) => setOpened({ dialog, endpoint })}
              />
            ))}
          </ul>
        )}
      </PagedList>
      {isNew && !disabledReason && (
        <CreateEndpointDialog
          applicationId={applicationId}
          onClose={() => void navigate({ to: path, replace: true })}
        />
      )}
      {shown && opened.dialog === 'test' && <TestEndpointDialog {...shown} />}
      {shown && opened.dialog === 'edit' && <EditEndpointDialog {...shown} />}
      {shown && opened.dialog === 'delete' && <DeleteEndpointDialog {...shown} />}
    </>
  )
}

function CreateEndpointDialog({ applicationId, onClose }: { applicationId: string; onClose: () => void }) {
  const create = useCreateEndpoint(applicationId)
  return (
    <Dialog title="Add an endpoint" isOpen onClose={onClose}>
      <EndpointForm
        applicationId={applicationId}
        submitLabel="Add"
        isBusy={create.isPending}
        error={create.error}
        onCancel={onClose}
        onSubmit={(settings, rows) =>
          create.mutate(
            { ...settings, headers: headersOf(rows) },
            {
              onSuccess: ({ name }) => {
                showToast({ tone: 'good', message: `Added ${name}. Test it to see what it answers.` })
                onClose()
              },
            },
          )
        }
      />
    </Dialog>
  )
}
