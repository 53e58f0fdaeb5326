import type { TerminalTheme } from '@muster/contract/api/users'

/** Themes of terminals, as people are told; apart from their colours, which need the terminal itself. */
export const TERMINAL_THEME_WORDS: Record<TerminalTheme, string> = {
  dark: 'Dark',
  light: 'Light',
  black: 'Black, strong contrast',
  blue: 'Blue, as PowerShell',
  sand: 'Sand',
}
