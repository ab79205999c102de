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
      <RadixTabs.List aria-label={label} className="mb-6 flex gap-6 overflow-x-auto border-b border-line px-1">
        {tabs.map((tab) => (
          <RadixTabs.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px flex items-center gap-2 border-b-2 border-transparent py-2.5 font-medium text-soft transition-colors hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:border-gold data-[state=active]:text-ink"
          >
            {tab.title}
            {tab.count !== undefined && (
              <span className="rounded-full bg-sunken px-2 text-xs leading-5 text-soft tabular-nums">{tab.count}</span>
            )}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {tabs.map((tab) => (
        <RadixTabs.Content key={tab.value} value={tab.value} className="rounded-xl">
          {tab.panel}
        </RadixTabs.Content>
      ))}
    </RadixTabs.Root>
  )
}
