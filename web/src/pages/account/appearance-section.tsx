import type { ReactNode } from 'react'
import { rowDensity } from '../../ui/row-density.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { theme } from '../../ui/theme.ts'
import { themeLooks } from '../../ui/theme-menu.tsx'
import { AccountSection } from './account-section.tsx'

/** Chosen values apply at once and are saved by the frame around every page. */
export function AppearanceSection() {
  return (
    <AccountSection id="appearance" text="Applies at once, and on every device on which you sign in.">
      <div className="flex flex-col gap-5">
        <Choice title="Theme" text="System follows the setting of your device.">
          <Segmented
            label="Theme"
            value={theme.use()}
            options={theme.values.map((value) => ({ value, label: <ThemeLabel value={value} /> }))}
            onChange={theme.choose}
          />
        </Choice>
        <Choice title="Table rows" text="Automatic: each table has the height that suits its content.">
          <Segmented label="Table rows" value={rowDensity.use()} options={densities} onChange={rowDensity.choose} />
        </Choice>
      </div>
    </AccountSection>
  )
}

function ThemeLabel({ value }: { value: keyof typeof themeLooks }) {
  const { icon: Icon, label } = themeLooks[value]
  return (
    <>
      <Icon aria-hidden className="size-4" />
      {label}
    </>
  )
}

const densities = [
  { value: 'automatic', label: 'Automatic' },
  { value: 'compact', label: 'Compact' },
  { value: 'normal', label: 'Spacious' },
] as const

function Choice({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
      <div className="min-w-0">
        <p className="text-data font-medium">{title}</p>
        <p className="text-data text-soft">{text}</p>
      </div>
      {children}
    </div>
  )
}
