import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { shortcutCaps, shortcutIds, shortcutList } from './shortcut-list.ts'
import { turnSingleKeys, useActiveShortcuts, useSingleKeysOn } from './shortcut-store.ts'

/** The shortcuts of the current page. */
export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const active = useActiveShortcuts()
  const isOn = useSingleKeysOn()
  const groups = Object.entries(Object.groupBy(active, (id) => shortcutList[id].group))
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={onClose}>
      <div className="flex flex-col gap-5">
        {groups.map(([group, ids]) => (
          <section key={group}>
            <h3 className="mb-1 text-meta font-medium text-faint">{group}</h3>
            <dl>
              {ids.map((id) => (
                <div
                  key={id}
                  className="flex min-h-8 items-center justify-between gap-4 border-b border-line text-data"
                >
                  <dt>{shortcutList[id].label}</dt>
                  <dd>
                    <span className="sr-only">{shortcutCaps(id).join(' ')}</span>
                    <Kbd caps={shortcutCaps(id)} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <p className="text-data text-soft">
          {isOn ? 'Keys without a modifier are on.' : 'Keys without a modifier are off.'}{' '}
          {active.length < shortcutIds.length && 'Other pages have more.'}
        </p>
        <Button className="self-start" onClick={() => turnSingleKeys(isOn ? 'off' : 'on')}>
          {isOn ? 'Turn off single keys' : 'Turn on single keys'}
        </Button>
      </div>
    </Dialog>
  )
}
