import type { SettingsSection } from '../../path-builder.ts'

export const settingsSections: { section: SettingsSection; title: string }[] = [
  { section: 'general', title: 'General' },
  { section: 'api-keys', title: 'API Keys' },
  { section: 'members', title: 'Members' },
  { section: 'rating-scheme', title: 'Rating scheme' },
  { section: 'models', title: 'Models' },
  { section: 'endpoints', title: 'Endpoints' },
  { section: 'prices', title: 'Prices' },
  { section: 'retention', title: 'Retention' },
  { section: 'audit', title: 'Audit' },
  { section: 'health', title: 'Health' },
]
