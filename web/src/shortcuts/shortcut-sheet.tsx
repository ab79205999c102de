import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ShortcutGroups } from './shortcut-groups.tsx'
import { shortcutIds } from './shortcut-list.ts'
import { singleKeys, useActiveShortcuts } from './shortcut-store.ts'

/** The shortcuts of the current page. */
export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const active = useActiveShortcuts()
  const isOn = singleKeys.use() === 'on'
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={onClose}>
      <div className="flex flex-col gap-5">
        <ShortcutGroups ids={active} />
        <p className="text-data text-soft">
          {isOn ? 'Keys without a modifier are on.' : 'Keys without a modifier are off.'}{' '}
          {active.length < shortcutIds.length && 'Other pages have more.'}
        </p>
        <Button className="self-start" onClick={() => singleKeys.choose(isOn ? 'off' : 'on')}>
          {isOn ? 'Turn off single keys' : 'Turn on single keys'}
        </Button>
      </div>
    </Dialog>
  )
}
