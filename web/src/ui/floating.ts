import { laterPart } from './later-part.ts'

/** Menus, popovers and tips: what they need to be placed, closed and walked by keys is a fifth of what a page loads. */
export const floatingPart = laterPart(() => import('./floating-panels.tsx'))
