import { Kbd } from '../ui/kbd.tsx'
import { type ShortcutId, shortcutCaps } from './shortcut-list.ts'
import { singleKeys, useActiveShortcuts } from './shortcut-store.ts'

/** The keys of a shortcut, on the button that does the same. Nothing while the shortcut does nothing. */
export function ShortcutKeys({ id }: { id: ShortcutId }) {
  const isActive = useActiveShortcuts().includes(id)
  const caps = shortcutCaps(id)
  const isSingle = !['⌘', 'Ctrl'].includes(caps[0] ?? '')
  const isOn = singleKeys.use() === 'on' || !isSingle
  return isActive && isOn ? <Kbd caps={caps} /> : null
}
