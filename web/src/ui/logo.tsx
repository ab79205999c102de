export const STONE_PATH = 'M9 3.5h13.5L28.5 10v12.5L23 28.5H9.5L3.5 23V9.5z'
export const STREAK_PATH = 'M8.5 21.5 23 9'

/** A touchstone with a streak of gold. */
export function Logo({ nameClass = '' }: { nameClass?: string }) {
  return (
    <span className="inline-flex items-center gap-2.5">
      <svg viewBox="0 0 32 32" aria-hidden="true" className="size-7 shrink-0">
        <path d={STONE_PATH} className="fill-stone stroke-edge" strokeWidth="1" />
        <path d={STREAK_PATH} className="stroke-[#e3b657]" strokeWidth="3.6" strokeLinecap="round" />
      </svg>
      <span className={`font-display text-[17px] leading-6 font-semibold tracking-tight ${nameClass}`}>Touchstone</span>
    </span>
  )
}
