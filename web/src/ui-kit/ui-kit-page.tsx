import { BasicsKit } from './basics-kit.tsx'
import { ChartsKit } from './charts-kit.tsx'
import { ControlsKit } from './controls-kit.tsx'
import { MatrixKit } from './matrix-kit.tsx'
import { RatingKit } from './rating-kit.tsx'
import { SchemaFormKit } from './schema-form-kit.tsx'
import { StatesKit } from './states-kit.tsx'
import { TableKit } from './table-kit.tsx'
import { TableStatesKit } from './table-states-kit.tsx'
import { TextsKit } from './texts-kit.tsx'

const THEMES = ['light', 'dark', 'both', 'system'] as const
type KitTheme = (typeof THEMES)[number]

/** Every part of the interface in every state. Not a part of the product: no page links here, and the build excludes it. */
export function UiKitPage() {
  const theme = readTheme()
  if (theme === 'system')
    return (
      <main>
        <Kit theme="system" />
      </main>
    )
  return (
    <main className={theme === 'both' ? 'grid lg:grid-cols-2' : ''}>
      {theme !== 'dark' && <Kit theme="light" />}
      {theme !== 'light' && <Kit theme="dark" />}
    </main>
  )
}

function Kit({ theme }: { theme: Exclude<KitTheme, 'both'> }) {
  return (
    <div className={`min-w-0 bg-canvas text-ink ${schemes[theme]}`}>
      <div className="mx-auto max-w-[1760px] px-4 py-6 sm:px-6">
        <header className="mb-8 flex flex-wrap items-baseline gap-4">
          <h1 className="font-display text-title font-semibold">Parts, {theme}</h1>
          <nav aria-label={`Themes, ${theme}`} className="flex gap-3 text-data">
            {THEMES.map((name) => (
              <a key={name} href={`?theme=${name}`} className="touch-link underline decoration-edge underline-offset-3">
                {name}
              </a>
            ))}
          </nav>
        </header>
        <BasicsKit />
        <ControlsKit />
        <SchemaFormKit />
        <RatingKit />
        <StatesKit />
        <ChartsKit />
        <MatrixKit />
        <TableKit />
        <TableStatesKit />
        <TextsKit />
      </div>
    </div>
  )
}

const schemes = { light: 'scheme-light', dark: 'scheme-dark', system: '' }

function readTheme(): KitTheme {
  const asked = new URLSearchParams(window.location.search).get('theme')
  return THEMES.find((theme) => theme === asked) ?? 'both'
}
