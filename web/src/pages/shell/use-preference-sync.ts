import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { preferencesQuery, useChangePreferences } from '../../api/preferences-query.ts'
import { singleKeys } from '../../shortcuts/shortcut-store.ts'
import { rowDensity } from '../../ui/row-density.ts'
import { theme } from '../../ui/theme.ts'

/** The settings of this browser that follow the account, by the name of their preference. */
const settings = { theme, rowDensity, singleKeys }

/**
 * Saves choices in the account, wherever on the page they are made, and applies those of other devices. A choice that the account does not
 * have stays on this device.
 */
export function usePreferenceSync(): void {
  const { data: preferences } = useQuery(preferencesQuery)
  const { mutate } = useChangePreferences()
  useEffect(() => {
    for (const [name, setting] of Object.entries(settings)) setting.adopt(preferences?.[name])
  }, [preferences])
  useEffect(() => {
    const stops = Object.entries(settings).map(([name, setting]) =>
      setting.onChoose((value: string) => mutate({ [name]: value })),
    )
    return () => {
      for (const stop of stops) stop()
    }
  }, [mutate])
}
