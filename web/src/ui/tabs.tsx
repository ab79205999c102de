import { Tabs as RadixTabs } from 'radix-ui'
import type { ReactNode } from 'react'

interface Tab {
  value: string
  title: string
  count?: string | undefined
  panel: ReactNode
}

interface TabsProps {
  label: string
  value: string
  tabs: Tab[]
  onChange: (value: string) => void
}

export function Tabs({ label, value, tabs, onChange }: TabsProps) {
  return (
    <RadixTabs.Root value={value} onValueChange={onChange}>
      <RadixTabs.List aria-label={label} className="mb-6 flex gap-5 overflow-x-auto border-b border-line px-1">
        {tabs.map((tab) => (
          <RadixTabs.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px flex items-center gap-2 border-b-2 border-transparent py-2 text-data font-medium text-soft touch:min-h-11 touch:min-w-11 transition-colors hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:border-gold data-[state=active]:text-ink"
          >
            {tab.title}
            {tab.count !== undefined && (
              <span className="text-meta font-normal text-faint tabular-nums">{tab.count}</span>
            )}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {tabs.map((tab) => (
        <RadixTabs.Content key={tab.value} value={tab.value} className="rounded-card">
          {tab.panel}
        </RadixTabs.Content>
      ))}
    </RadixTabs.Root>
  )
}
