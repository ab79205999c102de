import { Check, Monitor, Moon, Sun } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { Button } from './button.tsx'
import { Menu, menuItemClass } from './menu.tsx'
import { chooseTheme, themes, useTheme } from './theme.ts'

export function ThemeMenu() {
  const { icon: CurrentIcon } = looks[useTheme()]
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
    <DropdownMenu.RadioGroup value={useTheme()} aria-label="Theme">
      {themes.map((theme) => {
        const { icon: Icon, label } = looks[theme]
        return (
          <DropdownMenu.RadioItem
            key={theme}
            value={theme}
            className={menuItemClass}
            onSelect={() => chooseTheme(theme)}
          >
            <Icon aria-hidden className="size-4 text-faint" />
            <span className="flex-1">{label}</span>
            <DropdownMenu.ItemIndicator>
              <Check aria-hidden className="size-4 text-gold-ink" />
            </DropdownMenu.ItemIndicator>
          </DropdownMenu.RadioItem>
        )
      })}
    </DropdownMenu.RadioGroup>
  )
}

const looks = {
  system: { icon: Monitor, label: 'System' },
  light: { icon: Sun, label: 'Light' },
  dark: { icon: Moon, label: 'Dark' },
}
