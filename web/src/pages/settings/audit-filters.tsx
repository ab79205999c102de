import type { DirectoryEntry } from '../../api/generated/api.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import type { AuditSearch } from './audit-search.ts'

interface AuditFiltersProps {
  search: AuditSearch
  people: DirectoryEntry[]
  onChange: (search: AuditSearch) => void
}

export function AuditFilters({ search, people, onChange }: AuditFiltersProps) {
  const change = (changes: Partial<AuditSearch>) => onChange({ ...search, ...changes })
  const isKnownKind = !search.action || kinds.some(({ action }) => action === search.action)
  const isKnownPerson = !search.actor || people.some(({ userId }) => userId === search.actor)
  const isFiltered = Object.values(search).some(Boolean)
  return (
    <search className="mb-6 grid grid-cols-2 items-end gap-3 sm:grid-cols-4">
      <SelectField
        label="Kind"
        value={search.action ?? ''}
        onChange={(event) => change({ action: event.target.value || undefined })}
      >
        <option value="">All</option>
        {kinds.map(({ action, title }) => (
          <option key={action} value={action}>
            {title}
          </option>
        ))}
        {!isKnownKind && <option value={search.action}>{search.action}</option>}
      </SelectField>
      <SelectField
        label="Person"
        value={search.actor ?? ''}
        onChange={(event) => change({ actor: event.target.value || undefined })}
      >
        <option value="">Everyone</option>
        {people
          .filter(({ state }) => state !== 'example')
          .toSorted((a, b) => a.name.localeCompare(b.name))
          .map(({ userId, name, state }) => (
            <option key={userId} value={userId}>
              {state === 'former' ? `${name} (former member)` : name}
            </option>
          ))}
        {!isKnownPerson && <option value={search.actor}>Someone who is not in the directory</option>}
      </SelectField>
      <TextField
        label="From"
        type="date"
        value={search.from ?? ''}
        max={search.to}
        onChange={(event) => change({ from: event.target.value || undefined })}
      />
      <TextField
        label="To"
        type="date"
        value={search.to ?? ''}
        min={search.from}
        onChange={(event) => change({ to: event.target.value || undefined })}
      />
      {isFiltered && (
        <Button
          look="quiet"
          size="small"
          className="col-span-full justify-self-start"
          onClick={() => onChange({ action: undefined, actor: undefined, from: undefined, to: undefined })}
        >
          Clear filters
        </Button>
      )}
    </search>
  )
}

const kinds = [
  { title: 'Sign-ins', action: 'session' },
  { title: 'Denied requests and keys', action: 'access,api-key.rejected' },
  { title: 'Members and invitations', action: 'member,invitation' },
  { title: 'API keys', action: 'api-key' },
  { title: 'Accounts', action: 'account,security' },
  {
    title: 'Deleted data',
    action:
      'component.deleted,prompt.deleted,prompt-version.deleted,dataset.deleted,run.deleted,evaluation.deleted,trial.deleted,experiment.deleted,trace.deleted,traces.deleted,trace-comment.deleted',
  },
  { title: 'Models and prices', action: 'connection,allowed-targets,spending,price,traces.repriced' },
  { title: 'Endpoints', action: 'endpoint' },
  { title: 'Labels of prompts', action: 'prompt-label' },
  { title: 'Trials', action: 'trial' },
  { title: 'Experiments', action: 'experiment' },
  {
    title: 'Changes of datasets and traces',
    action: 'dataset.settings-changed,dataset.import-undone,component.created,traces.assigned,trace-settings',
  },
  { title: 'Ratings and retention', action: 'rating-scheme,annotation-policy,retention' },
  { title: 'Decisions and shared links', action: 'decision,shared-link,sharing' },
  { title: 'Application', action: 'workspace,example-data' },
]
