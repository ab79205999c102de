import { STONE_PATH, STREAK_PATH } from '../../ui/logo.tsx'

/** The stone of the logo: an outline while nothing has arrived, with its streak of gold afterwards. */
export function LogoStatusIcon({ isOn }: { isOn: boolean }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className="size-13 shrink-0">
      <path d={STONE_PATH} strokeWidth="1.6" className={isOn ? 'fill-stone stroke-good' : 'fill-none stroke-edge'} />
      <path
        d={STREAK_PATH}
        fill="none"
        strokeWidth="3.2"
        strokeLinecap="round"
        strokeDasharray={isOn ? undefined : '1.5 4.2'}
        className={isOn ? 'stroke-[#e3b657]' : 'stroke-edge motion-safe:animate-pulse'}
      />
    </svg>
  )
}
