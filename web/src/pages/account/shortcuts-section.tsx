import { ShortcutGroups } from '../../shortcuts/shortcut-groups.tsx'
import { shortcutIds } from '../../shortcuts/shortcut-list.ts'
import { singleKeys } from '../../shortcuts/shortcut-store.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { AccountSection } from './account-section.tsx'

export function ShortcutsSection() {
  const isOn = singleKeys.use() === 'on'
  return (
    <AccountSection
      id="shortcuts"
      text={
        <>
          All of them; <Kbd caps={['?']} /> shows those of the current page.
        </>
      }
    >
      <label htmlFor="single-keys" className="mb-5 flex max-w-prose cursor-pointer items-start gap-3 text-data">
        <Checkbox
          id="single-keys"
          state={isOn ? 'on' : 'off'}
          className="mt-0.5"
          onChange={() => singleKeys.choose(isOn ? 'off' : 'on')}
        />
        <span>
          <span className="block font-medium">Keys without a modifier</span>
          <span className="block text-soft">
            Turn them off if you use speech input or press keys by accident. Those with Ctrl or ⌘ stay.
          </span>
        </span>
      </label>
      <div className="gap-x-10 space-y-5 sm:columns-2">
        <ShortcutGroups ids={shortcutIds} />
      </div>
    </AccountSection>
  )
}
