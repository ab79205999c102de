/** The sections of the account page, by their anchor. */
export const accountSections = [
  { id: 'profile', title: 'Profile' },
  { id: 'password', title: 'Password' },
  { id: 'second-factor', title: 'Second factor' },
  { id: 'sessions', title: 'Sessions' },
  { id: 'personal-keys', title: 'Personal keys' },
  { id: 'appearance', title: 'Appearance' },
  { id: 'shortcuts', title: 'Keyboard shortcuts' },
] as const

export type AccountSectionId = (typeof accountSections)[number]['id']
