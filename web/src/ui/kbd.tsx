/** Keys to press. Hidden from screen readers, which have their own keys, and from touch screens, which have none. */
export function Kbd({ caps }: { caps: string[] }) {
  return (
    <kbd
      aria-hidden
      className="inline-flex items-center gap-1 rounded border whitespace-nowrap border-b-2 border-current/25 px-1.5 font-mono text-[11px] leading-4 max-sm:hidden pointer-coarse:hidden"
    >
      {caps.join(' ')}
    </kbd>
  )
}
