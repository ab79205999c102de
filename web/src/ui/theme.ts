import { createLocalSetting } from './local-setting.ts'

export type Theme = 'system' | 'light' | 'dark'

/** The look of the page. `public/theme.js` applies the stored one before the first paint. */
export const theme = createLocalSetting<Theme>({
  storageKey: 'touchstone.theme',
  values: ['system', 'light', 'dark'],
  fallback: 'system',
  apply(value) {
    if (value === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = value
  },
  readApplied: () => document.documentElement.dataset['theme'],
})
