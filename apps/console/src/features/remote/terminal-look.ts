import { type Preferences, savePreferences, type TerminalTheme } from '@muster/contract/api/users'
import type { ITheme } from '@xterm/xterm'
import type { DashInfo } from '@muster/contract/api/system'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { dashInfoQuery } from '../../app/api/queries.ts'

const DARK: ITheme & { background: string } = {
  background: '#0d1117',
  foreground: '#e6edf3',
  cursor: '#e6edf3',
  selectionBackground: '#3b5070',
  black: '#484f58',
  red: '#ff7b72',
  green: '#3fb950',
  yellow: '#d29922',
  blue: '#58a6ff',
  magenta: '#bc8cff',
  cyan: '#39c5cf',
  white: '#b1bac4',
  brightBlack: '#8b949e',
  brightRed: '#ffa198',
  brightGreen: '#56d364',
  brightYellow: '#e3b341',
  brightBlue: '#79c0ff',
  brightMagenta: '#d2a8ff',
  brightCyan: '#56d4dd',
  brightWhite: '#ffffff',
}

const LIGHT: typeof DARK = {
  background: '#ffffff',
  foreground: '#1f2328',
  cursor: '#1f2328',
  selectionBackground: '#b6d4fe',
  black: '#24292f',
  red: '#cf222e',
  green: '#116329',
  yellow: '#7d4e00',
  blue: '#0969da',
  magenta: '#8250df',
  cyan: '#1b7c83',
  white: '#6e7781',
  brightBlack: '#57606a',
  brightRed: '#a40e26',
  brightGreen: '#1a7f37',
  brightYellow: '#633c01',
  brightBlue: '#218bff',
  brightMagenta: '#a475f9',
  brightCyan: '#3192aa',
  brightWhite: '#8c959f',
}

/** The terminal themes, by their stored names. */
export const TERMINAL_THEMES: Record<TerminalTheme, typeof DARK> = {
  dark: DARK,
  light: LIGHT,
  black: { ...DARK, background: '#000000', foreground: '#ffffff', cursor: '#ffffff', white: '#e5e5e5' },
  blue: { ...DARK, background: '#012456', foreground: '#eeedf0', selectionBackground: '#3f6ea8' },
  sand: { ...LIGHT, background: '#fdf6e3', foreground: '#3b4a50', selectionBackground: '#d9cfae' },
}

/** Appearance of terminals, live and recorded. */
export const TERMINAL_LOOK = {
  fontFamily: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSize: 13,
  /** Text stays readable in any colours that a program chooses. */
  minimumContrastRatio: 4.5,
  theme: DARK,
}

export type TerminalLook = Pick<Preferences, 'terminal_font_size' | 'terminal_theme'>

const DEFAULT_LOOK: TerminalLook = { terminal_font_size: 13, terminal_theme: 'dark' }

/** The user's terminal appearance; a change is shown at once and saved. */
export function useTerminalLook(): { look: TerminalLook; change: (changes: Partial<TerminalLook>) => void } {
  const { data } = useQuery(dashInfoQuery)
  const queryClient = useQueryClient()
  const put = (changes: Partial<TerminalLook>) =>
    queryClient.setQueryData(dashInfoQuery.queryKey, (old: DashInfo | undefined) =>
      old === undefined ? old : { ...old, ...changes },
    )
  const { mutate } = useMutation({
    mutationFn: (changes: Partial<TerminalLook>) => call(savePreferences, { body: changes }),
    onMutate: put,
    onError: () => queryClient.invalidateQueries({ queryKey: dashInfoQuery.queryKey }),
  })
  return {
    look: {
      terminal_font_size: data?.terminal_font_size ?? DEFAULT_LOOK.terminal_font_size,
      terminal_theme: data?.terminal_theme ?? DEFAULT_LOOK.terminal_theme,
    },
    change: mutate,
  }
}

/** Labels of the terminal themes; apart from their colours, which need the terminal itself. */
export const TERMINAL_THEME_LABELS: Record<TerminalTheme, string> = {
  dark: 'Dark',
  light: 'Light',
  black: 'Black, high contrast',
  blue: 'Blue, like PowerShell',
  sand: 'Sand',
}
