import { Kbd } from '../ui/kbd.tsx'
import { type ShortcutId, shortcutCaps, shortcutList } from './shortcut-list.ts'

/** Shortcuts with their keys, by the part of the interface that they belong to. */
export function ShortcutGroups({ ids }: { ids: readonly ShortcutId[] }) {
  const groups = Object.entries(Object.groupBy(ids, (id) => shortcutList[id].group))
  return groups.map(([group, ofGroup]) => (
    <section key={group} className="break-inside-avoid">
      <h3 className="mb-1 text-meta font-medium text-faint">{group}</h3>
      <dl>
        {ofGroup.map((id) => (
          <div key={id} className="flex min-h-8 items-center justify-between gap-4 border-b border-line text-data">
            <dt>{shortcutList[id].label}</dt>
            <dd>
              <span className="sr-only">{shortcutCaps(id).join(' ')}</span>
              <Kbd caps={shortcutCaps(id)} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  ))
}
