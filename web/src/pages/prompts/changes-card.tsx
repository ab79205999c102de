import { useInfiniteQuery } from '@tanstack/react-query'
import { apiKey } from '../../api/api-query.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { type ComponentKey, promptChangesQuery } from '../../api/prompts-query.ts'
import { Card } from '../components/card.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { ChangeEntry } from './change-entry.tsx'

/** Which versions were saved and which labels moved, with what each move rests on. */
export function ChangesCard({ component }: { component: ComponentKey }) {
  const query = useInfiniteQuery(promptChangesQuery(component))
  const key = apiKey('/components/{componentId}/prompt-changes', component.applicationId)
  useLiveQuery(component.applicationId, ['prompts'], key)
  return (
    <Card title="What changed lately">
      <PagedList query={query} empty={<p className="text-data text-soft">Nothing has changed yet.</p>}>
        {(changes) => (
          <ol className="flex flex-col divide-y divide-line">
            {changes.map((change) => (
              <ChangeEntry
                key={`${change.prompt.id} ${change.version} ${change.label} ${change.change}`}
                component={component}
                change={change}
              />
            ))}
          </ol>
        )}
      </PagedList>
    </Card>
  )
}
