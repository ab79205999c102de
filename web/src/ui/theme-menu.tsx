import { Check, Monitor, Moon, Sun } from 'lucide-react'
import { Button } from './button.tsx'
import { Menu, menuItemClass } from './menu.tsx'
import { MenuItemIndicator, MenuRadioGroup, MenuRadioItem } from './menu-parts.tsx'
import { theme } from './theme.ts'

export function ThemeMenu() {
  const { icon: CurrentIcon } = themeLooks[theme.use()]
  return (
    <Menu
      trigger={
        <Button look="quiet" size="icon" aria-label="Theme">
          <CurrentIcon aria-hidden className="size-4.5" />
        </Button>
      }
    >
      <ThemeItems />
    </Menu>
  )
}

/** The themes as items of a menu. */
export function ThemeItems() {
  return (
    <MenuRadioGroup value={theme.use()} aria-label="Theme">
      {theme.values.map((value) => {
        const { icon: Icon, label } = themeLooks[value]
        return (
          <MenuRadioItem key={value} value={value} className={menuItemClass} onSelect={() => theme.choose(value)}>
            <Icon aria-hidden className="size-4 text-faint" />
            <span className="flex-1">{label}</span>
            <MenuItemIndicator>
              <Check aria-hidden className="size-4 text-gold-ink" />
            </MenuItemIndicator>
          </MenuRadioItem>
        )
      })}
    </MenuRadioGroup>
  )
}

export const themeLooks = {
  system: { icon: Monitor, label: 'System' },
  light: { icon: Sun, label: 'Light' },
  dark: { icon: Moon, label: 'Dark' },
}
