import type { TerminalTheme } from '@muster/contract/api/users'
import type { ITheme } from '@xterm/xterm'

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
