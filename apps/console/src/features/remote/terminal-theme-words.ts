import type { TerminalTheme } from '@muster/contract/api/users'

/** Labels of the terminal themes; apart from their colours, which need the terminal itself. */
export const TERMINAL_THEME_WORDS: Record<TerminalTheme, string> = {
  dark: 'Dark',
  light: 'Light',
  black: 'Black, high contrast',
  blue: 'Blue, like PowerShell',
  sand: 'Sand',
}
